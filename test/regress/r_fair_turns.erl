%% Processes of one priority get about the same turns, whichever scheduler's queue they stand in, also where a more
%% urgent one takes all of one scheduler. A third of the average is far from that; before queues were evened
%% out some got thousands of times less.
%% Not under torture, give_away, map: who has how many turns is of no meaning there, or takes longer to show.
-module(r_fair_turns).
-export([main/0]).

main() ->
    process_flag(priority, max),
    Online = erlang:system_flag(schedulers_online, 2),
    [io:format("~p: ~p~n", [Counts, turns(Counts)])
     || Counts <- [[{normal, 3}], [{normal, 40}], [{low, 2}, {normal, 200}], [{low, 200}, {normal, 1}], [{high, 1}, {normal, 50}]]],
    erlang:system_flag(schedulers_online, Online).

%% Looked at until the least has its share of all that was done since the start: a machine may be busy with other
%% things.
turns(Counts) ->
    Workers = [{Priority, [spawn_opt(fun work/0, [{priority, Priority}]) || _ <- lists:seq(1, N)]}
               || {Priority, N} <- Counts],
    Result = [{Priority, is_fair(Pids, done(Pids), 200)} || {Priority, Pids} <- Workers],
    [exit(P, kill) || {_, Pids} <- Workers, P <- Pids],
    Result.

is_fair(_, _, 0) -> false;
is_fair(Pids, Before, Times) ->
    receive after 300 -> ok end,
    Turns = lists:zipwith(fun erlang:'-'/2, done(Pids), Before),
    lists:min(Turns) * 3 * length(Turns) > lists:sum(Turns) orelse is_fair(Pids, Before, Times - 1).

done(Pids) -> [element(2, process_info(P, reductions)) || P <- Pids].

work() ->
    _ = lists:seq(1, 50),
    work().
