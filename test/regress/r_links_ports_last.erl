%% Who ends tells the processes that it is linked to before the ports: so who is linked to it, and to a port that ends with
%% it, hears of the process first. Ports were told as they came in the table of links, and one that a scheduler ran
%% meanwhile, as the end took more than a slice, was heard of first.
-module(r_links_ports_last).
-export([main/0]).

-define(PORTS, 20).

main() ->
    [io:format("~p: ~p~n", [Others, lists:usort([first_heard_of(Others) || _ <- lists:seq(1, 5)])])
     || Others <- [0, 100, 20000]].

first_heard_of(N) ->
    {_, Monitor} = spawn_monitor(fun() -> exit(heard(N)) end),
    receive {'DOWN', Monitor, process, _, Heard} -> Heard end.

heard(N) ->
    process_flag(trap_exit, true),
    Others = [spawn(fun() -> process_flag(trap_exit, true), receive stop -> ok end end) || _ <- lists:seq(1, N)],
    Ports = [open_port({spawn, "cat"}, [binary]) || _ <- lists:seq(1, ?PORTS)],
    Pid = spawn_link(fun() -> lists:foreach(fun link/1, Others ++ Ports), exit(bad) end),
    Heard = [receive {'EXIT', Who, bad} -> Who end || _ <- [Pid | Ports]],
    [Other ! stop || Other <- Others],
    {hd(Heard) =:= Pid, lists:sort(tl(Heard)) =:= lists:sort(Ports)}.
