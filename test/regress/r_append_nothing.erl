%% What is appended nothing to is the same bitstring; an iterator's path that nobody can have been given; a fun with more
%% free variables than there can be.
-module(r_append_nothing).
-export([main/0]).

main() ->
    Grown = <<(id(<<>>))/binary, 0, 1, 2, 3, 4, 5, 6, 7>>,
    <<_:3, Odd:12/bits, _/bits>> = Grown,
    [io:format("~w~n", [[erts_debug:same(B, append(B, <<>>)), erts_debug:same(B, more(B, 0, <<>>)), more(B, 8, <<>>) =:= B]])
     || B <- [<<"123">>, Grown, <<>>, binary:copy(<<1>>, 100), Odd]],
    Map = maps:from_list([{N, N} || N <- lists:seq(1, 100)]),
    [io:format("~w ~p~n", [N, try maps:next([N | Map]) of _ -> passed catch error:Why -> Why end])
     || N <- [-1, (1 bsl 64) - 1, a]],
    [io:format("~p ~p~n", [N, try is_function(binary_to_term(fun_of(N))) catch error:Why -> Why end])
     || N <- [0, 1, 254, 255, 256, 1000]].

append(A, B) -> <<A/bits, B/bits>>.
more(A, Size, B) -> <<A/bits, 0:(Size - Size), B/bits, B/bits>>.
id(X) -> X.

fun_of(Free) ->
    <<131, Pid/binary>> = term_to_binary(self()),
    <<131, Value/binary>> = term_to_binary(x),
    Body = <<1, 0:128, 0:32, Free:32, $d, 1:16, $m, $a, 0, $a, 0, Pid/binary, (binary:copy(Value, Free))/binary>>,
    <<131, $p, (byte_size(Body) + 4):32, Body/binary>>.
