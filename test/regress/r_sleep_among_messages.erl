%% A receive without clauses (timer:sleep) while messages come in: it waited for ever, without a pause. There is an end to
%% them, as where other programs run a sleeper may get to the processor much less often than who sends.
-module(r_sleep_among_messages).
-export([main/0]).

-define(ROUNDS, 1000000).

main() ->
    Sleepers = [spawn_monitor(fun() -> [timer:sleep(1) || _ <- lists:seq(1, 30)] end) || _ <- [1, 2, 3, 4]],
    Senders = [spawn(fun() -> send(?ROUNDS, [P || {P, _} <- Sleepers]) end) || _ <- [1, 2]],
    Ends = [receive {'DOWN', Ref, _, _, Why} -> Why end || {_, Ref} <- Sleepers],
    [exit(S, kill) || S <- Senders],
    io:format("~p~n", [Ends]),
    {Pid, Ref} = spawn_monitor(fun() -> receive after infinity -> ok end end),
    Sender = spawn(fun() -> send(?ROUNDS, [Pid]) end),
    timer:sleep(50),
    exit(Pid, enough),
    receive {'DOWN', Ref, _, _, Why} -> io:format("~p~n", [Why]) end,
    exit(Sender, kill).

send(0, _) -> ok;
send(N, Pids) ->
    [P ! x || P <- Pids],
    receive after 0 -> send(N - 1, Pids) end.
