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
     {session, fun session/0}, {session_dies, fun session_dies/0},
     {limited, fun limited/0}, {sums, fun sums/0}, {exact_limit, fun exact_limit/0}, {exact_sum, fun exact_sum/0},
     {system_tracer, fun system_tracer/0},
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

%% Sessions that limit themselves: they end by their time, their owner, their tracer, or are destroyed.
limited() ->
    knows_limits() andalso begin
        T = tracer(),
        Limits = [{events, one_of([1, 100, 1000000])}, {bytes, one_of([100, 10000, 10000000])},
                  {share, one_of([1, 1000])}, {depth, rand:uniform(5)}, {size, rand:uniform(50)},
                  {time, one_of([1, 10, 1000])}, {owner, one_of([self(), T])}],
        Limit = maps:from_list([L || L <- Limits, chance(2)]),
        S = trace:session_create(storm_limited, T, [{limit, Limit} | [{reload, keep} || chance(2)]]),
        try
            trace:process(S, one_of([pid(), all, new]), true, flags() -- [silent]),
            trace:function(S, function(), specs_of_session(), [one_of([local, global, meta])]),
            traced_calls(),
            trace:info(S, session, one_of([dropped, waiting])),
            trace:info(S, {lists, seq, 2}, dropped),
            chance(3) andalso exit(T, kill),
            chance(3) orelse trace:session_destroy(S)
        catch error:badarg -> ok % it has ended
        end
    end.

%% Sums, read, begun anew and taken away while they are written.
sums() ->
    knows_limits() andalso begin
        S = trace:session_create(storm_sums, self(), [{reload, keep} || chance(2)]),
        F = function(),
        Parts = [one_of([caller, process, name, initial_call, scheduler, function, {expression, '$_'}])
                 || _ <- lists:seq(1, rand:uniform(3))],
        Sum = #{key => Parts, value => one_of([1, time, {expression, {length, '$_'}}]), rows => one_of([1, 20, 1000]),
                histogram => chance(2), only => one_of([all, traced])},
        trace:function(S, one_of([F, on_load]), true, [{sum, one_of([#{}, Sum])}]),
        traced_calls(),
        trace:info(S, one_of([{lists, seq, 2}, {storm_any, other, 0}]), sum),
        chance(2) andalso trace:function(S, F, one_of([pause, restart, false]), [sum]),
        traced_calls(),
        chance(3) orelse trace:session_destroy(S)
    end.

knows_limits() ->
    code:ensure_loaded(trace) =:= {module, trace} andalso has_sessions() andalso
        erlang:function_exported(trace, quantile, 2).

%% What a child calls is told or said to be dropped, or waits to be said, whatever else goes on.
own_work(0) -> ok;
own_work(N) -> own_call(N), own_work(N - 1).
own_call(N) -> N.

exact_limit() ->
    knows_limits() andalso begin
        Self = self(),
        {P, M} = spawn_monitor(fun() -> storm_processes:waits(Self), own_work(200) end),
        Limit = #{events => 10, burst => 5, bytes => 5000},
        {_, Weak} = S = trace:session_create(storm_exact, self(), [{limit, Limit}]),
        1 = trace:function(S, {?MODULE, own_call, 1}, [], [local]),
        try trace:process(S, P, true, [call]) catch error:badarg -> killed end,
        P ! go,
        End = down({P, M}),
        {dropped, Dropped} = trace:info(S, {?MODULE, own_call, 1}, dropped),
        true = trace:session_destroy(S),
        {Told, Dropped} = told_and_dropped(Weak, 0, 0),
        End =:= killed orelse (200 = Told + Dropped)
    end.

told_and_dropped(Weak, Told, Dropped) ->
    receive
        {trace_ended, Weak, destroyed} -> {Told, Dropped};
        {trace_dropped, Weak, _, Counts} -> told_and_dropped(Weak, Told, Dropped + lists:sum(maps:values(Counts)));
        {trace, _, call, {?MODULE, own_call, _}} -> told_and_dropped(Weak, Told + 1, Dropped)
    end.

exact_sum() ->
    knows_limits() andalso begin
        S = trace:session_create(storm_exact_sum, self(), []),
        1 = trace:function(S, {?MODULE, own_call, 1}, [{['$1'], [], []}],
                           [{sum, #{key => [process, {expression, {'rem', '$1', 3}}], value => {expression, '$1'}}}]),
        own_work(300),
        {sum, #{rows := Rows}} = trace:info(S, {?MODULE, own_call, 1}, sum),
        [] = [Bad || {[P, R], #{count := N, sum := Sum}} = Bad <- Rows, P =:= self(),
                     {N, Sum} =/= {100, lists:sum(lists:seq(R, 300 + R - 1, 3)) + (if R =:= 0 -> 300; true -> 0 end)}],
        3 = length([P || {[P, _], _} <- Rows, P =:= self()]),
        trace:session_destroy(S)
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
