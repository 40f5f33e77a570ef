%% What is to be captured is looked at before the match: numbers from 0 to 2^31-1, names as atoms, strings or binaries.
%% The limits of a match end there too.
-module(r_re_captures).
-export([main/0]).

main() ->
    [io:format("~p ~p ~p: ~p~n", [Subject, Values, Type, run(Subject, {capture, Values, Type})])
     || Subject <- ["abc", "x"], Values <- values(), Type <- [index, list, binary]],
    [io:format("~p ~p: ~p~n", [Limit, N, run("abc", {Limit, N})])
     || Limit <- [match_limit, match_limit_recursion], N <- [1000 | borders()]].

values() ->
    [[-1], [0, -1], [1.0], [{}], [[-1]], [0 | a], [-1 | a], [none_such], ["none"], [<<"none">>], [n, "n", <<"n">>],
     [[$n, 300]], [<<1:3>>], [0, foo], a, [], [[]], [<<>>], [''], [[[]]], [[<<>>]], [[<<"n">>]]] ++ [[N] || N <- borders()].

borders() -> [-1, 16#7fffffff, 16#80000000, 16#ffffffff, 1 bsl 32, 1 bsl 59, 1 bsl 60, -(1 bsl 64), a].

run(Subject, Option) ->
    try re:run(Subject, "b(?<n>c)?", [Option])
    catch Class:Reason:Stack -> {Class, Reason, element(4, hd(Stack))}
    end.
