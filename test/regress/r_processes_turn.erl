%% processes/0 answered within the slice of who asks. The stock runtime's takes longer than a slice: those who were woken
%% before have their turn meanwhile. At the end of a start that failed, init counts on that: it asks and kills in turn,
%% when it has just answered one who has to say what the error was.
%% Not under torture, give_away, leaks: what one does in a slice is shown.
-module(r_processes_turn).
-export([main/0]).

main() ->
    _ = erlang:system_flag(schedulers_online, 1),
    Turns = counters:new(1, []),
    Pids = [spawn(fun() -> receive go -> counters:add(Turns, 1, 1) end end) || _ <- lists:seq(1, 10)],
    [until_it_waits(P) || P <- Pids],
    _ = erlang:yield(), % a new slice
    [P ! go || P <- Pids],
    Before = counters:get(Turns, 1),
    All = processes(),
    io:format("~p ~p ~p~n", [Before, counters:get(Turns, 1), Pids -- All]).

until_it_waits(P) ->
    case process_info(P, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), until_it_waits(P)
    end.
