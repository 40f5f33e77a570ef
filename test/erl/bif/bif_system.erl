%% system_info, system_flag and statistics: forms of what they tell, and bad arguments.
-module(bif_system).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({info, I}, fun() -> shape(erlang:system_info(I)) end)
     || I <- [atom_count, build_type, context_reductions, constant_pool_support, cpu_quota, creation,
              delayed_node_table_gc, endian, ets_always_compress, ets_count, ets_limit, ets_realloc_moves, heap_type,
              hipe_architecture, lock_checking, lock_counting, max_heap_size, schedulers_total, sequential_tracer,
              dirty_cpu_schedulers, process_limit, {wordsize, internal}]],
    [t({documented, I}, fun() -> types(erlang:system_info(I)) end) || I <- documented()],
    t(text_items, fun text_items/0),
    t(loaded, fun loaded/0),
    t(procs, fun procs/0),
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
    t(compile_info, fun() -> [{Key, is_list(Value)} || {Key, Value} <- erlang:system_info(compile_info)] end),
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

%% Items of erlang(3) that both have in the same form, whatever they say.
documented() ->
    [atom_count, atom_limit, build_type, compat_rel, cpu_quota, cpu_topology, {cpu_topology, defined},
     {cpu_topology, detected}, {cpu_topology, used}, creation, debug_compiled, delayed_node_table_gc, dirty_cpu_schedulers,
     dirty_cpu_schedulers_online, dirty_io_schedulers, dist, dist_buf_busy_limit, dist_ctrl, driver_version, dynamic_trace,
     dynamic_trace_probes, emu_args, emu_type, end_time, ets_count, ets_limit, fullsweep_after, garbage_collection,
     heap_sizes, heap_type, info, loaded, logical_processors, logical_processors_available, logical_processors_online,
     machine, max_heap_size, message_queue_data, min_bin_vheap_size, min_heap_size, modified_timing_level, multi_scheduling,
     multi_scheduling_blockers, nif_version, normal_multi_scheduling_blockers, os_monotonic_time_source,
     os_system_time_source, otp_release, outstanding_system_requests_limit, port_count, port_limit, port_parallelism,
     process_count, process_limit, procs, scheduler_bind_type, scheduler_id, schedulers, schedulers_online,
     schedulers_total, sequential_tracer, smp_support, start_time, system_architecture, system_version, taints,
     thread_pool_size, threads, time_correction, time_offset, time_warp_mode, tolerant_timeofday, trace_control_word,
     update_cpu_info, version, wordsize, {wordsize, internal}, {wordsize, external}].

types(X) when is_integer(X) -> integer;
types(X) when is_float(X) -> float;
types(X) when is_binary(X) -> binary;
types([]) -> [];
types(L) when is_list(L) ->
    case io_lib:printable_unicode_list(L) of
        true -> string;
        false -> {list, lists:usort([types(E) || E <- L])}
    end;
types(T) when is_tuple(T) -> list_to_tuple([types(E) || E <- tuple_to_list(T)]);
types(X) -> X.

%% The sections that are there in both.
text_items() ->
    Info = string:split(erlang:system_info(info), "\n", all),
    ["=memory" = First | Memory] = [binary_to_list(L) || L <- Info],
    Names = [hd(string:split(L, ":")) || L <- lists:sublist(Memory, 9)],
    Sections = [lists:member(S, Info) || S <- [<<"=index_table:atom_tab">>, <<"=index_table:export_list">>,
                                               <<"=hash_table:process_reg">>, <<"=allocated_areas">>]],
    Atoms = lists:dropwhile(fun(L) -> L =/= <<"=index_table:atom_tab">> end, Info),
    {First, Names, Sections, [L || <<"limit: ", _/binary>> = L <- lists:sublist(Atoms, 4)], erlang:system_info(dist)}.

loaded() ->
    [<<"Current code: ", Current/binary>>, <<"Old code: ", _/binary>> | Lines] =
        string:split(erlang:system_info(loaded), "\n", all),
    Mine = [L || <<"bif_system ", _/binary>> = L <- Lines],
    {binary_to_integer(Current) > 0, [re:run(L, "^bif_system [1-9][0-9]*$", [{capture, none}]) || L <- Mine], lists:last(Lines)}.

procs() ->
    Self = self(),
    P = spawn(fun() ->
                  register(bif_system_p, self()),
                  put(key, "value"),
                  link(Self),
                  monitor(process, Self),
                  process_flag(priority, high),
                  process_flag(message_queue_data, off_heap),
                  Self ! ready,
                  receive stop -> unlink(Self) end
              end),
    receive ready -> ok end,
    until(fun() -> {status, waiting} =:= process_info(P, status) end),
    Section = section_of(P, erlang:system_info(procs)),
    Own = section_of(Self, erlang:system_info(procs)),
    unlink(P),
    P ! stop,
    Name = fun(L) -> re:replace(re:replace(L, "<0\\.[0-9]+\\.0>", "P", [global]), "#Ref<[0-9.]+>", "Ref", [{return, list}]) end,
    Figure = fun(L) -> re:replace(L, ": [0-9]+$", ": N", [{return, list}]) end,
    {Head, ["Stack dump:" | Dump]} = lists:splitwith(fun(L) -> L =/= "Stack dump:" end, Section),
    io:format("~p~n~p~n", [[Figure(Name(L)) || L <- Head], [re:replace(L, "PRQ_PRIO_[A-Z]+", "", [{return, list}]) || "Internal State" ++ _ = L <- Dump]]),
    [L || "State:" ++ _ = L <- Own].

section_of(P, Text) ->
    [Section] = [string:split(S, "\n", all) || S <- tl(string:split(binary_to_list(Text), "=proc:", all)),
                                                string:prefix(S, pid_to_list(P) ++ "\n") =/= nomatch],
    [L || L <- tl(Section), L =/= "", hd(L) =/= $=].

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
