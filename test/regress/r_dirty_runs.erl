%% A dirty thread is a scheduler to who traces when a process runs: each dirty call is an `in` and an `out`.
%% Not under torture, give_away: it counts slices, of an end too.
-module(r_dirty_runs).
-export([main/0]).

main() ->
    {done, ok} = calls(dirty_io), % all that it takes is loaded
    [told(Kind, Flags) || Kind <- [dirty_io, dirty_cpu], Flags <- [[running], [running_procs], [running, exiting]]],
    ok.

told(Kind, Flags) ->
    {Pid, Monitor} = spawn_monitor(fun() -> worker(Kind) end),
    wait_until_waiting(Pid),
    1 = erlang:trace(Pid, true, Flags),
    Pid ! go,
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("~p ~p ~p~n", [Kind, Flags, Reason]) end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    io:format("~p~n", [events(Pid)]).

worker(Kind) ->
    receive go -> ok end,
    exit(calls(Kind)).

calls(Kind) ->
    ok = erts_debug:Kind(wait, 2),
    ok = erts_debug:Kind(wait, 0),
    {done, erts_debug:Kind(wait, 1)}.

events(Pid) -> receive {trace, Pid, What, _} -> [What | events(Pid)] after 0 -> [] end.

wait_until_waiting(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), wait_until_waiting(Pid)
    end.
