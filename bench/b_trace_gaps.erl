%% How long busy processes are kept from running while traces are switched and traced modules are replaced, as
%% bench/gaps.erl measures it: 1,000 times each, or as often as there is time for. Two figures for each: with a busy
%% process on every core, where some share theirs with the process that does the tracing and wait for its time slices;
%% and with one fewer, where each may have a core to itself, and nothing but the runtime can stop it. The same gaps with
%% a process in the place of the tracing one that only computes, or only sleeps, are what to compare with.
-module(b_trace_gaps).
-export([group/0, benchmarks/0]).
-export([spin/1, wait/0, calls/1, hot/1]).

-define(TIMES, 1000).
-define(MILLISECONDS, 8000). % for each scenario at most, and two at least
-define(PROCESSES, 10000).

group() -> 'trace gaps'.

benchmarks() ->
    [{lists:concat(["trace gaps: ", Text, Part]), elapsed, fun() -> figure(Scenario, Key) end}
     || {Text, Scenario} <- [{"nothing", nothing}, {"a busy one more", busy}, {"pattern of one function", pattern},
                             {"patterns of all functions", all_functions}, {"traced modules replaced", replace},
                             {"trace(all), 10,000", trace_all}, {"call_time is read", read_time}],
        {Part, Key} <- [{"", every}, {", spare core", spare}, {": each", each}], Key =/= each orelse is_done(Scenario)].

is_done(Scenario) -> Scenario =/= nothing andalso Scenario =/= busy.

figure(Scenario, Key) ->
    case persistent_term:get({?MODULE, Scenario}, none) of
        none ->
            persistent_term:put({?MODULE, Scenario}, measure(Scenario)),
            figure(Scenario, Key);
        #{Key := Value} -> Value
    end.

measure(Scenario) ->
    Schedulers = erlang:system_info(schedulers_online),
    {Once, End} = prepared(Scenario),
    Every = gaps:watched(Schedulers, fun() -> repeated(Once) end),
    Spare = gaps:watched(max(1, Schedulers - 1), fun() -> repeated(Once) end),
    End(),
    #{every => maps:get(largest, Every), spare => maps:get(largest, Spare),
      each => maps:get(microseconds, Every) / maps:get(result, Every)}.

%% How often it was done.
repeated(Once) -> repeated(Once, erlang:monotonic_time(millisecond) + ?MILLISECONDS, 0).

repeated(Once, Until, N) ->
    case N =:= ?TIMES orelse (N > 1 andalso erlang:monotonic_time(millisecond) >= Until) of
        true -> N;
        false ->
            Once(N),
            repeated(Once, Until, N + 1)
    end.

%% {What is done again and again, what is done at the end}
prepared(nothing) ->
    {fun(_) -> timer:sleep(4) end, fun() -> ok end};
prepared(busy) ->
    {fun(_) -> spin(100000) end, fun() -> ok end};
prepared(pattern) ->
    {Tracer, Caller} = traced_caller(),
    {fun(_) ->
             1 = erlang:trace_pattern({?MODULE, hot, 1}, [{'_', [], [{message, false}]}], [local]),
             1 = erlang:trace_pattern({?MODULE, hot, 1}, false, [local])
     end, fun() -> end_all([Tracer, Caller]) end};
prepared(all_functions) ->
    {fun(_) ->
             Count = erlang:trace_pattern({'_', '_', '_'}, true, [local]),
             Count = erlang:trace_pattern({'_', '_', '_'}, false, [local])
     end, fun() -> ok end};
prepared(replace) ->
    Codes = list_to_tuple([code(Version) || Version <- lists:seq(1, 20)]),
    load(element(1, Codes)),
    {fun(N) ->
             true = erlang:trace_pattern({traced_module, '_', '_'}, true, [local]) > 0,
             load(element(N rem tuple_size(Codes) + 1, Codes))
     end, fun() -> _ = code:purge(traced_module), true = code:delete(traced_module), code:purge(traced_module) end};
prepared(read_time) ->
    {Tracer, Caller} = traced_caller(),
    1 = erlang:trace_pattern({?MODULE, hot, 1}, true, [call_time]),
    {fun(_) -> {call_time, _} = erlang:trace_info({?MODULE, hot, 1}, call_time) end,
     fun() ->
             1 = erlang:trace_pattern({?MODULE, hot, 1}, false, [call_time]),
             end_all([Tracer, Caller])
     end};
prepared(trace_all) ->
    Waiting = [spawn(?MODULE, wait, []) || _ <- lists:seq(1, ?PROCESSES)],
    {fun(_) ->
             true = erlang:trace(all, true, [call]) >= ?PROCESSES,
             true = erlang:trace(all, false, [call]) >= ?PROCESSES
     end, fun() -> end_all(Waiting) end}.

end_all(Pids) ->
    Monitors = [erlang:monitor(process, Pid) || Pid <- Pids],
    [exit(Pid, kill) || Pid <- Pids],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- Monitors].

%% --- What is traced ---

%% A process that calls hot/1 now and then, so that the breakpoint is met while it is switched.
traced_caller() ->
    Tracer = spawn(?MODULE, wait, []),
    Caller = spawn(?MODULE, calls, [0]),
    1 = erlang:trace(Caller, true, [call, {tracer, Tracer}]),
    {Tracer, Caller}.

calls(N) ->
    ?MODULE:hot(N),
    receive stop -> ok after 1 -> calls(N + 1) end.

hot(N) -> N.

wait() -> receive stop -> ok end.

spin(0) -> ok;
spin(N) -> spin(N - 1).

%% A module of 200 functions. It is traced when it is replaced, and old code is purged.
code(Version) ->
    Names = [list_to_atom("f" ++ integer_to_list(I)) || I <- lists:seq(1, 200)],
    {ok, _, Code} = compile:forms(
        [{attribute, 1, module, traced_module}, {attribute, 1, export, [{Name, 1} || Name <- Names]}] ++
        [{function, 1, Name, 1, [{clause, 1, [{var, 1, 'X'}], [],
                                  [{tuple, 1, [{integer, 1, Version}, {var, 1, 'X'}]}]}]} || Name <- Names] ++
        [{eof, 1}], []),
    Code.

load(Code) ->
    _ = code:purge(traced_module),
    ok = erlang:finish_loading([erlang:prepare_loading(traced_module, Code)]).
