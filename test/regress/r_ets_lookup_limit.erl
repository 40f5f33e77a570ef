%% Who has max_heap_size is ended by the collection that comes after he has looked up more than that, not by the look-up.
%% Not under torture: that collection comes at once.
-module(r_ets_lookup_limit).
-export([main/0]).

main() ->
    [io:format("~p ~p ~p~n", [Words, What, limited(Words, What)]) || Words <- [2000, 1000000], What <- [lookup, element]].

limited(Words, What) ->
    T = ets:new(t, [public]),
    true = ets:insert(T, {k, lists:seq(1, 50000)}),
    {_, M} = spawn_opt(fun() -> exit({survived, found(T, What)}) end,
                       [monitor, {max_heap_size, #{size => Words, kill => true, error_logger => false}}]),
    receive {'DOWN', M, _, _, Reason} -> Reason end.

found(T, lookup) -> length(ets:lookup(T, k));
found(T, element) -> length(ets:lookup_element(T, k, 2)).
