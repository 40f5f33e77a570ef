%% One that an exit signal ends while it waits runs once more, to end: who is told of its slices hears of that.
%% Not under give_away: an end takes several slices.
-module(r_trace_ended_by_signal).
-export([main/0, waits/1, waits_awhile/1, traps/1, linked/1]).

main() ->
    [io:format("~p ~p ~p: ~0p~n", [Flags, Life, Reason, events(Flags, Life, Reason)])
     || Flags <- [[running], [exiting], [running, exiting], [running, exiting, procs], [running_procs, call]],
        Life <- [waits, waits_awhile, traps, linked], Reason <- [kill, shutdown], Life =/= traps orelse Reason =:= kill].

events(Flags, Life, Reason) ->
    Pid = spawn(?MODULE, Life, [self()]),
    wait_until_it_waits(Pid),
    Monitor = monitor(process, Pid),
    1 = erlang:trace(Pid, true, Flags),
    exit(Pid, Reason),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    events_until(Pid, erlang:trace_delivered(all)).

wait_until_it_waits(Pid) ->
    erlang:yield(),
    case process_info(Pid, [status, message_queue_len]) of
        [{status, waiting}, {message_queue_len, _}] -> ok;
        undefined -> ok;
        _ -> wait_until_it_waits(Pid)
    end.

events_until(Pid, Delivered) ->
    receive
        {trace, Pid, Event, What} -> [{Event, of_nobody(What)} | events_until(Pid, Delivered)];
        {trace_delivered, all, Delivered} -> []
    end.

of_nobody(What) when is_pid(What) -> pid;
of_nobody(What) -> What.

waits(_) -> receive go -> ok end.
waits_awhile(_) -> receive go -> ok after 1000000 -> ok end.
traps(_) -> process_flag(trap_exit, true), receive go -> ok end.
linked(_) -> spawn_link(?MODULE, waits, [nobody]), receive go -> ok end.
