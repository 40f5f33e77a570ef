%% A pattern of one binary is used where it lies: whatever binary that is, beside the same one compiled.
-module(r_binary_one_needle).
-export([main/0]).

main() ->
    Large = binary:copy(<<"abcdefgh,">>, 100),
    <<_:3, Odd:8/bitstring, _/bitstring>> = <<0:3, $,, 0:5>>,
    <<_:3, Wide:800/bitstring, _/bitstring>> = <<0:3, (binary:copy(<<"xy">>, 50))/binary, 0:5>>,
    Part = binary:part(Large, 8, 1),
    Needles = [<<",">>, Odd, Part, <<"gh,ab">>, binary:part(Large, 5, 9), Wide, Large, <<>>, <<1:3>>, x, [], [<<",">>],
               [Odd, <<"h">>], [<<",">> | x], binary_to_atom(<<"a">>)],
    Subjects = [<<>>, <<",">>, Large, Wide, Odd, <<"no such">>, binary:part(Large, 3, 700), <<1:3>>, y],
    [io:format("~w~n", [[searched(Subject, Needle) || Subject <- Subjects]]) || Needle <- Needles],
    %% appended to while it is a pattern elsewhere
    Grown = lists:foldl(fun(_, B) -> [_ | _] = binary:split(B, B), <<B/binary, ",">> end, <<",">>, lists:seq(1, 200)),
    io:format("~w~n", [binary:matches(Grown, binary:part(Grown, 0, 50))]).

searched(Subject, Needle) ->
    Compiled = try binary:compile_pattern(Needle) catch error:badarg -> Needle end,
    [answer(fun() -> F(P) end) || P <- [Needle, Compiled],
                                  F <- [fun(X) -> binary:match(Subject, X) end,
                                        fun(X) -> binary:match(Subject, X, [{scope, {1, 7}}]) end,
                                        fun(X) -> erlang:phash2(binary:matches(Subject, X)) end,
                                        fun(X) -> erlang:phash2(binary:split(Subject, X, [global])) end,
                                        fun(X) -> erlang:phash2(binary:replace(Subject, X, <<"-">>)) end]].

answer(F) -> try F() catch error:Why -> Why end.
