%% Traces that are switched on and off while what they trace goes on: by patterns, by flags of one process or of all, by
%% the end of a session, of the tracer, of the traced process; of local, global and meta trace, of messages, of times.
%% Several sessions trace the same processes, and their module is replaced all the while.
%%
%% Runners count the calls that they begin and those that are done. A controller reads both around each switch: what was
%% done before a trace was switched on is not told, what began after is told, once and in order; likewise when it is
%% switched off. What is delivered then is all that ever comes. (Which calls may be missing: trace_soaked.)
-module(trace_soak_running).
-export([main/0, main/1, runner/4]).
-include("../deep.hrl").
-define(M, trace_soak_m).
-define(BEGUN, 1).
-define(DONE, 2).
-define(VERSION, 3).
-record(runner, {pid, id, counts, firsts}).

main() -> run(deep(12, 60)).
main([Rounds]) -> run(list_to_integer(Rounds)).

run(Rounds) ->
    Loader = trace_soaked:loader(trace_soaked:load()),
    Figures = trace:session_create(figures, self(), [{reload, keep}]),
    1 = trace:function(Figures, {?M, f, 2}, true, [call_count]),
    Runners = [runner(Id) || Id <- [1, 2, 3]],
    Rounded = [fun(I) -> switched(Kind, How, runner_of(Runners, I), I) end
               || Kind <- [keep, on_load], How <- [[local], [], [meta]]] ++
        [fun(I) -> messages(runner_of(Runners, I)) end,
         fun(I) -> timed(runner_of(Runners, I), I) end,
         fun(I) -> tracer_dies(runner_of(Runners, I), I) end,
         fun(I) -> runner_dies(I) end],
    Controllers = [spawn_monitor(fun() -> lists:sum([Round(I) || I <- lists:seq(1, Rounds)]) > 0 orelse exit(nothing)
                                 end) || Round <- Rounded],
    [receive {'DOWN', M, process, Pid, Reason} -> normal = Reason end || {Pid, M} <- Controllers],
    [ended(R, stop) || R <- Runners],
    _ = trace_soaked:stop(Loader),
    {call_count, Count} = trace:info(Figures, {?M, f, 2}, call_count),
    true = Count >= lists:sum([done(R) - ets:info(R#runner.firsts, size) || R <- Runners]),
    true = trace:session_destroy(Figures),
    until(fun() -> trace:session_info(all) =:= [{legacy, default}] end),
    until(fun() -> trace:session_info({?M, f, 2}) =:= [] end),
    io:format("done~n").

runner_of(Runners, I) -> lists:nth(1 + I rem length(Runners), Runners).

%% --- what is traced --------------------------------------------------------------------------------------------------

%% `firsts` has the numbers of those calls that ran another version than the one before.
runner(Id) ->
    Counts = atomics:new(3, []),
    Firsts = ets:new(firsts, [public]),
    Pid = spawn(?MODULE, runner, [Id, Counts, Firsts, 1]),
    #runner{pid = Pid, id = Id, counts = Counts, firsts = Firsts}.

runner(Id, Counts, Firsts, I) ->
    atomics:put(Counts, ?BEGUN, I),
    {I, Id, Version} = ?M:f(Id, I),
    Version =:= atomics:get(Counts, ?VERSION) orelse ets:insert(Firsts, {I}),
    I rem 10 =:= 0 andalso begin self() ! {tick, I}, receive {tick, I} -> ok end end,
    atomics:put(Counts, ?VERSION, Version),
    atomics:put(Counts, ?DONE, I),
    receive stop -> ok after pause(I) -> runner(Id, Counts, Firsts, I + 1) end.

pause(I) when I rem 300 =:= 0 -> 1;
pause(_) -> 0.

begun(R) -> atomics:get(R#runner.counts, ?BEGUN).
done(R) -> atomics:get(R#runner.counts, ?DONE).

ended(#runner{pid = Pid}, How) ->
    M = monitor(process, Pid),
    case How of stop -> Pid ! stop; _ -> exit(Pid, How) end,
    receive {'DOWN', M, process, Pid, Reason} -> Reason end.

%% What was done before, and what had begun after.
around(R, Fun) ->
    Before = done(R),
    Fun(),
    {Before, begun(R)}.

more(R, N) ->
    Until = begun(R) + N,
    until(fun() -> done(R) >= Until end).

until(Fun) -> Fun() orelse begin erlang:garbage_collect(), receive after 1 -> ok end, until(Fun) end.

%% --- calls, switched on and off --------------------------------------------------------------------------------------

switched(Kind, How, R, I) ->
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(switched, Tracer, [{reload, keep} || Kind =:= keep]),
    {On, Off} = switches(How, I),
    Spec = spec(I),
    switch(case On of pattern -> flags; _ -> pattern end, S, R, Kind, How, Spec),
    Begin = around(R, fun() -> switch(On, S, R, Kind, How, Spec) end),
    more(R, 20),
    End = around(R, fun() -> switch({off, Off}, S, R, Kind, How, Spec) end),
    Told = taken(S, Tracer, R),
    more(R, 20),
    check_calls(R, Told, Begin, End, I rem 2 =:= 1),
    Late = late(Off, Told, I rem 2 =:= 1),
    Late = taken(S, Tracer, R),
    trace:session_destroy(S),
    over(Tracer),
    length(Told).

%% A call that was told tells its end when its pattern has gone meanwhile; not when its session or its flags have.
late(pattern, [_ | _] = Told, true) ->
    case lists:last(Told) of
        {call, I} -> [{return, I}];
        {return, _} -> []
    end;
late(_, _, _) -> [].

spec(I) when I rem 2 =:= 1 -> [{'_', [], [{return_trace}]}];
spec(_) -> true.

switches([meta], I) -> element(1 + I rem 2, {{pattern, pattern}, {pattern, session}});
switches(_, I) ->
    element(1 + I rem 6, {{pattern, pattern}, {flags, flags}, {all_flags, session}, {pattern, all_flags},
                          {flags, session}, {all_flags, pattern}}).

switch(flags, S, R, _, How, _) -> How =:= [meta] orelse (1 = trace:process(S, R#runner.pid, true, [call]));
switch(all_flags, S, _, _, How, _) -> How =:= [meta] orelse (true = trace:process(S, all, true, [call]) > 3);
switch(pattern, S, _, Kind, How, Spec) ->
    [0 = trace:function(S, on_load, Spec, How) || Kind =:= on_load],
    1 = trace:function(S, {?M, f, 2}, Spec, How);
switch({off, flags}, S, R, _, _, _) -> 1 = trace:process(S, R#runner.pid, false, [call]);
switch({off, all_flags}, S, _, _, _, _) -> true = trace:process(S, all, false, [call]) > 3;
switch({off, session}, S, _, _, _, _) -> true = trace:session_destroy(S);
switch({off, pattern}, S, _, Kind, How, _) ->
    [0 = trace:function(S, on_load, false, How) || Kind =:= on_load],
    1 = trace:function(S, {?M, f, 2}, false, How).

%% --- what is told ----------------------------------------------------------------------------------------------------

taken(S, Tracer, R) -> [plain(M) || M <- trace_soaked:taken(S, Tracer, R#runner.pid), is_call_of(R, M)].

is_call_of(#runner{pid = Pid, id = Id}, M) ->
    element(2, M) =:= Pid andalso
        case {element(3, M), element(4, M)} of
            {call, {?M, f, [Id, _]}} -> true;
            {return_from, {?M, f, 2}} -> true;
            _ -> false
        end.

plain(M) when element(3, M) =:= call -> {call, lists:last(element(3, element(4, M)))};
plain(M) -> {return, element(1, element(5, M))}.

%% Told is whole from the first one to the last one, and these are where they must be. Only the last may not return.
check_calls(R, Told, {A0, A1}, {B0, B1}, HasReturns) ->
    Calls = [I || {call, I} <- Told],
    All = [T || I <- Calls, T <- [{call, I} | [{return, I} || HasReturns]]],
    Told =:= All orelse Told ++ [{return, lists:last(Calls)}] =:= All orelse exit({wrong, Told}),
    Calls =:= lists:usort(Calls) orelse exit({twice, Told}),
    Strange = [I || I <- Calls, I =< A0 orelse I > B1],
    Strange =:= [] orelse exit({strange, Strange, A0, B1}),
    Must = lists:seq(lists:min([A1 + 1 | Calls]), lists:max([B0 | Calls])),
    Missing = [I || I <- ordsets:subtract(Must, Calls), not is_overtaken(R, I)],
    Missing =:= [] orelse exit({missing, Missing, Told, {A0, A1}, {B0, B1}}).

%% The version that call I ran was over when it ended. (Of the last one the version is known that would run now.)
is_overtaken(R, I) ->
    ets:member(R#runner.firsts, I + 1) orelse
        I =:= done(R) andalso ?M:version() =/= atomics:get(R#runner.counts, ?VERSION).

over(Tracer) -> unlink(Tracer), exit(Tracer, kill).

%% --- messages, and when it runs --------------------------------------------------------------------------------------

messages(R = #runner{pid = Pid}) ->
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(messages, Tracer, []),
    Flags = [send, 'receive', running, garbage_collection],
    {A0, A1} = around(R, fun() -> 1 = trace:process(S, Pid, true, Flags) end),
    more(R, 50),
    {B0, B1} = around(R, fun() -> 1 = trace:process(S, Pid, false, Flags) end),
    Told = [M || M <- trace_soaked:taken(S, Tracer, Pid), element(2, M) =:= Pid],
    Ticks = [{element(3, M), I} || M <- Told, {tick, I} <- [element(4, M)]],
    All = [{What, I} || I <- lists:seq((A0 + 9) div 10 * 10, B1, 10), What <- [send, 'receive']],
    Must = [{What, I} || I <- lists:seq((A1 + 10) div 10 * 10, B0, 10), What <- [send, 'receive']],
    {Ticks, Must} = {lists:takewhile(fun(T) -> lists:member(T, Ticks) end,
                                     lists:dropwhile(fun(T) -> not lists:member(T, Ticks) end, All)),
                     [T || T <- Must, lists:member(T, Ticks)]},
    alternating([in, out], Told),
    alternating([gc_minor_start, gc_minor_end], Told),
    alternating([gc_major_start, gc_major_end], Told),
    more(R, 20),
    [] = [M || M <- trace_soaked:taken(S, Tracer, Pid), element(2, M) =:= Pid],
    true = trace:session_destroy(S),
    over(Tracer),
    length(Ticks).

alternating(Names, Told) ->
    Events = [E || M <- Told, lists:member(E = element(3, M), Names)],
    [exit({not_alternating, Names, Events}) || {E, E} <- lists:zip(lists:droplast([none | Events]), Events)].

%% --- times -----------------------------------------------------------------------------------------------------------

timed(R = #runner{pid = Pid}, I) ->
    S = trace:session_create(timed, self(), [{reload, keep}]),
    Kind = element(1 + I rem 2, {call_time, call_memory}),
    1 = trace:process(S, Pid, true, [call]),
    {A0, A1} = around(R, fun() -> 1 = trace:function(S, {?M, f, 2}, true, [Kind]) end),
    more(R, 100),
    {B0, B1} = around(R, fun() -> 1 = trace:function(S, {?M, f, 2}, pause, [Kind]) end),
    {Kind, [Figures]} = trace:info(S, {?M, f, 2}, Kind),
    Pid = element(1, Figures),
    Count = element(2, Figures),
    more(R, 20),
    {Kind, [Later]} = trace:info(S, {?M, f, 2}, Kind), % the last call may have been charged more
    Count = element(2, Later),
    Overtaken = length([N || N <- lists:seq(A0 + 1, B1), is_overtaken(R, N)]),
    Count =< B1 - A0 andalso Count >= B0 - A1 - Overtaken orelse exit({counted, Count, {A0, A1}, {B0, B1}, Overtaken}),
    true = trace:session_destroy(S),
    Count.

%% --- ends ------------------------------------------------------------------------------------------------------------

%% The tracer ends in the middle of it: what it got is whole, and the flags that led to it go.
tracer_dies(R = #runner{pid = Pid}, I) ->
    Me = self(),
    Tracer = spawn(fun() -> mortal(Me, 10 + I, I, []) end),
    S = trace:session_create(tracer_dies, Tracer, [{reload, keep}]),
    1 = trace:function(S, {?M, f, 2}, spec(I), [local]),
    Begin = around(R, fun() -> 1 = trace:process(S, Pid, true, [call]) end),
    Told = receive {Tracer, All} -> [plain(M) || M <- All, is_call_of(R, M)] end,
    more(R, 20),
    check_calls(R, Told, Begin, {0, begun(R)}, I rem 2 =:= 1),
    until(fun() -> trace:info(S, Pid, flags) =:= {flags, []} end),
    true = trace:session_destroy(S),
    length(Told).

mortal(From, 0, I, Told) ->
    From ! {self(), lists:reverse(Told)},
    I rem 3 =:= 0 andalso exit(self(), kill);
mortal(From, N, I, Told) -> receive M -> mortal(From, N - 1, I, [M | Told]) end.

%% The traced process ends in the middle of it: its last events are there, then its exit.
runner_dies(I) ->
    R = #runner{pid = Pid} = runner(I),
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(runner_dies, Tracer, [{reload, keep}]),
    1 = trace:function(S, {?M, f, 2}, spec(I), [local]),
    Begin = around(R, fun() -> 1 = trace:process(S, Pid, true, [call, procs]) end),
    more(R, 20),
    How = element(1 + I rem 3, {stop, kill, shutdown}),
    Reason = ended(R, How),
    Told = trace_soaked:taken(S, Tracer, Pid),
    {trace, Pid, exit, Reason} = lists:last(Told),
    1 = length([M || M <- Told, element(3, M) =:= exit]),
    check_calls(R, [plain(M) || M <- Told, is_call_of(R, M)], Begin, {done(R), begun(R)}, I rem 2 =:= 1),
    [] = trace_soaked:taken(S, Tracer, Pid),
    true = trace:session_destroy(S),
    ets:delete(R#runner.firsts),
    over(Tracer),
    length(Told).
