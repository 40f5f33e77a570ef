%% system_info, system_flag and statistics: forms of what they tell, and bad arguments.
-module(bif_system).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({info, I}, fun() -> shape(erlang:system_info(I)) end)
     || I <- [atom_count, build_type, context_reductions, constant_pool_support, cpu_quota, creation,
              delayed_node_table_gc, ets_always_compress, ets_count, ets_limit, ets_realloc_moves, heap_type,
              hipe_architecture, lock_checking, lock_counting, max_heap_size, schedulers_total, sequential_tracer,
              dirty_cpu_schedulers, process_limit, {wordsize, internal}]],
    [t({bad_info, I}, fun() -> failing(fun() -> erlang:system_info(I) end) end)
     || I <- [foo, 1, "x", {a, b}, {a, b, c}, [], {wordsize, x}, {allocator, foo}, {allocator_sizes, foo}, {cpu_topology, x}]],
    t(allocator, fun() -> {A, V, F, S} = erlang:system_info(allocator), {is_atom(A), is_list(V), is_list(F), is_list(S)} end),
    t(allocators, fun() -> [{ets_alloc, _}, {temp_alloc, _}] = erlang:system_info({allocator, [ets_alloc, temp_alloc]}), ok end),
    t(allocated_areas, fun() ->
        L = erlang:system_info(allocated_areas),
        {atom_space, Total, Used} = lists:keyfind(atom_space, 1, L),
        {Total >= Used, Used > 1000, lists:all(fun(T) -> is_integer(element(2, T)) end, L)}
    end),
    [t({bad_statistics, I}, fun() -> failing(fun() -> erlang:statistics(I) end) end) || I <- [foo, 1, "x", {a, b}, [], run_queue_x]],
    t(garbage_collection, fun() ->
        {A, B, 0} = statistics(garbage_collection),
        _ = [erlang:garbage_collect() || _ <- lists:seq(1, 10)],
        {C, D, 0} = statistics(garbage_collection),
        {C - A >= 10, D >= B}
    end),
    t(run_queues, fun() ->
        L = tuple_to_list(statistics(run_queues)),
        {length(L) - length(statistics(run_queue_lengths_all)), lists:all(fun is_integer/1, L)}
    end),
    t(wall_time, fun wall_time/0),
    t(wall_time_users, fun wall_time_users/0),
    t(microstates, fun microstates/0),
    [t({bad_flag, F, V}, fun() -> failing(fun() -> erlang:system_flag(F, V) end) end)
     || F <- [backtrace_depth, fullsweep_after, max_heap_size, microstate_accounting, min_bin_vheap_size, min_heap_size,
              scheduler_wall_time, schedulers_online, sequential_tracer, time_offset, foo, 1],
        V <- [foo, -1, "x", 1.5, undefined]],
    t(max_heap_size, fun() ->
        Old = erlang:system_flag(max_heap_size, 100000),
        [maps:get(size, Old), erlang:system_flag(max_heap_size, #{size => 0}), erlang:system_info(max_heap_size),
         failing(fun() -> erlang:system_flag(max_heap_size, #{size => -1}) end),
         failing(fun() -> erlang:system_flag(max_heap_size, #{kill => 1}) end)]
    end).

failing(F) ->
    try {ok, F()}
    catch C:R:S ->
        [{M, N, _, Info} | _] = S,
        {C, R, M, N, proplists:get_value(error_info, Info)}
    end.

shape(X) when is_integer(X) -> integer;
shape(T) when is_tuple(T) -> list_to_tuple([shape(E) || E <- tuple_to_list(T)]);
shape(X) -> X.

%% {Scheduler, Active, Total}: one for each thread; active is never more than total, and neither goes back.
wall_time() ->
    Off = statistics(scheduler_wall_time),
    Old = erlang:system_flag(scheduler_wall_time, true),
    A = statistics(scheduler_wall_time_all),
    burn(200000),
    B = statistics(scheduler_wall_time_all),
    Normal = erlang:system_info(schedulers) + erlang:system_info(dirty_cpu_schedulers),
    Same = length(A) - Normal - erlang:system_info(dirty_io_schedulers),
    Good = lists:all(fun({{I, A1, T1}, {I, A2, T2}}) -> A1 =< T1 andalso A2 =< T2 andalso A1 =< A2 andalso T1 < T2 end,
                     lists:zip(lists:sort(A), lists:sort(B))),
    Count = length(statistics(scheduler_wall_time)) - Normal,
    Active = fun(L) -> lists:sum([X || {_, X, _} <- L]) end,
    [Off, Old, Same, Good, Count, Active(B) > Active(A), [I || {I, _, _} <- lists:sort(A)] =:= lists:seq(1, length(A)),
     erlang:system_flag(scheduler_wall_time, false), statistics(scheduler_wall_time)].

burn(0) -> ok;
burn(N) -> burn(N - 1).

%% It is on as long as somebody wants it.
wall_time_users() ->
    Flag = fun(V) -> erlang:system_flag(scheduler_wall_time, V) end,
    A = [Flag(true), Flag(true), Flag(false), is_list(statistics(scheduler_wall_time)), Flag(false),
         statistics(scheduler_wall_time), Flag(false)],
    {P, R} = spawn_monitor(fun() -> Flag(true), receive stop -> ok end end),
    until(fun() -> is_list(statistics(scheduler_wall_time)) end),
    B = [Flag(true), Flag(false), is_list(statistics(scheduler_wall_time))],
    P ! stop,
    receive {'DOWN', R, _, _, _} -> ok end,
    until(fun() -> statistics(scheduler_wall_time) =:= undefined end),
    {A, B, Flag(false)}.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

microstates() ->
    Before = total(statistics(microstate_accounting)),
    Old = erlang:system_flag(microstate_accounting, true),
    burn(500000),
    erlang:garbage_collect(),
    L = statistics(microstate_accounting),
    Again = erlang:system_flag(microstate_accounting, false),
    Still = [total(statistics(microstate_accounting)) =:= total(statistics(microstate_accounting))],
    Reset = erlang:system_flag(microstate_accounting, reset),
    Zero = total(statistics(microstate_accounting)),
    Schedulers = [M || #{type := scheduler} = M <- L],
    [Before, Old, Again, Still, Reset, Zero, length(Schedulers) - erlang:system_info(schedulers),
     lists:sum([E || #{counters := #{emulator := E}} <- Schedulers]) > 0,
     [maps:keys(M) || M <- tl(Schedulers)] =:= [[counters, id, type] || _ <- tl(Schedulers)],
     lists:usort([maps:keys(C) || #{counters := C} <- Schedulers])].

total(L) -> lists:sum([lists:sum(maps:values(C)) || #{counters := C} <- L]).
