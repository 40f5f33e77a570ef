%% How long it takes to set and to clear flags of all processes, when there are ten more than at the start, 10,000, and
%% a million (bench/run gives both runtimes a process table of two million). They wait, as nearly all processes of a
%% large system do. The median of five. On viv a process takes the flags up when it next runs: that time is not in here.
-module(b_trace_flags).
-export([group/0, benchmarks/0, wait/0]).

-define(TIMES, 5).

group() -> 'trace flags'.

benchmarks() ->
    [{lists:concat(["trace flags: all ", Verb, ", ", Text]), elapsed, fun() -> figure(Count, Verb) end}
     || {Text, Count} <- [{"10 processes", 10}, {"10,000 processes", 10000}, {"1,000,000 processes", 1000000}],
        Verb <- [on, off]].

%% A population serves for both figures.
figure(Count, Verb) ->
    case persistent_term:get({?MODULE, Count}, none) of
        none ->
            persistent_term:put({?MODULE, Count}, measure(Count)),
            figure(Count, Verb);
        #{Verb := Time} -> Time
    end.

measure(Count) ->
    Waiting = [spawn(?MODULE, wait, []) || _ <- lists:seq(1, Count)],
    Times = [{time(Count, true), time(Count, false)} || _ <- lists:seq(1, ?TIMES)],
    end_all(Waiting),
    {On, Off} = lists:unzip(Times),
    #{on => median(On), off => median(Off)}.

time(Count, How) ->
    Start = erlang:monotonic_time(nanosecond),
    Processes = erlang:trace(all, How, [call, procs]),
    Time = erlang:monotonic_time(nanosecond) - Start,
    true = Processes >= Count,
    Time / 1000.

median(Times) -> lists:nth(?TIMES div 2 + 1, lists:sort(Times)).

end_all(Pids) ->
    Monitors = [erlang:monitor(process, Pid) || Pid <- Pids],
    [exit(Pid, kill) || Pid <- Pids],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || Monitor <- Monitors].

wait() -> receive stop -> ok end.
