%% Tables that many processes use at once.
-module(ets_processes_tests).
-include_lib("eunit/include/eunit.hrl").

all(Count, Fun) ->
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), Fun(N)} end) || N <- lists:seq(1, Count)],
    [receive {Pid, Result} -> Result end || Pid <- Pids].

counters_test_() ->
    [fun() ->
        T = ets:new(t, [public, Type | Options]),
        all(20, fun(_) -> [ets:update_counter(T, {key, M rem 7}, {2, 1}, {{key, M rem 7}, 0}) || M <- lists:seq(1,
                700)] end),
        ?assertEqual([{{key, K}, 2000} || K <- lists:seq(0, 6)], lists:sort(ets:tab2list(T))),
        ets:delete(T) end
     || Type <- [set, ordered_set], Options <- [[], [{write_concurrency, true}], [{read_concurrency, true},
             {write_concurrency, true}]]].

%% Exactly one of those who insert the same new key succeeds.
insert_new_test() ->
    T = ets:new(t, [public, {write_concurrency, true}]),
    Won = all(20, fun(N) -> length([K || K <- lists:seq(1, 500), ets:insert_new(T, {K, N})]) end),
    ?assertEqual(500, lists:sum(Won)),
    ?assertEqual(500, ets:info(T, size)),
    Taken = all(20, fun(_) -> length([x || K <- lists:seq(1, 500), ets:take(T, K) =/= []]) end),
    ?assertEqual(500, lists:sum(Taken)),
    ?assertEqual(0, ets:info(T, size)).

%% Who walks a fixed table sees all that was there at the start and is still there.
walk_test_() ->
    [fun() ->
        T = ets:new(t, [public, Type]),
        ets:insert(T, [{{stays, N}, N} || N <- lists:seq(1, 1000)]),
        Self = self(),
        Writer = spawn_link(fun() -> write(T, 1, Self) end),
        [begin
             ets:safe_fixtable(T, true),
             Seen = walk(T, ets:first(T), []),
             ets:safe_fixtable(T, false),
             ?assertEqual(1000, length(lists:usort([N || {stays, N} <- Seen])))
         end || _ <- lists:seq(1, 10)],
        Writer ! stop,
        receive stopped -> ok end,
        ets:delete(T) end || Type <- [set, ordered_set, bag, duplicate_bag]].

write(T, N, To) ->
    ets:insert(T, {{goes, N}, N}),
    ets:delete(T, {goes, N - 50}),
    receive stop -> To ! stopped after 0 -> write(T, N + 1, To) end.

walk(_, '$end_of_table', Seen) -> Seen;
walk(T, Key, Seen) -> walk(T, ets:next(T, Key), [Key | Seen]).

heir_test() ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        T = ets:new(given, [named_table, {heir, Self, inherited}]),
        ets:insert(T, {a, 1}),
        receive go -> ok end end),
    Pid ! go,
    receive {'ETS-TRANSFER', T, Pid, inherited} -> ?assertEqual([{a, 1}], ets:lookup(T, a)) end,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    ?assertEqual(self(), ets:info(given, owner)),
    Other = spawn_link(fun() -> receive {'ETS-TRANSFER', T2, _, gift} -> Self ! {got, ets:lookup(T2, a)},
                       receive stop -> ok end end end),
    true = ets:give_away(given, Other, gift),
    ?assertEqual([{a, 1}], receive {got, L} -> L end),
    ?assertError(badarg, ets:insert(given, {b, 2})), % protected, and not ours any more
    Other ! stop.

owner_ends_test() ->
    Self = self(),
    {_, Ref} = spawn_monitor(fun() -> T = ets:new(x, [public]), ets:insert(T, [{N} || N <- lists:seq(1, 5000)]),
                             Self ! {table, T} end),
    T = receive {table, Table} -> Table end,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    gone(T).

gone(T) -> case ets:info(T) of undefined -> ok; _ -> timer:sleep(1), gone(T) end.

access_test() ->
    [Public, Protected, Private] = [ets:new(t, [A]) || A <- [public, protected, private]],
    [Results] = all(1, fun(_) -> [try F() catch error:badarg -> no end || T <- [Public, Protected, Private],
                                  F <- [fun() -> ets:insert(T, {a}) end, fun() -> ets:lookup(T, b) end, fun() ->
                                        ets:delete(T) end]] end),
    ?assertEqual([true, [], true, no, [], no, no, no, no], Results).

select_replace_test() ->
    T = ets:new(t, [public, ordered_set]),
    ets:insert(T, [{N, 0} || N <- lists:seq(1, 100)]),
    all(10, fun(_) -> ets:select_replace(T, [{{'$1', '$2'}, [], [{{'$1', {'+', '$2', 1}}}]}]) end),
    ?assertEqual([10], lists:usort([V || {_, V} <- ets:tab2list(T)])).

members_test() ->
    T = ets:new(t, [public, bag, {write_concurrency, true}]),
    all(10, fun(N) -> [ets:insert(T, {K, N}) || K <- lists:seq(1, 100)] end),
    [?assertEqual(lists:seq(1, 10), lists:sort([V || {_, V} <- ets:lookup(T, K)])) || K <- lists:seq(1, 100)],
    all(10, fun(N) -> ets:match_delete(T, {'_', N}) end),
    ?assertEqual([], ets:tab2list(T)).
