%% Tables of other shapes take a name from each other while it is used: what a call does, it does with one of them.
-module(r_ets_same_name).
-export([main/0]).

main() ->
    Self = self(),
    {Other, M} = spawn_monitor(fun() -> others(Self, 1) end),
    Answers = lists:usort([F(N) || N <- lists:seq(1, 3000), F <- calls()]),
    Other ! stop,
    receive {'DOWN', M, _, _, normal} -> ok end,
    io:format("~p~n~p~n", [Answers, ets:whereis(shared)]).

calls() ->
    [fun(_) -> told(delete_object, fun() -> ets:delete_object(shared, {x}) end) end,
     fun(N) -> told(insert, fun() -> ets:insert(shared, {N rem 10}) end) end,
     fun(_) -> told(insert_list, fun() -> ets:insert(shared, [{1}, {2}]) end) end,
     fun(_) -> told(update, fun() -> is_integer(ets:update_counter(shared, c, {4, 1})) end) end,
     fun(_) -> told(element, fun() -> ets:update_element(shared, c, {4, 1}) end) end,
     fun(_) -> told(replace, fun() -> is_integer(ets:select_replace(shared, [{{'_', '_', c, '$1'}, [], ['$_']}])) end) end].

told(Name, F) ->
    try F() of
        R when is_boolean(R) -> Name
    catch
        error:badarg -> Name
    end.

others(Self, K) ->
    T = ets:new(shared, [named_table, public, lists:nth(1 + K rem 4, [ordered_set, set, bag, duplicate_bag]),
                         {keypos, 1 + 2 * (K rem 2)}]),
    ets:insert(T, {c, c, c, K}),
    if
        K rem 3 =:= 0 -> ets:rename(shared, renamed), ets:delete(renamed);
        true -> ets:delete(shared)
    end,
    receive stop -> ok after 0 -> others(Self, K + 1) end.
