%% Tracing: all flags, patterns and kinds of tracers, switched on and off under those who are traced. Who asks whether
%% all has been delivered is answered; what one traces in one's own child is told.
-module(storm_trace).
-include("storm.hrl").
-export([begins/0, actions/0, calms/0, swallow/0]).
-import(storm_any, [chance/1, one_of/1, other/0, pid/0, wait/1, down/1]).

begins() -> ok = storm_tracer:start().

actions() ->
    [{trace, fun trace/0}, {trace_off, fun trace_off/0}, {trace_new, fun trace_new/0}, {pattern, fun pattern/0},
     {pattern_off, fun pattern_off/0}, {meta, fun meta/0}, {figures, fun figures/0}, {traced_calls, fun traced_calls/0},
     {delivered, fun delivered/0}, {own_child, fun own_child/0}, {trace_info, fun trace_info/0},
     {session, fun session/0}, {session_dies, fun session_dies/0}, {system_tracer, fun system_tracer/0},
     {system_monitor, fun system_monitor/0}, {system_profile, fun system_profile/0},
     {event_patterns, fun event_patterns/0}, {tracer_module, fun tracer_module/0}].

%% A tracer that ends with its parent, or before.
tracer() -> spawn(?MODULE, swallow, []).
swallow() -> receive stop -> ok; _ -> swallow() after 2000 -> ok end.

flags() ->
    lists:usort([one_of([send, 'receive', procs, call, silent, return_to, running, exiting, garbage_collection,
                         timestamp, monotonic_timestamp, strict_monotonic_timestamp, cpu_timestamp, arity, set_on_spawn,
                         set_on_first_spawn, set_on_link, set_on_first_link, running_procs])
                 || _ <- lists:seq(1, rand:uniform(5))] -- [cpu_timestamp]).

trace() ->
    T = tracer(),
    erlang:trace(pid(), true, [{tracer, T} | flags()]),
    chance(2) andalso begin wait(1), exit(T, kill) end.

trace_off() ->
    erlang:trace(one_of([all, existing, new, processes, pid()]), false, one_of([[all], flags()])).

trace_new() ->
    T = tracer(),
    erlang:trace(one_of([new, new_processes]), true, [{tracer, T} | flags()]),
    storm_processes:spawns_one(),
    erlang:trace(one_of([new, new_processes]), false, [all]).

specs() ->
    one_of([[], true, [{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}]}], [{'_', [], [{message, {self}}]}],
            [{'$1', [{is_list, '$1'}], [{message, '$1'}, {return_trace}]}], [{'_', [], [{message, {caller}}]}],
            [{'_', [], [{silent, true}]}], [{'_', [], [{silent, false}]}],
            [{['$1'], [{'>', '$1', 3}], [{message, [{caller}]}]}],
            [{'_', [], [{message, {process_dump}}]}], [{'_', [], [{enable_trace, call}]}],
            [{'_', [], [{set_seq_token, label, 1}]}],
            [{'_', [], [{trace, [procs], [call]}]}],
            [{'_', [], [{message, {const, [literal, {of_this, "module"}]}}]}]]).

function() ->
    M = one_of(?MODULES),
    one_of([{M, '_', '_'}, {M, one_of([traced, inner, all, deep]), '_'}, {M, version, 0}, {lists, seq, 2},
            {ets, '_', '_'}, {erlang, send, 2}, {storm_any, '_', '_'}, {erlang, self, 0}]).

pattern() -> erlang:trace_pattern(function(), specs(), one_of([[local], [global]])).
pattern_off() -> erlang:trace_pattern(one_of([function(), {'_', '_', '_'}]), false, [one_of([local, global])]).

meta() ->
    T = tracer(),
    erlang:trace_pattern(function(), specs(), [{meta, T}]),
    traced_calls(),
    chance(2) andalso erlang:trace_pattern({'_', '_', '_'}, false, [meta]),
    chance(2) andalso exit(T, kill).

figures() ->
    F = function(),
    erlang:trace_pattern(F, one_of([true, true, pause, restart, false]), [one_of([call_count, call_time])]),
    erlang:trace_info(one_of([{storm_any, term, 0}, {lists, seq, 2}]), one_of([call_count, call_time, all])).

traced_calls() ->
    M = one_of(?MODULES),
    try
        [begin
             X = I rem 7,
             Expected = case X rem 3 of 0 -> {thrown, X}; _ -> {inner, X} end,
             Expected = M:traced(X)
         end || I <- lists:seq(1, 30)],
        M:deep(20)
    catch error:undef -> ok
    end,
    lists:seq(1, 3).

