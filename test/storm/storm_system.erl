%% What concerns the whole runtime: schedulers off line, blocks, figures.
-module(storm_system).
-include("storm.hrl").
-export([actions/0, calms/0]).
-import(storm_any, [chance/1, one_of/1, other/0, pid/0, wait/1, down/1]).

actions() ->
    [{online, fun online/0}, {dirty_online, fun dirty_online/0}, {bind, fun bind/0}, {block, fun block/0},
     {block_and_die, fun block_and_die/0}, {wall_time, fun wall_time/0},
     {statistics, fun statistics/0}, {system_flags, fun system_flags/0},
     {files, fun files/0}, {environment, fun environment/0}, {atoms, fun atoms/0}, {crashes, fun crashes/0}].

online() ->
    N = erlang:system_info(schedulers),
    Old = erlang:system_flag(schedulers_online, rand:uniform(N)),
    true = Old >= 1 andalso Old =< N.

dirty_online() -> erlang:system_flag(dirty_cpu_schedulers_online, 1).

bind() ->
    erlang:system_flag(scheduler_bind_type, one_of([unbound, spread, no_spread, default_bind])),
    N = erlang:system_info(schedulers),
    N = tuple_size(erlang:system_info(scheduler_bindings)).

block() ->
    Kind = one_of([{block, unblock}, {block_normal, unblock_normal}]),
    {Block, Unblock} = Kind,
    erlang:system_flag(multi_scheduling, Block),
    wait(rand:uniform(2) - 1),
    erlang:system_flag(multi_scheduling, Unblock).

block_and_die() ->
    P = spawn_monitor(fun() ->
        erlang:system_flag(multi_scheduling, one_of([block, block_normal])),
        wait(rand:uniform(3))
    end),
    down(P).

wall_time() ->
    erlang:system_flag(scheduler_wall_time, chance(2)),
    erlang:statistics(scheduler_wall_time_all).

statistics() ->
    [erlang:statistics(S) || S <- [context_switches, exact_reductions, garbage_collection, io, reductions, run_queue,
                                   run_queue_lengths_all, total_active_tasks_all, runtime, wall_clock, active_tasks]],
    [erlang:system_info(I) || I <- [process_count, schedulers_online, multi_scheduling, multi_scheduling_blockers,
                                    normal_multi_scheduling_blockers, ets_count, atom_count, alloc_util_allocators]].

system_flags() ->
    erlang:system_flag(fullsweep_after, one_of([0, 100, 65535])),
    erlang:system_flag(backtrace_depth, one_of([8, 20])).

files() ->
    Name = "/tmp/storm_" ++ os:getpid() ++ "_" ++ integer_to_list(rand:uniform(1000000)),
    ok = file:write_file(Name, <<"storm">>, [raw]),
    {ok, <<"storm">>} = prim_file:read_file(Name),
    ok = file:delete(Name, [raw]).

environment() ->
    Name = "STORM_" ++ integer_to_list(rand:uniform(5)),
    os:putenv(Name, integer_to_list(rand:uniform(1000))),
    os:getenv(Name),
    os:unsetenv(Name).

atoms() -> list_to_atom("storm_atom_" ++ integer_to_list(rand:uniform(2000))).

%% Their crash is reported by no logger: exits are no errors.
crashes() ->
    P = spawn_monitor(fun() -> exit({storm, [X || X <- lists:seq(1, 1000)]}) end),
    down(P).

calms() ->
    erlang:system_flag(schedulers_online, erlang:system_info(schedulers)),
    erlang:system_flag(dirty_cpu_schedulers_online, erlang:system_info(dirty_cpu_schedulers)),
    erlang:system_flag(scheduler_bind_type, unbound),
    erlang:system_flag(scheduler_wall_time, false).
