%% Connections that do not take more: who waits, what overtakes a large message; and a node that is disconnected is that
%% at once.
-module(c_busy).
-export([main/0]).

-import(cluster, [do/2, call/2, call/4, start/1, start/2, wait/1, connect/1, deep/2]).

main() ->
    B = start(b),
    connect(B),
    Program = call(B, os, getpid, []),
    do("who waits", fun() -> who_waits(B, Program) end),
    do("a large message is overtaken", fun() -> overtaken(B, Program) end),
    do("large reasons", fun() -> large_reasons(B, deep(10, 200)) end),
    do("who ends with a large reason waits", fun() -> large_ends(B, Program) end),
    do("and not for one that is lost", fun() -> large_end_is_lost(B, Program) end),
    do("an end behind what is still sent", fun() -> ends_behind(start(c, #{args => ["+zdbbl", "200000"]})) end),
    ok = call(B, application, set_env, [kernel, dist_auto_connect, never]), % its global would connect as well
    do("disconnected", fun() -> lists:usort([again(B) || _ <- lists:seq(1, deep(100, 3000))]) end).

%% The other node rests meanwhile.
stopped(Program, Fun) ->
    "" = os:cmd("kill -STOP " ++ Program),
    try Fun() after os:cmd("kill -CONT " ++ Program) end.

who_waits(B, Program) ->
    Others = [call(B, erlang, spawn, [timer, sleep, [infinity]]) || _ <- [1, 2]],
    Waiting = stopped(Program, fun() ->
        cluster:fill(B, binary:copy(<<1>>, 100000)),
        Funs = [fun() -> {send, {nobody, B} ! x} end, fun() -> {link, link(hd(Others))} end,
                fun() -> {exit, exit(lists:nth(2, Others), kill)} end,
                fun() -> {send_3, erlang:send({nobody, B}, x, [])} end],
        Pids = [spawn_monitor(fun() -> exit({done, Fun()}) end) || Fun <- Funs],
        [wait(fun() -> process_info(Pid, status) =:= {status, suspended} end) || {Pid, _} <- Pids],
        Pids
    end),
    [receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end || {Pid, Monitor} <- Waiting].

%% Both are sent while nothing is taken; what is small does not wait until all of the large one is gone.
overtaken(B, Program) ->
    Me = self(),
    Receiver = call(B, fun() ->
        spawn(fun() -> Me ! [receive {Size, _} -> Size end || _ <- [1, 2]] end)
    end),
    {Large, Small} = stopped(Program, fun() ->
        {L, _} = spawn_monitor(fun() -> Receiver ! {large, binary:copy(<<2>>, 64 bsl 20)} end),
        wait(fun() -> process_info(L, status) =:= {status, suspended} end),
        {S, _} = spawn_monitor(fun() -> Receiver ! {small, x} end),
        wait(fun() -> not lists:member(process_info(S, status), [{status, runnable}, {status, running}]) end),
        {L, S}
    end),
    Order = receive [_, _] = O -> O end,
    [receive {'DOWN', _, process, Pid, Reason} -> Reason end || Pid <- [Large, Small]] ++ Order.

%% exit/2 waits as a message does, or reasons would pile up.
large_reasons(B, Times) ->
    Victim = call(B, fun() -> spawn(fun() -> process_flag(trap_exit, true), victim(0) end) end),
    Reason = {large, binary:copy(<<3>>, 3 bsl 20)},
    [exit(Victim, Reason) || _ <- lists:seq(1, Times)],
    Victim ! {self(), sum},
    receive Sum -> Sum =:= Times * (3 bsl 20) end.

victim(Sum) ->
    receive
        {'EXIT', _, {large, Binary}} -> victim(Sum + byte_size(Binary));
        {From, sum} -> From ! Sum
    end.

%% It is out when its reason is sent: what small ones tell meanwhile goes by.
large_ends(B, Program) ->
    Me = self(),
    Others = [call(B, fun() -> spawn(fun() -> process_flag(trap_exit, true), Me ! {heard, N, exit_size()} end) end)
              || N <- [1, 2]],
    {Ending, Early} = stopped(Program, fun() ->
        E = ends_with(Others, binary:copy(<<4>>, 64 bsl 20)),
        {E, receive {trace, E, out_exited, 0} -> out after 300 -> waits end}
    end),
    receive {trace, Ending, out_exited, 0} -> ok end,
    [Early | lists:sort([receive {heard, N, Size} -> {N, Size} end || N <- [1, 2]])].

exit_size() -> receive {'EXIT', _, Binary} -> byte_size(Binary) end.

large_end_is_lost(B, Program) ->
    Other = call(B, erlang, spawn, [timer, sleep, [infinity]]),
    Early = stopped(Program, fun() ->
        Ending = ends_with([Other], binary:copy(<<5>>, 64 bsl 20)),
        E = receive {trace, Ending, out_exited, 0} -> out after 300 -> waits end,
        true = erlang:disconnect_node(B),
        receive {trace, Ending, out_exited, 0} -> E end
    end),
    connect(B),
    Early.

%% A process sends much, without waiting for it, and ends: who monitors it then hears of that when all has come.
ends_behind(C) ->
    Orders = [begin
         Me = self(),
         Pid = call(C, fun() ->
             spawn(fun() -> Data = binary:copy(<<6>>, 20 bsl 20), receive go -> Me ! {much, Data} end end)
         end),
         Pid ! go,
         receive after Milliseconds -> ok end,
         Monitor = monitor(process, Pid),
         [receive {much, Data} -> byte_size(Data); {'DOWN', Monitor, _, _, _} -> down end || _ <- [1, 2]]
     end || Milliseconds <- deep([0, 2, 5, 12], [0, 1, 2, 3, 5, 8, 12, 20])],
    lists:usort(Orders).

ends_with(Linked, Reason) ->
    Ending = spawn(fun() -> [link(Pid) || Pid <- Linked], receive go -> exit(Reason) end end),
    wait(fun() -> process_info(Ending, status) =:= {status, waiting} end),
    erlang:trace(Ending, true, [exiting]),
    Ending ! go,
    Ending.

%% A stock node that has not heard yet of the end of the old connection may end the new one with it (once in some
%% thousands).
again(B) ->
    case erlang:disconnect_node(B) of
        true -> {nodes(connected), net_adm:ping(B)};
        false -> connect(B), again(B)
    end.
