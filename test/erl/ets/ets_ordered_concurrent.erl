%% Ordered sets with write_concurrency: walks in both directions while others write, and all that is counted.
-module(ets_ordered_concurrent).
-export([main/0]).
-include("../t.hrl").

-define(STEADY, 400).

main() ->
    [t({walks, O}, fun() -> walks(O) end) || O <- options()],
    [t({selects, O}, fun() -> selects(O) end) || O <- options()],
    [t({sums, O}, fun() -> sums(O) end) || O <- options()],
    [t({emptied, O}, fun() -> emptied(O) end) || O <- options()],
    [t({whole, O}, fun() -> whole(O) end) || O <- options()],
    [t({stats, O}, fun() -> stats(O) end) || O <- options()],
    [t({counters, O}, fun() -> ets:info(ets:new(t, [ordered_set | O]), decentralized_counters) end)
     || O <- [[] | options()]].

options() ->
    [[{write_concurrency, true}], [{write_concurrency, auto}], [{write_concurrency, true}, {read_concurrency, true}],
     [{write_concurrency, true}, {decentralized_counters, false}]].

%% Keys that are multiples of 4 stay; writers work on the others until told to stop.
with_writers(O, Fun) ->
    T = ets:new(t, [ordered_set, public | O]),
    ets:insert(T, [{4 * I, I} || I <- lists:seq(1, ?STEADY)]),
    Ps = [spawn_monitor(fun() -> write(T, W, W * 7919) end) || W <- [1, 2, 3]],
    Result = try Fun(T) after [exit(P, kill) || {P, _} <- Ps] end,
    [receive {'DOWN', R, _, _, _} -> ok end || {_, R} <- Ps],
    Steady = [K || {K, _} <- ets:tab2list(T), K rem 4 =:= 0],
    {Result, Steady =:= [4 * I || I <- lists:seq(1, ?STEADY)], lists:sort(ets:tab2list(T)) =:= ets:tab2list(T)}.

write(T, W, Random) ->
    Key = 4 * (Random rem ?STEADY) + W,
    ets:insert(T, {Key, w}),
    ets:update_counter(T, 4 * (1 + Random rem ?STEADY), 0),
    ets:delete(T, 4 * ((Random div 7) rem ?STEADY) + W),
    write(T, W, (Random * 1103515245 + 12345) band 16#7fffffff).

walks(O) ->
    with_writers(O, fun(T) ->
        lists:usort([{up(T, ets:first(T), 0), down(T, ets:last(T), 0)} || _ <- lists:seq(1, 5)])
    end).

up(_, '$end_of_table', N) -> N;
up(T, Key, N) ->
    Next = ets:next(T, Key),
    true = Next =:= '$end_of_table' orelse Next > Key,
    up(T, Next, N + steady(Key)).

down(_, '$end_of_table', N) -> N;
down(T, Key, N) ->
    Next = ets:prev(T, Key),
    true = Next =:= '$end_of_table' orelse Next < Key,
    down(T, Next, N + steady(Key)).

steady(Key) when Key rem 4 =:= 0 -> 1;
steady(_) -> 0.

selects(O) ->
    Spec = [{{'$1', '_'}, [{'=:=', {'rem', '$1', 4}, 0}], ['$1']}],
    Count = [{{'$1', '_'}, [{'=:=', {'rem', '$1', 4}, 0}], [true]}],
    All = [4 * I || I <- lists:seq(1, ?STEADY)],
    with_writers(O, fun(T) ->
        lists:usort([{ets:select(T, Spec) =:= All, ets:select_reverse(T, Spec) =:= lists:reverse(All),
                      ets:select_count(T, Count), chunks(ets:select(T, Spec, 7), fun ets:select/1) =:= All,
                      chunks(ets:select_reverse(T, Spec, 7), fun ets:select/1) =:= lists:reverse(All),
                      ets:select_delete(T, [{{'$1', x}, [], [true]}]),
                      ets:select_replace(T, [{{'$1', x}, [], ['$_']}])} || _ <- lists:seq(1, 3)])
    end).

chunks('$end_of_table', _) -> [];
chunks({L, C}, F) -> L ++ chunks(F(C), F).

%% Writers that meet on few keys: nothing is lost.
sums(O) ->
    T = ets:new(t, [ordered_set, public | O]),
    Ps = [spawn_monitor(fun() -> [ets:update_counter(T, I rem 10, 1, {0, 0}) || I <- lists:seq(1, 4000)] end)
          || _ <- lists:seq(1, 8)],
    {lists:usort([receive {'DOWN', R, _, _, Reason} -> Reason end || {_, R} <- Ps]), ets:tab2list(T), ets:info(T, size)}.

emptied(O) ->
    T = ets:new(t, [ordered_set, public | O]),
    Each = fun(F) ->
        Ps = [spawn_monitor(fun() -> [F({I, P}) || I <- lists:seq(1, 800)] end) || P <- lists:seq(1, 6)],
        lists:usort([receive {'DOWN', R, _, _, Reason} -> Reason end || {_, R} <- Ps])
    end,
    A = Each(fun(K) -> ets:insert(T, {K}) end),
    Full = ets:info(T, size),
    B = Each(fun(K) -> ets:delete(T, K) end),
    {A, Full, B, ets:info(T, size), ets:tab2list(T), ets:first(T), ets:last(T)}.

%% Operations on the whole table.
whole(O) ->
    T = ets:new(t, [ordered_set, public | O]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 100)]),
    R = [ets:slot(T, 0), ets:slot(T, 99), ets:slot(T, 100), ets:insert_new(T, [{100, x}, {101, x}]),
         ets:insert_new(T, [{102, x}, {101, x}]), ets:info(T, size), ets:delete_all_objects(T), ets:info(T, size),
         ets:insert(T, [{b}, {a}]), ets:tab2list(T), ets:next(T, aa), ets:prev(T, aa), ets:next(T, b), ets:prev(T, a),
         try ets:slot(T, 3) catch error:badarg -> badarg end],
    {R, ets:delete(T)}.

stats(O) ->
    T = ets:new(t, [ordered_set, public | O]),
    {ets:info(T, stats), ets:info(T, binary)}.
