%% Runs the benchmarks of one module and prints a line for each: name, kind, value.
%%
%% A bench module exports group/0, an atom, and benchmarks/0, a list of
%%   {Name, Fun}          the time of Fun() counts; a fixed amount of work
%%   {Name, bytes, Fun}   what Fun() returns counts, in bytes
%%   {Name, elapsed, Fun} the same, in microseconds
%%   {Name, nanoseconds | ratio | count, Fun}   the same
%% A sample is taken in a process of its own, which calls Fun() until 20 ms have passed; the median of five counts. The
%% four before them do not: each scheduler keeps memory of its own, which comes by page faults as it is used first.
-module(bench_main).
-export([main/1]).

-define(SAMPLES, 5).
-define(WARMING, 4).
-define(SAMPLE_NANOSECONDS, 20000000).

main([Name]) ->
    Module = list_to_atom(Name),
    lists:foreach(fun(Benchmark) -> report(Module, Benchmark) end, Module:benchmarks()).

report(Module, {Name, Fun}) ->
    report(Module, Name, microseconds, fun() -> time(Fun) end);
report(Module, {Name, Kind, Fun}) ->
    report(Module, Name, Kind, Fun).

report(Module, Name, Kind, Measure) ->
    Value = try
                [alone(Measure) || _ <- lists:seq(1, warming(Kind))],
                median([alone(Measure) || _ <- lists:seq(1, samples(Kind))])
            catch throw:Reason -> {failed, Reason}
            end,
    io:format("~s\t~s\t~s\t~0p~n", [Module:group(), Name, Kind, Value]).

warming(microseconds) -> ?WARMING;
warming(_) -> 0.

samples(microseconds) -> ?SAMPLES;
samples(_) -> 1.

alone(Measure) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({measured, Measure()}) end),
    receive
        {'DOWN', Monitor, process, Pid, {measured, Value}} -> Value;
        {'DOWN', Monitor, process, Pid, Reason} -> throw(Reason)
    end.

time(Fun) ->
    time(Fun, erlang:monotonic_time(nanosecond), 0).

time(Fun, Start, Runs) ->
    Fun(),
    case erlang:monotonic_time(nanosecond) - Start of
        Elapsed when Elapsed >= ?SAMPLE_NANOSECONDS -> Elapsed / (Runs + 1) / 1000;
        _ -> time(Fun, Start, Runs + 1)
    end.

median(Values) ->
    lists:nth((length(Values) + 1) div 2, lists:sort(Values)).
