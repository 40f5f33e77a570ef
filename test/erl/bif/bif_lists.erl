-module(bif_lists).
-export([main/0]).
-include("c.hrl").

main() ->
    Big = lists:seq(1, 50000),
    Lists = [[], [a], [a, b, c], [1, 1.0, 1], [{k, 1}, {k, 2}], [a | b], a, "abcabc", [[], [a], {}]],
    Keys = [a, b, 1, 1.0, {}, [], $a, [a]],
    pairs(lists, member, Keys, Lists ++ [Big]),
    pairs(lists, reverse, Lists, [[], [x], tail]),
    c(lists, reverse, [Big, []]),
    Records = [[], [{a}], [{b, 1}, {a, 1}, {a, 2}], [{1}, {1.0}], [x, {a}], [{}, {a, b, c}, {c, b, a}], [{a} | {b}], [{b} | x], x],
    [c(lists, F, [K, N, L]) || F <- [keyfind, keymember, keysearch], K <- [a, 1, 1.0, x], N <- [1, 2, 3, 0, -1, 1.0, z, 1 bsl 70],
                               L <- Records],
    [pairs(erlang, F, Lists, Lists) || F <- ['++', append, '--', subtract]],
    c(erlang, '++', [Big, [x]]),
    c(erlang, '--', [Big, lists:seq(1, 50000, 3)]),
    c(erlang, '--', [Big ++ Big, Big]),
    c(erlang, '--', [Big, [1.0, 2.0]]),
    c(erlang, '--', [lists:duplicate(1000, a), lists:duplicate(500, a)]),
    Mixed = [1, 1.0, a, {1}, {1.0}, "s", <<1>>, 1 bsl 70, 0.0, -0.0, [], #{}, fun lists:map/2, b, c, d, e, f, g, h],
    [c(erlang, '--', [Mixed ++ Mixed, lists:sublist(lists:reverse(Mixed), N)]) || N <- lists:seq(0, length(Mixed))],
    [c(erlang, '--', [Mixed, [X]]) || X <- Mixed ++ [-0.0, 2]],
    each(erlang, length, Lists),
    io:format("reversed: ~p~n", [[reversed_in(Words) || Words <- [233, 400, 2000, 20000]]]).

%% Lists that fit what is free of a heap, nearly fit and do not, with good and bad ends: a process for each heap.
reversed_in(Words) ->
    {_, Monitor} = spawn_opt(fun() -> exit(erlang:phash2([reversed(N) || N <- lists:seq(0, 250) ++ [1000, 5000]])) end,
                             [monitor, {min_heap_size, Words}]),
    receive {'DOWN', Monitor, process, _, Hash} -> Hash end.

reversed(N) ->
    List = lists:seq(1, N),
    {lists:reverse(List), lists:reverse(List, [tail]), lists:reverse(List, tail), lists:reverse(lists:reverse(List)) =:= List,
     catch_reason(fun() -> lists:reverse(List ++ [a | b]) end), lists:foldl(fun(X, Sum) -> X + Sum end, 0, lists:reverse(List))}.

catch_reason(Fun) ->
    try Fun() catch error:Reason -> Reason end.
