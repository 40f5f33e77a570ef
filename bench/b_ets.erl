%% Tables.
-module(b_ets).
-export([group/0, benchmarks/0]).

group() -> ets.

benchmarks() ->
    [{"ets: set insert", fun() -> with(set, fun(T) -> insert(60000, T) end) end},
     {"ets: set lookup", fun() -> with(set, fun(T) -> insert(1000, T), lookup(400000, T) end) end},
     {"ets: set lookup_element", fun() -> with(set, fun(T) -> insert(1000, T), element_of(400000, T) end) end},
     {"ets: ordered_set insert", fun() -> with(ordered_set, fun(T) -> insert(40000, T) end) end},
     {"ets: ordered_set walk", fun() -> with(ordered_set, fun(T) -> insert(20000, T), walk(T, ets:first(T)) end) end},
     {"ets: bag insert", fun() -> with(bag, fun(T) -> insert_bag(20000, T) end) end},
     {"ets: update_counter", fun() -> with(set, fun(T) -> insert(1000, T), counter(250000, T) end) end},
     {"ets: insert and delete", fun() -> with(set, fun(T) -> churn(80000, T) end) end},
     {"ets: select", fun() -> with(set, fun(T) -> insert(10000, T), select(10, T) end) end},
     {"ets: tab2list", fun() -> with(set, fun(T) -> insert(20000, T), lists(5, T) end) end},
     {"ets: two writers", fun() -> with(set, fun(T) -> writers(2, 30000, T) end) end}].

with(Type, Fun) ->
    Table = ets:new(table, [Type, public, {write_concurrency, true}, {read_concurrency, true}]),
    Fun(Table),
    ets:delete(Table).

insert(0, _) -> ok;
insert(N, T) -> ets:insert(T, {N, {value, N}, "text", 0}), insert(N - 1, T).

insert_bag(0, _) -> ok;
insert_bag(N, T) -> ets:insert(T, {N rem 1000, N}), insert_bag(N - 1, T).

lookup(0, _) -> ok;
lookup(N, T) -> [_] = ets:lookup(T, N rem 1000 + 1), lookup(N - 1, T).

element_of(0, _) -> ok;
element_of(N, T) -> {value, _} = ets:lookup_element(T, N rem 1000 + 1, 2), element_of(N - 1, T).

walk(_, '$end_of_table') -> ok;
walk(T, Key) -> walk(T, ets:next(T, Key)).

counter(0, _) -> ok;
counter(N, T) -> ets:update_counter(T, N rem 1000 + 1, {4, 1}), counter(N - 1, T).

churn(0, _) -> ok;
churn(N, T) -> ets:insert(T, {N, N}), ets:delete(T, N + 100), churn(N - 1, T).

select(0, _) -> ok;
select(N, T) ->
    _ = ets:select(T, [{{'$1', {value, '$2'}, '_', '_'}, [{'<', '$1', 5000}, {'=:=', {'rem', '$2', 3}, 0}], ['$2']}]),
    select(N - 1, T).

lists(0, _) -> ok;
lists(N, T) -> _ = ets:tab2list(T), lists(N - 1, T).

writers(Count, Each, T) ->
    Monitors = [spawn_monitor(fun() -> write(Each, W * Each, T) end) || W <- lists:seq(1, Count)],
    [receive {'DOWN', M, process, _, normal} -> ok end || {_, M} <- Monitors].

write(0, _, _) -> ok;
write(N, Base, T) -> ets:insert(T, {Base + N, N}), _ = ets:lookup(T, Base), write(N - 1, Base, T).
