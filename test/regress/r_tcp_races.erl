%% Sockets of tcp_inet are opened, used, given away, closed and orphaned by many processes at once: nothing that was sent
%% arrives otherwise, and afterwards all ports and descriptors are gone.
-module(r_tcp_races).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Before = {length(erlang:ports()), descriptors()},
    [rounds(Clients) || Clients <- [1, 10, 60]],
    io:format("~w~n", [until(fun() -> {length(erlang:ports()), descriptors()} =:= Before end, 3000)]).

descriptors() -> {ok, L} = prim_file:list_dir("/proc/self/fd"), length(L).
until(_, 0) -> {length(erlang:ports()), descriptors()};
until(F, N) -> case F() of true -> ok; false -> timer:sleep(20), until(F, N - 1) end.

rounds(Clients) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:setopts(L, [{mode, binary}]),
    ok = prim_inet:listen(L, 100),
    Servers = [spawn(fun() -> server(L) end) || _ <- lists:seq(1, 4)],
    Cs = [spawn_monitor(fun() -> client(Port, I, 20) end) || I <- lists:seq(1, Clients)],
    Ends = [receive {'DOWN', M, process, P, R} -> R end || {P, M} <- Cs],
    io:format("~w ~w~n", [Clients, lists:usort(Ends)]),
    [exit(P, kill) || P <- Servers],
    prim_inet:close(L),
    receive {'EXIT', L, _} -> ok after 0 -> ok end.

server(L) ->
    case prim_inet:accept(L) of
        {ok, S} ->
            P = spawn(fun() -> receive go -> echo(S, erlang:phash2(S, 3)) end end),
            try port_connect(S, P) of true -> unlink(S), P ! go catch error:_ -> exit(P, kill) end,
            server(L);
        {error, _} -> ok
    end.

echo(S, 0) -> case prim_inet:recv(S, 0, 2000) of {ok, D} -> prim_inet:send(S, D), echo(S, 0); _ -> prim_inet:close(S) end;
echo(S, 1) -> prim_inet:setopts(S, [{active, true}]), echo_active(S);
echo(S, 2) -> prim_inet:setopts(S, [{active, once}]), echo_once(S).

echo_active(S) ->
    receive {tcp, S, D} -> prim_inet:send(S, D), echo_active(S); {tcp_closed, S} -> ok after 2000 -> prim_inet:close(S) end.
echo_once(S) ->
    receive
        {tcp, S, D} -> prim_inet:send(S, D), prim_inet:setopts(S, [{active, once}]), echo_once(S);
        {tcp_closed, S} -> ok
    after 2000 -> prim_inet:close(S)
    end.

client(_, _, 0) -> ok;
client(Port, I, N) ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> use(Port, I, N, Self) end),
    receive {'DOWN', M, process, P, R} when R =:= normal; R =:= killed; R =:= gone -> client(Port, I, N - 1); {'DOWN', M, process, P, R} -> exit(R) end.

use(Port, I, N, Parent) ->
    {ok, S} = prim_inet:open(tcp, inet, stream, [{mode, binary}]),
    case prim_inet:connect(S, {127, 0, 0, 1}, Port, 2000) of
        ok -> act(S, (I * 7 + N * 3) rem 11, Parent);
        {error, _} -> ok
    end.

act(S, 0, _) -> talk(S, 20), prim_inet:close(S);
act(_, 1, _) -> exit(gone);
act(S, 2, _) -> _ = prim_inet:async_recv(S, 0, 100), port_close(S);
act(S, 3, _) -> prim_inet:setopts(S, [{linger, {true, 0}}]), _ = prim_inet:send(S, binary:copy(<<1>>, 100000)), prim_inet:close(S);
act(S, 4, _) -> talk(S, 5), _ = prim_inet:shutdown(S, write), _ = prim_inet:recv(S, 0, 1000), exit(self(), kill);
act(S, 5, _) -> port_command(S, binary:copy(<<1>>, 1000000)), exit(gone);
act(S, 6, _) -> prim_inet:setopts(S, [{active, true}]), prim_inet:send(S, <<"hello">>), receive {tcp, S, _} -> ok; {tcp_closed, S} -> ok end;
act(S, 7, _) -> Killer = spawn(fun() -> receive go -> port_close(S) end end), Killer ! go, _ = prim_inet:recv(S, 0, 500), ok;
act(S, 8, _) ->
    P = spawn(fun() -> receive go -> exit(bye) end end),
    true = port_connect(S, P), unlink(S), P ! go, _ = prim_inet:recv(S, 0, 500), ok;
act(S, 9, _) -> [spawn(fun() -> prim_inet:send(S, <<N:32>>) end) || N <- lists:seq(1, 10)], _ = prim_inet:recv(S, 40, 500), prim_inet:close(S);
act(S, 10, _) -> _ = prim_inet:async_recv(S, 10, 1), _ = prim_inet:async_recv(S, 10, 1), prim_inet:setopts(S, [{active, 3}]), prim_inet:close(S).

talk(_, 0) -> ok;
talk(S, N) ->
    D = <<N:8000>>,
    case prim_inet:send(S, D) of
        ok ->
            case prim_inet:recv(S, 1000, 2000) of
                {ok, D} -> talk(S, N - 1);
                {ok, _} -> exit(other_bytes);
                {error, _} -> ok
            end;
        {error, _} -> ok
    end.
