%% What is looked up and does not fit the heap is what is in the table, from a small heap, while another process
%% exchanges it for something larger or smaller.
-module(r_ets_lookup_room).
-export([main/0]).

main() ->
    [io:format("~p ~p~n", [Options, in_process(fun() -> looked_up(Options, Changes) end)]) ||
        Type <- [set, ordered_set, bag, duplicate_bag], Packed <- [[], [compressed]], Changes <- [false, true],
        Options <- [[Type, public | Packed]]].

looked_up(Options, Changes) ->
    T = ets:new(t, Options),
    IsBag = lists:member(hd(Options), [bag, duplicate_bag]),
    Objects = [{k, lists:seq(1, N), {N, list_to_tuple(lists:seq(1, N))}} || N <- [1, 70, 500, 3000]],
    [true = ets:insert(T, O) || O <- if IsBag -> Objects; true -> [lists:last(Objects)] end],
    Others = [spawn_monitor(fun() -> change(T, Objects) end) || Changes, not IsBag],
    Results = [in_process(fun() -> result(Look(T)) end) || _ <- lists:seq(1, 50),
                                                           Look <- [fun(X) -> ets:lookup(X, k) end] ++
                                                               [fun(X) -> ets:lookup_element(X, k, E) end || E <- [1, 2, 3]]],
    [begin exit(P, kill), receive {'DOWN', M, _, _, killed} -> ok end end || {P, M} <- Others],
    lists:usort([case Changes andalso not IsBag of true -> right; false -> R end || R <- Results]).

change(T, Objects) ->
    [ets:insert(T, O) || O <- Objects],
    change(T, Objects).

%% What belongs together, or there is no answer.
result([{k, List, {N, Tuple}} | Rest]) when length(List) =:= N, tuple_size(Tuple) =:= N ->
    N = lists:foldl(fun(X, Y) when X =:= Y + 1 -> X end, 0, List),
    List = tuple_to_list(Tuple),
    [N | [result([O]) || O <- Rest]];
result(k) -> k;
result({N, Tuple}) when tuple_size(Tuple) =:= N -> N;
result([Element | _] = List) when is_integer(Element) -> length(List);
result([{_, _} | _] = List) -> [result(E) || E <- List];
result([E | _] = List) when is_list(E) -> [length(L) || L <- List];
result([k | _] = List) -> length(List).

in_process(F) ->
    {P, M} = spawn_monitor(fun() -> exit({done, F()}) end),
    receive {'DOWN', M, process, P, {done, R}} -> R; {'DOWN', M, process, P, Reason} -> Reason end.
