%% processes/0 names the oldest first: who goes through the list and stops at one that is gone has been at all that were
%% there before.
-module(r_processes_order).
-export([main/0]).

main() ->
    All = processes(),
    io:format("~p~n", [{lists:sort(All) =:= All, hd(All) =:= whereis(init)}]),
    Ten = [waiting() || _ <- lists:seq(1, 10)],
    io:format("~p~n", [[P || P <- processes(), lists:member(P, Ten)] =:= Ten]),
    [exit(P, kill) || P <- Ten],
    [false = is_process_alive(P) || P <- Ten],
    Others = [waiting() || _ <- lists:seq(1, 10)],
    io:format("~p~n", [[P || P <- processes(), lists:member(P, Others)] =:= Others]).

waiting() -> spawn(fun() -> receive never -> ok end end).
