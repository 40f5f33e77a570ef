%% Processes and messages.
-module(b_processes).
-export([group/0, benchmarks/0]).

group() -> processes.

benchmarks() ->
    [{"processes: ping-pong", fun() -> ping_pong(60000, ping) end},
     {"processes: ping-pong, 1 KB terms", fun() -> ping_pong(15000, lists:seq(1, 64)) end},
     {"processes: ring of 1000", fun() -> ring(1000, 60) end},
     {"processes: spawn and exit", fun() -> spawn_exit(40000) end},
     {"processes: spawn_monitor", fun() -> spawn_monitored(20000) end},
     {"processes: spawn 5000 at once", fun() -> spawn_many(5000) end},
     {"processes: flood", fun() -> flood(200000) end},
     {"processes: fan-in of 50", fun() -> fan_in(50, 3000) end},
     {"processes: selective receive", fun() -> selective(2500) end},
     {"processes: receive with a reference", fun() -> call_server(40000) end},
     {"processes: timers", fun() -> timers(20000) end},
     {"processes: register and send", fun() -> registered(60000) end},
     {"processes: parallel fib", fun() -> parallel(8, 24) end}].

ping_pong(Count, Message) ->
    Self = self(),
    Other = spawn_link(fun() -> pong(Count, Self) end),
    ping(Count, Other, Message).

ping(0, _, _) -> ok;
ping(N, Other, Message) ->
    Other ! Message,
    receive _ -> ping(N - 1, Other, Message) end.

pong(0, _) -> ok;
pong(N, Other) ->
    receive Message -> Other ! Message, pong(N - 1, Other) end.

ring(Size, Rounds) ->
    Self = self(),
    First = lists:foldl(fun(_, Next) -> spawn_link(fun() -> forward(Next) end) end, Self, lists:seq(1, Size)),
    go_round(Rounds, First),
    First ! stop,
    receive stop -> ok end.

go_round(0, _) -> ok;
go_round(N, First) -> First ! {token, N}, receive {token, N} -> go_round(N - 1, First) end.

forward(Next) ->
    receive
        stop -> Next ! stop;
        Token -> Next ! Token, forward(Next)
    end.

spawn_exit(0) -> ok;
spawn_exit(N) ->
    Self = self(),
    spawn(fun() -> Self ! done end),
    receive done -> spawn_exit(N - 1) end.

spawn_monitored(0) -> ok;
spawn_monitored(N) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit(fine) end),
    receive {'DOWN', Monitor, process, Pid, fine} -> spawn_monitored(N - 1) end.

spawn_many(Count) ->
    Self = self(),
    Pids = [spawn(fun() -> receive go -> Self ! {done, self()} end end) || _ <- lists:seq(1, Count)],
    [Pid ! go || Pid <- Pids],
    [receive {done, Pid} -> ok end || Pid <- lists:reverse(Pids)].

flood(Count) ->
    Self = self(),
    spawn_link(fun() -> send(Count, Self) end),
    drain(Count).

send(0, _) -> ok;
send(N, To) -> To ! {number, N, [N]}, send(N - 1, To).

drain(0) -> ok;
drain(N) -> receive {number, _, _} -> drain(N - 1) end.

fan_in(Senders, Each) ->
    Self = self(),
    [spawn_link(fun() -> send(Each, Self) end) || _ <- lists:seq(1, Senders)],
    drain(Senders * Each).

%% The wanted message comes last each time: every receive scans the whole queue.
selective(Count) ->
    [self() ! {n, N} || N <- lists:seq(1, Count)],
    [receive {n, N} -> ok end || N <- lists:seq(Count, 1, -1)].

call_server(Count) ->
    Server = spawn_link(fun server/0),
    [self() ! {noise, N} || N <- lists:seq(1, 1000)],
    calls(Count, Server),
    Server ! stop.

calls(0, _) -> ok;
calls(N, Server) ->
    Reference = make_ref(),
    Server ! {call, self(), Reference, N},
    receive {Reference, N} -> calls(N - 1, Server) end.

server() ->
    receive
        {call, From, Reference, X} -> From ! {Reference, X}, server();
        stop -> ok
    end.

timers(Count) ->
    References = [erlang:start_timer(100000 + N, self(), N) || N <- lists:seq(1, Count)],
    [erlang:cancel_timer(R) || R <- References],
    [erlang:send_after(0, self(), fired) || _ <- lists:seq(1, Count div 10)],
    [receive fired -> ok end || _ <- lists:seq(1, Count div 10)].

registered(Count) ->
    Self = self(),
    Pid = spawn_link(fun() -> register(b_processes_server, self()), Self ! ready, pong(Count, Self) end),
    receive ready -> ok end,
    by_name(Count),
    unlink(Pid).

by_name(0) -> ok;
by_name(N) -> b_processes_server ! N, receive N -> by_name(N - 1) end.

parallel(Count, N) ->
    Self = self(),
    [spawn_link(fun() -> Self ! {result, fib(N)} end) || _ <- lists:seq(1, Count)],
    [receive {result, _} -> ok end || _ <- lists:seq(1, Count)].

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
