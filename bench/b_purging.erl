%% What it takes to purge a small module, with a literal in it, beside many processes that sleep: those that have slept
%% since before it was loaded, and those that have run once since; that of a module that is older than all their runs;
%% and how long a busy process is kept from running meanwhile, with a core to spare (bench/gaps.erl).
-module(b_purging).
-export([group/0, benchmarks/0]).

-define(SLEEPERS, [0, 10000, 100000, 1000000]).
-define(TIMES, 3).

group() -> purging.

%% What Fun() returns counts, in microseconds.
benchmarks() ->
    [{lists:concat(["purging: beside ", N, Text]), elapsed, fun() -> figure(N, Name) end}
     || N <- ?SLEEPERS, {Text, Name} <- [{" who slept", slept}, {" who ran", ran}, {", older code", older},
                                         {", largest gap", gap}, {", gap of nothing", idle}]].

figure(N, Name) ->
    case persistent_term:get({?MODULE, N}, none) of
        none ->
            persistent_term:put({?MODULE, N}, measure(N)),
            figure(N, Name);
        #{Name := Value} -> Value
    end.

measure(N) ->
    load(0),
    {ok, Old, OldCode} = compile:forms(forms(purged_old), []),
    {module, Old} = erlang:load_module(Old, OldCode),
    unload(),
    Pids = sleepers(N),
    _ = lives(1), % what slept before is known from now on
    Slept = lives(?TIMES),
    Ran = median([begin load(I), all_run(Pids), time(fun unload/0) end || I <- lists:seq(1, ?TIMES)]),
    Older = time(fun() -> unload(Old) end),
    Times = max(1, min(300, round(1000000 / Slept))),
    Gap = gaps:watched(1, fun() -> [life(I) || I <- lists:seq(1, Times)] end),
    Idle = gaps:watched(1, fun() -> timer:sleep(maps:get(microseconds, Gap) div 1000) end),
    [exit(Pid, kill) || Pid <- Pids],
    #{slept => Slept, ran => Ran, older => Older, gap => maps:get(largest, Gap), idle => maps:get(largest, Idle)}.

sleepers(N) ->
    Pids = [spawn(fun sleep/0) || _ <- lists:seq(1, N)],
    all_run(Pids),
    Pids.

sleep() -> receive {run, From} -> From ! ran, sleep() end.

all_run(Pids) ->
    [Pid ! {run, self()} || Pid <- Pids],
    [receive ran -> ok end || _ <- Pids].

lives(Times) -> median([time(fun() -> life(I) end) || I <- lists:seq(1, Times)]).

life(I) ->
    load(I),
    unload().

%% Literals go later, and are not to be in the way of the next measurement.
time(Fun) ->
    {Time, _} = timer:tc(Fun),
    timer:sleep(20),
    Time.

median(Times) -> lists:nth((length(Times) + 1) div 2, lists:sort(Times)).

load(I) ->
    Code = case I of
        0 -> {ok, _, C} = compile:forms(forms(purged), []), persistent_term:put(?MODULE, C), C;
        _ -> persistent_term:get(?MODULE)
    end,
    {module, purged} = erlang:load_module(purged, Code).

unload() -> unload(purged).
unload(Module) ->
    true = erlang:delete_module(Module),
    {true, false} = erts_code_purger:purge(Module).

forms(Module) ->
    [{attribute, 1, module, Module}, {attribute, 1, export, [{v, 0}]},
     {function, 1, v, 0, [{clause, 1, [], [], [erl_parse:abstract({a, "literal"})]}]}, {eof, 1}].