delivered() ->
    P = one_of([all, pid()]),
    R = erlang:trace_delivered(P),
    receive {trace_delivered, P, R} -> ok end.

%% What a child sends is told in order, as long as nobody else switches its tracing off or takes it over.
own_child() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> storm_processes:waits(Self), [Self ! {own, I} || I <- lists:seq(1, 20)] end),
    1 = try erlang:trace(P, true, [send, {tracer, Self}]) catch error:badarg -> 1 end,
    P ! go,
    down({P, M}),
    R = erlang:trace_delivered(P),
    receive {trace_delivered, P, R} -> ok end,
    Told = told(P),
    Told = lists:usort(Told),
    drop_own(20).

told(P) -> receive {trace, P, send, {own, I}, _} -> [I | told(P)]; {trace, P, _, _, _} -> told(P) after 0 -> [] end.
drop_own(0) -> ok;
drop_own(N) -> receive {own, _} -> drop_own(N - 1) after 0 -> ok end.

trace_info() ->
    erlang:trace_info(one_of([pid(), new, new_processes]), one_of([flags, tracer])),
    {M, F, A} = {one_of(?MODULES), one_of([traced, all]), 1},
    erlang:trace_info({M, F, A}, one_of([all, traced, match_spec, meta, meta_match_spec, call_count])),
    erlang:trace_info(on_load, all).

has_sessions() -> erlang:function_exported(trace, session_create, 3).

session() ->
    (code:ensure_loaded(trace) =:= {module, trace} andalso has_sessions()) andalso begin
        T = tracer(),
        S = trace:session_create(storm, T, []),
        trace:process(S, pid(), true, flags() -- [silent]),
        trace:function(S, function(), specs_of_session(), [one_of([local, global])]),
        chance(2) andalso trace:process(S, new, true, [call, procs]),
        traced_calls(),
        chance(3) andalso trace:process(S, all, true, [call]),
        trace:info(S, pid(), flags),
        chance(3) andalso exit(T, kill),
        chance(3) orelse trace:session_destroy(S)
    end.

specs_of_session() -> case specs() of [{_, _, [{trace, _, _}]}] -> true; Specs -> Specs end.

session_dies() ->
    storm_any:in_child(fun() -> try session() catch error:badarg -> ok end end).

system_tracer() ->
    T = tracer(),
    Before = seq_trace:set_system_tracer(T),
    storm_messages:token(),
    seq_trace:set_system_tracer(false),
    exit(T, kill),
    Before.

system_monitor() ->
    T = tracer(),
    erlang:system_monitor(T, one_of([[busy_port], [{long_gc, 1}], [{large_heap, 10000}], [{long_schedule, 1}]])),
    storm_messages:order(),
    chance(2) andalso erlang:system_monitor(undefined),
    exit(T, kill).

system_profile() ->
    T = tracer(),
    erlang:system_profile(T, one_of([[runnable_procs], [scheduler], [runnable_procs, monotonic_timestamp]])),
    storm_messages:order(),
    chance(2) andalso erlang:system_profile(undefined, []),
    exit(T, kill).

event_patterns() ->
    erlang:trace_pattern(one_of([send, 'receive']),
                         one_of([true, false, [{'_', [], []}], [{['$1', {noise, '_'}], [], [{message, '$1'}]}]]), []),
    storm_messages:noise().

%% A tracer in C that refuses, takes, or asks to be removed, as its state says.
tracer_module() ->
    erlang:trace(pid(), true, [{tracer, storm_tracer, one_of([trace, discard, remove, {trace, [1, 2, 3], "state"}])}
                               | flags()]),
    chance(3) andalso erlang:trace_pattern(function(), true, [{meta, storm_tracer, trace}]),
    traced_calls().

calms() ->
    erlang:trace(all, false, [all]),
    [erlang:trace_pattern({'_', '_', '_'}, false, [Kind]) || Kind <- [local, meta, call_count, call_time]],
    erlang:trace_pattern({'_', '_', '_'}, false, [global]),
    erlang:trace_pattern(send, true, []),
    erlang:trace_pattern('receive', true, []),
    erlang:trace_pattern(on_load, false, [local]),
    seq_trace:set_system_tracer(false),
    erlang:system_monitor(undefined),
    erlang:system_profile(undefined, []),
    R = erlang:trace_delivered(all),
    receive {trace_delivered, all, R} -> ok end.
