%% Integers and characters behind a binary, some whole bytes in all, go there together: of any values, also where an
%% earlier binary is appended to again, where it ends within a byte, and where one of them is none.
-module(r_bits_append_few).
-export([main/0]).

main() ->
    io:format("~w~n", [<< <<X:16>> || X <- values(2) >>]),
    io:format("~w~n", [<< <<X:8, (X + 1):16/little, 3:24>> || X <- values(2) >>]),
    io:format("~w~n", [<< <<X:4, X:12>> || X <- values(2) >>]),
    io:format("~w~n", [<< <<X:40, X:16>> || X <- values(2) >>]),
    io:format("~w~n", [<< <<X:7, X:1/unit:17>> || X <- values(2) >>]),
    io:format("~w~n", [<< <<X/utf8>> || X <- characters() >>]),
    io:format("~w~n", [<< <<X/utf8, 7:8, X:16>> || X <- characters() >>]),
    [io:format("~p: ~p~n", [X, wrong(X)]) || X <- [a, 1.0, <<>>, -1, 16#d800, 16#110000, 1 bsl 70]],
    io:format("~w~n", [erlang:phash2([longer(N, <<>>) || N <- lists:seq(1, 300)])]),
    io:format("~w~n", [bits(values(3), <<9:3>>)]),
    io:format("~w~n", [parts(values(3), <<9>>)]),
    io:format("~w~n", [again(<<"beginning">>, 40)]),
    B = longer(100, <<>>),
    Others = [begin P ! {self(), B}, receive {P, Seen} -> Seen end end || P <- [spawn(fun other/0) || _ <- [1, 2, 3]]],
    io:format("~w~n", [[erlang:phash2(O) || O <- [<<B/binary, 1:16>>, <<B/binary, 2:16>>, B | Others]]]).

values(N) -> lists:sublist([1, -1, 70000, 1 bsl 39, 0, 255, -256, 1 bsl 60, -(1 bsl 60), (1 bsl 59) - 1, 1 bsl 70, -(1 bsl 65)], 4 * N).
characters() -> [0, 127, 128, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#ffff, 16#10000, 16#10ffff, $a].

wrong(X) ->
    [try Make() catch error:R:Stack -> {R, proplists:get_value(error_info, element(4, hd(Stack)))} end
     || Make <- [fun() -> << <<Y:16>> || Y <- [1, 2, X] >> end, fun() -> << <<Y/utf8>> || Y <- [1, 2, X] >> end,
                 fun() -> B = longer(3, <<>>), <<B/binary, 5:8, X:16>> end, fun() -> B = longer(3, <<>>), <<B/binary, X/utf8>> end]].

longer(0, B) -> B;
longer(N, B) -> longer(N - 1, <<B/binary, N:16, (N * N):32, (-N):8>>).

bits([], B) -> B;
bits([X | L], B) -> bits(L, <<B/bitstring, X:16, X:24>>).

parts([], B) -> B;
parts([X | L], B) -> parts(L, <<B/binary, X:16, X:20, X:12>>).

%% Each is appended to twice.
again(B, 0) -> [B];
again(B, N) -> First = <<B/binary, N:24>>, [erlang:phash2(<<B/binary, N/utf8, N:16>>) | again(First, N - 1)].

other() -> receive {From, B} -> From ! {self(), <<B/binary, 3:24>>} end.
