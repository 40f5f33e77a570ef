%% What a trace event costs the process that is traced, in nanoseconds: the time of a batch of traced operations less
%% that of the same operations untraced, divided by the operations, the median of many batches. The tracer is a process
%% that takes its messages meanwhile and has taken all before the next batch; how many they were is checked. And what
%% the operations of tracing cost: microseconds for each.
-module(b_tracing).
-export([group/0, benchmarks/0]).
-export([never/1, cleared/1, traced/1]).

-define(BATCH, 1000).
-define(BATCHES, 31).

group() -> tracing.

benchmarks() ->
    [{"tracing: never traced, against itself", ratio, fun() -> ratio(fun again/1, fun() -> ok end) end},
     {"tracing: traced and cleared", ratio, fun() -> ratio(fun cleared_calls/1, fun trace_and_clear/0) end}] ++
    [{"tracing: " ++ Name, nanoseconds, fun() -> cost(Kind) end} || {Name, Kind} <- kinds(), is_there(Kind)] ++
    [{"tracing: one of many events to one tracer", nanoseconds, fun flood/0},
     {"tracing: pattern on and off, one function", fun() -> on_and_off({?MODULE, traced, 1}) end},
     {"tracing: all functions, pattern on", elapsed, fun() -> all_functions(fun({On, _, _}) -> On end) end},
     {"tracing: all functions, pattern off", elapsed, fun() -> all_functions(fun({_, Off, _}) -> Off end) end},
     {"tracing: all functions, how many", count, fun() -> all_functions(fun({_, _, Count}) -> Count end) end}].

%% --- What is measured: pattern, its kind, flags of the process, what runs untraced and traced, events of each ---

