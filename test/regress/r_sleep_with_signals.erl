%% A receive without patterns, while a signal is on its way: the process must sleep, and wake when its time is over.
-module(r_sleep_with_signals).
-export([main/0]).

main() ->
    self() ! early,
    receive after 1 -> ok end,
    io:format("slept~n"),
    receive M -> io:format("~p~n", [M]) end,
    Ref = make_ref(),
    erlang:send_after(0, self(), Ref),
    [begin self() ! I, timer:sleep(0), timer:sleep(1) end || I <- lists:seq(1, 20)],
    io:format("~p~n", [[receive I -> I end || I <- lists:seq(1, 20)]]),
    receive Ref -> io:format("timer~n") end,
    {Pid, Monitor} = spawn_monitor(fun() -> self() ! x, receive after infinity -> ok end end),
    exit(Pid, stop),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("~p~n", [Reason]) end,
    {Pid2, Monitor2} = spawn_monitor(fun() -> self() ! x, exit(self(), now), receive after infinity -> ok end end),
    receive {'DOWN', Monitor2, process, Pid2, Reason2} -> io:format("~p~n", [Reason2]) end.
