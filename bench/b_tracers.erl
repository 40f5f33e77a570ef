%% What a call costs whose tracer is a process, a module in C, or one in Erlang, in nanoseconds: told, and refused by
%% the module. The time of a batch of traced calls less that of untraced ones, divided by the calls: the median of many.
%% What is told in Erlang is taken before the next batch begins.
-module(b_tracers).
-export([group/0, benchmarks/0, enabled/3, trace/5]).
-export([traced/1]).
-on_load(on_load/0).

-define(BATCH, 1000).
-define(BATCHES, 101).

group() -> tracers.

on_load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), ?MODULE_STRING), 0).

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).

benchmarks() ->
    [{"tracers: " ++ Name, nanoseconds, Cost}
     || {Name, Cost} <- [{"a process", fun process/0}, {"C, told", fun() -> cost({?MODULE, told}, fun nothing/0) end},
                         {"C, refused", fun() -> cost({?MODULE, no}, fun nothing/0) end}] ++ in_erlang()].

%% Only this runtime has them.
in_erlang() ->
    case code:ensure_loaded(viv_tracer) of
        {module, viv_tracer} ->
            [{"Erlang, told", fun() -> erlang(told) end}, {"Erlang, refused", fun() -> erlang(no) end}];
        {error, _} -> []
    end.

nothing() -> ok.

process() ->
    Tracer = spawn_link(fun take/0),
    Cost = cost(Tracer, fun() -> Tracer ! {taken, self()}, receive taken -> ok end end),
    unlink(Tracer),
    exit(Tracer, kill),
    Cost.

take() ->
    receive
        {taken, From} -> From ! taken, take();
        _ -> take()
    end.

erlang(State) ->
    Tracer = viv_tracer:start(tracer_in_erlang, State),
    Cost = cost(Tracer, fun() -> true = viv_tracer:sync(Tracer) end),
    true = viv_tracer:stop(Tracer),
    Cost.

cost(Tracer, Taken) ->
    1 = erlang:trace_pattern({?MODULE, traced, 1}, true, [local]),
    Costs = [batch(Tracer, Taken) || _ <- lists:seq(1, ?BATCHES)],
    1 = erlang:trace_pattern({?MODULE, traced, 1}, false, [local]),
    max(0.1, lists:nth(?BATCHES div 2 + 1, lists:sort(Costs))).

batch(Tracer, Taken) ->
    Untraced = time(fun calls/1, ?BATCH),
    1 = erlang:trace(self(), true, [call, tracer_flag(Tracer)]),
    Traced = time(fun traced_calls/1, ?BATCH),
    1 = erlang:trace(self(), false, [call]),
    Taken(),
    (Traced - Untraced) / ?BATCH.

tracer_flag({Module, State}) -> {tracer, Module, State};
tracer_flag(Pid) -> {tracer, Pid}.

time(Work, N) ->
    Start = erlang:monotonic_time(nanosecond),
    Work(N),
    erlang:monotonic_time(nanosecond) - Start.

traced(X) -> X.
untraced(X) -> X.

traced_calls(0) -> ok;
traced_calls(N) -> traced(N rem 8), traced_calls(N - 1).

calls(0) -> ok;
calls(N) -> untraced(N rem 8), calls(N - 1).