kinds() ->
    [{"call to a tracer", calls([], [local], [call], 1)},
     {"call, arity instead of arguments", calls([], [local], [call, arity], 1)},
     {"call with a time stamp", calls([], [local], [call, monotonic_timestamp], 1)},
     {"call and return_trace", calls([{'_', [], [{return_trace}]}], [local], [call], 2)},
     {"call and return_to", calls([], [local], [call, return_to], 2)},
     {"call, {message, {caller}}", calls([{'_', [], [{message, {caller}}]}], [local], [call], 1)},
     {"a head that does not match", calls([{[other], [], []}], [local], [call], 0)},
     {"a guard that says no", calls([{['$1'], [{'>', '$1', 1000000}], []}], [local], [call], 0)},
     {"a body that says no", calls([{'_', [], [{message, false}]}], [local], [call], 0)},
     {"a process without the flag", calls([], [local], [send], 0)},
     {"call_count", calls(true, [call_count], [], 0)},
     {"call_time", calls(true, [call_time], [call], 0)},
     {"call_memory", calls(true, [call_memory], [call], 0)},
     {"meta", calls([], [meta], [], 1)},
     {"meta that says no", calls([{[other], [], []}], [meta], [], 0)},
     {"global call", (calls([], [global], [call], 1))#{base := fun remote_never/1, work := fun remote_traced/1}},
     {"send", events([send], fun send/1, fun flush/1, 1)},
     {"receive", events(['receive'], fun send/1, fun flush/1, 1)},
     {"in and out", (events([running], fun rounds/1, fun nothing/1, 2))#{batch => 100}},
     {"spawn and exit", (events([procs, set_on_spawn], fun spawns/1, fun nothing/1, any))#{batch => 100}},
     {"garbage_collection", (events([garbage_collection], fun collect/1, fun nothing/1, 2))#{batch => 100}}].

calls(Spec, Kinds, Flags, Events) ->
    #{spec => Spec, kinds => Kinds, flags => Flags, events => Events, before => fun nothing/1, 'after' => fun nothing/1,
      base => fun never_calls/1, work => fun traced_calls/1}.

%% Messages to itself: to send them is what counts, or to receive them.
events(['receive'] = Flags, Send, Flush, Events) ->
    #{flags => Flags, events => Events, before => Send, 'after' => fun nothing/1, base => Flush, work => Flush};
events(Flags, Work, After, Events) ->
    #{flags => Flags, events => Events, before => fun nothing/1, 'after' => After, base => Work, work => Work}.

%% A kind of pattern that this runtime does not have is left out.
is_there(#{kinds := Kinds, spec := Spec}) ->
    try erlang:trace_pattern({?MODULE, traced, 1}, Spec, Kinds) of
        1 -> 1 =:= erlang:trace_pattern({?MODULE, traced, 1}, false, Kinds)
    catch error:badarg -> false
    end;
is_there(_) -> true.

cost(Kind) ->
    Tracer = spawn_link(fun() -> take(0) end),
    pattern_on(Kind, Tracer),
    Costs = [batch(Kind, Tracer) || _ <- lists:seq(1, ?BATCHES)],
    pattern_off(Kind),
    unlink(Tracer),
    exit(Tracer, kill),
    max(0.1, lists:nth(?BATCHES div 2 + 1, lists:sort(Costs))).

pattern_on(#{kinds := [meta], spec := Spec}, Tracer) ->
    1 = erlang:trace_pattern({?MODULE, traced, 1}, Spec, [{meta, Tracer}]);
pattern_on(#{kinds := Kinds, spec := Spec}, _) ->
    1 = erlang:trace_pattern({?MODULE, traced, 1}, Spec, Kinds);
pattern_on(_, _) -> ok.

pattern_off(#{kinds := Kinds}) -> 1 = erlang:trace_pattern({?MODULE, traced, 1}, false, Kinds);
pattern_off(_) -> ok.

batch(#{flags := Flags, events := Events, before := Before, 'after' := After, base := Base, work := Work} = Kind,
      Tracer) ->
    N = maps:get(batch, Kind, ?BATCH),
    Before(N),
    Untraced = time(Base, N),
    After(N),
    Flags =/= [] andalso (1 = erlang:trace(self(), true, [{tracer, Tracer} | Flags])),
    Before(N),
    Traced = time(Work, N),
    Flags =/= [] andalso (1 = erlang:trace(self(), false, [all])),
    After(N),
    check(Events, N, taken(Tracer)),
    (Traced - Untraced) / N.

%% The scheduling of a process that waits for others says how many events there are.
check(any, _, Taken) when Taken > 0 -> ok;
check(Events, N, Taken) when Taken >= Events * N, Taken =< Events * N + 20 -> ok;
check(Events, N, Taken) -> throw({events, N, Events, Taken}).

time(Work, N) ->
    Start = erlang:monotonic_time(nanosecond),
    Work(N),
    erlang:monotonic_time(nanosecond) - Start.

%% How many events have come since it was asked the last time.
taken(Tracer) ->
    Ref = erlang:trace_delivered(self()),
    receive {trace_delivered, _, Ref} -> ok end,
    Tracer ! {taken, self()},
    receive {Tracer, Taken} -> Taken end.

take(N) ->
    receive
        {taken, From} -> From ! {self(), N}, take(0);
        _ -> take(N + 1)
    end.

%% --- What runs ---

nothing(_) -> ok.

never(X) -> X.
cleared(X) -> X.
traced(X) -> X.

never_calls(0) -> ok;
never_calls(N) -> never(N), never_calls(N - 1).

again(0) -> ok;
again(N) -> never(N), again(N - 1).

cleared_calls(0) -> ok;
cleared_calls(N) -> cleared(N), cleared_calls(N - 1).

traced_calls(0) -> ok;
traced_calls(N) -> traced(N), traced_calls(N - 1).

remote_never(0) -> ok;
remote_never(N) -> ?MODULE:never(N), remote_never(N - 1).

remote_traced(0) -> ok;
remote_traced(N) -> ?MODULE:traced(N), remote_traced(N - 1).

send(0) -> ok;
send(N) -> self() ! message, send(N - 1).

flush(0) -> ok;
flush(N) -> receive message -> flush(N - 1) end.

collect(0) -> ok;
collect(N) -> garbage_collect(), collect(N - 1).

spawns(0) -> ok;
spawns(N) ->
    {_, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, process, _, normal} -> spawns(N - 1) end.

%% It goes out and comes in again.
rounds(0) -> ok;
rounds(N) -> erlang:yield(), rounds(N - 1).

%% --- Calls of functions that are not traced ---

trace_and_clear() ->
    1 = erlang:trace_pattern({?MODULE, cleared, 1}, true, [local]),
    _ = cleared(1),
    1 = erlang:trace_pattern({?MODULE, cleared, 1}, false, [local]).

%% The time of Calls against that of the same calls of a function that was never traced: the median of many turns.
ratio(Calls, Prepare) ->
    Prepare(),
    Ratios = [time(Calls, 20 * ?BATCH) / time(fun never_calls/1, 20 * ?BATCH) || _ <- lists:seq(1, 10 * ?BATCHES)],
    lists:nth(5 * ?BATCHES, lists:sort(Ratios)).

%% --- Many events ---

%% Several processes call a traced function as fast as they can; the time until their tracer has taken the last event.
flood() ->
    Calls = 50000,
    Count = erlang:system_info(schedulers_online),
    1 = erlang:trace_pattern({?MODULE, traced, 1}, true, [local]),
    Me = self(),
    Tracer = spawn_link(fun() -> take_all(Count * Calls, Me) end),
    Callers = [spawn_link(fun() -> receive go -> traced_calls(Calls) end end) || _ <- lists:seq(1, Count)],
    [1 = erlang:trace(Pid, true, [call, {tracer, Tracer}]) || Pid <- Callers],
    Start = erlang:monotonic_time(nanosecond),
    [Pid ! go || Pid <- Callers],
    receive {Tracer, done} -> ok end,
    Time = erlang:monotonic_time(nanosecond) - Start,
    1 = erlang:trace_pattern({?MODULE, traced, 1}, false, [local]),
    Time / (Count * Calls).

take_all(0, To) -> To ! {self(), done};
take_all(N, To) -> receive {trace, _, call, _} -> take_all(N - 1, To) end.

%% --- Patterns ---

on_and_off(Functions) ->
    1 = erlang:trace_pattern(Functions, true, [local]),
    1 = erlang:trace_pattern(Functions, false, [local]).

%% Every function of every module, with all of stock's stdlib, kernel and compiler loaded. No process is traced.
all_functions(Choose) ->
    [{module, _} = code:ensure_loaded(Module) || Module <- modules()],
    Runs = [begin
                {On, Count} = timer:tc(fun() -> erlang:trace_pattern({'_', '_', '_'}, true, [local]) end),
                {Off, Count} = timer:tc(fun() -> erlang:trace_pattern({'_', '_', '_'}, false, [local]) end),
                Choose({On, Off, Count})
            end || _ <- lists:seq(1, 5)],
    lists:nth(3, lists:sort(Runs)).

modules() ->
    [list_to_atom(filename:basename(File, ".beam"))
     || Application <- [stdlib, kernel, compiler],
        File <- filelib:wildcard(filename:join(code:lib_dir(Application, ebin), "*.beam"))].
