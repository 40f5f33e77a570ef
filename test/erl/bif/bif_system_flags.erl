%% Every item of erlang:system_flag/2 with values of every kind: what it answers, what it answers next, and what
%% system_info then says of it. Numbers of schedulers are told as they stand to each other. Not erts_alloc,
%% scheduling_statistics and debug_flags, which are about the stock runtime's insides, nor how threads are bound, which
%% depends on the machine.
%% Not under asan, tsan, torture, delay, give_away, map: those run on four schedulers, whatever the machine has.
-module(bif_system_flags).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    [show(Item, Value) || Item <- items(), Value <- values(Item)].

items() ->
    [backtrace_depth, cpu_topology, dirty_cpu_schedulers_online, fullsweep_after,
     internal_cpu_topology, max_heap_size, microstate_accounting, min_bin_vheap_size, min_heap_size, multi_scheduling,
     outstanding_system_requests_limit, reset_seq_trace, scheduler_bind_type, scheduler_wall_time, schedulers_online,
     sequential_tracer, system_logger, time_offset, trace_control_word, no_such_item, 1, "text",
     {max_heap_size, 1}, [], self].

%% Heaps that are too large end the stock runtime.
values(Item) when Item =:= min_heap_size; Item =:= min_bin_vheap_size ->
    [V || V <- common(), not is_integer(V) orelse V =< 1 bsl 27 orelse V > (1 bsl 59) - 1];
values(sequential_tracer) -> (common() -- [[]]) ++ own(sequential_tracer); % that ends it as well
values(Item) -> common() ++ own(Item).

common() ->
    [-1, 0, 1, 2, 3, 10, 233, 234, 1000, 1023, 1024, 65535, 65536, 100000, 1 bsl 27, (1 bsl 32) - 1, 1 bsl 32, 1 bsl 58,
     (1 bsl 59) - 1, 1 bsl 59, 1 bsl 64, -(1 bsl 59), -(1 bsl 64), 1.0, true, false, undefined, foo, [], "x", [foo | x], {},
     {a, b}, #{}, <<"x">>, self, make_ref()].

own(max_heap_size) ->
    [#{size => S} || S <- [-1, 0, 1, 232, 233, 234, 10000, 1 bsl 59, 1 bsl 64, foo, 1.0]] ++
    [#{kill => K} || K <- [true, false, foo]] ++ [#{error_logger => E} || E <- [true, false, 1]] ++
    [#{size => 20000, K => V} || K <- [kill, error_logger, include_shared_binaries, other], V <- [true, false, foo]] ++
    [#{size => 0, kill => false, error_logger => false}, #{size => 0, kill => true, error_logger => true}];
own(multi_scheduling) ->
    [block, block, block_normal, unblock, unblock, unblock, unblock_normal, block_normal, block, unblock_normal, unblock];
own(scheduler_bind_type) -> [unbound, ns];
own(system_logger) -> [logger, user, init, {self, 1}, logger];
own(time_offset) -> [finalize, finalize, preliminary, volatile, final];
own(microstate_accounting) -> [true, reset, true, false, reset];
own(scheduler_wall_time) -> [true, true, false, false];
own(sequential_tracer) -> [{erl_tracer, []}, {erl_tracer, self}, {foo, bar}, {1, 2}, {erl_tracer, foo}, false];
own(cpu_topology) ->
    [[{processor, {logical, 0}}], [{node, [{processor, {logical, 0}}]}], [{logical, 0}], {logical, 0}, [{core, {logical, 0}}],
     [{processor, []}], [{processor, {logical, a}}], undefined];
own(_) -> [].

show(Item, Value) ->
    Schedulers = [erlang:system_info(I) || I <- [schedulers, dirty_cpu_schedulers]],
    Old = info(Item),
    Answers = [call(Item, mine(Value)), call(Item, mine(Value))] ++ [info(Item) || Item =/= dirty_cpu_schedulers_online],
    restore(Item, Old),
    io:format("~0p ~0p: ~0p~n", [Item, shown(Value), [shown(plain(Item, A, Schedulers)) || A <- Answers]]).

mine(self) -> self();
mine({K, self}) -> {K, self()};
mine(V) -> V.

call(Item, Value) ->
    try erlang:system_flag(mine(Item), Value)
    catch C:R:S -> {C, R, top(hd(S))}
    end.

top({M, F, A, I}) -> {M, F, case is_list(A) of true -> length(A); false -> A end, proplists:get_value(error_info, I)}.

info(Item) -> try erlang:system_info(Item) catch C:R -> {C, R} end.

shown(P) when P =:= self() -> self;
shown(P) when is_pid(P) -> pid;
shown(R) when is_reference(R) -> reference;
shown({K, P}) when P =:= self() -> {K, self};
shown({processes, L}) when is_list(L) -> processes;
shown(T) -> T.

plain(Item, N, [S, D]) when Item =:= schedulers_online, is_integer(N); Item =:= dirty_cpu_schedulers_online, is_integer(N) ->
    if N =:= 1 -> one; N =:= S; N =:= D -> all; true -> some end;
plain(dirty_cpu_schedulers_online, {error, _, _}, _) -> refused;
plain(Item, _, _) when Item =:= cpu_topology; Item =:= internal_cpu_topology -> topology;
plain(_, T, _) -> T.

restore(Item, Old) when is_integer(Old) -> call(Item, Old);
restore(Item, {Item, Old}) when is_integer(Old) -> call(Item, Old);
restore(max_heap_size, Old) -> call(max_heap_size, Old);
restore(sequential_tracer, _) -> call(sequential_tracer, false);
restore(system_logger, Old) -> call(system_logger, Old);
restore(_, _) -> ok.
