%% Many processes at the same sockets: closed while others wait, owners and waiting processes killed, descriptors'
%% numbers used again. Nobody waits for ever, no message is of another socket, and nothing is left behind.
-module(r_socket_races).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Rounds = 40,
    ok = rounds(Rounds, fun closed_while_waiting/0),
    io:format("closed ~p~n", [Rounds]),
    ok = rounds(Rounds, fun killed_while_waiting/0),
    io:format("killed ~p~n", [Rounds]),
    ok = rounds(10, fun accepts/0),
    io:format("accepted~n"),
    ok = rounds(Rounds, fun used_again/0),
    io:format("used again ~p~n", [Rounds]),
    ok = streams(4, 200000),
    io:format("streams~n"),
    erlang:garbage_collect(),
    settle(6000),
    io:format("left ~p~n", [socket:number_of()]).

rounds(0, _) -> ok;
rounds(N, F) -> ok = F(), rounds(N - 1, F).

settle(0) -> ok;
settle(N) -> case socket:number_of() of 0 -> ok; _ -> timer:sleep(10), settle(N - 1) end.

listener() ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L, 100),
    {ok, A} = socket:sockname(L),
    {L, A}.

bound() ->
    {ok, U} = socket:open(inet, dgram),
    ok = socket:bind(U, loopback),
    {ok, A} = socket:sockname(U),
    {U, A}.

%% All who wait hear that it is closed, or read what came before.
closed_while_waiting() ->
    {U, A} = bound(),
    Readers = [spawn_link(fun() -> exit({read, socket:recv(U)}) end) || _ <- lists:seq(1, 8)],
    [socket:sendto(U, <<"x">>, A) || _ <- lists:seq(1, rand:uniform(4))],
    ok = socket:close(U),
    [receive {'EXIT', P, {read, {ok, <<"x">>}}} -> ok; {'EXIT', P, {read, {error, closed}}} -> ok end || P <- Readers],
    ok.

%% Each datagram is read by one of those who live, whoever is killed, the owner too in the end.
killed_while_waiting() ->
    Me = self(),
    Owner = spawn_link(fun() -> {U, A} = bound(), Me ! {self(), U, A}, receive stop -> ok end end),
    {U, A} = receive {Owner, U0, A0} -> {U0, A0} end,
    Readers = [spawn_link(fun() -> read_all(U) end) || _ <- lists:seq(1, 8)],
    {Killed, Left} = lists:split(4, Readers),
    {ok, V} = socket:open(inet, dgram),
    [begin socket:sendto(V, <<"x">>, A), exit(P, kill) end || P <- Killed],
    [receive {'EXIT', P, killed} -> ok end || P <- Killed],
    exit(Owner, kill),
    receive {'EXIT', Owner, killed} -> ok end,
    [receive {'EXIT', P, closed} -> ok end || P <- Left],
    socket:close(V).

read_all(U) ->
    case socket:recv(U) of
        {ok, <<"x">>} -> read_all(U);
        {error, Reason} -> exit(Reason)
    end.

%% Several accept, some are killed; each connection that is made is served by one of the others.
accepts() ->
    {L, A} = listener(),
    Acceptors = [spawn_link(fun() -> accept_all(L) end) || _ <- lists:seq(1, 8)],
    Clients = [spawn_link(fun() -> client(A, 5) end) || _ <- lists:seq(1, 8)],
    {Killed, Left} = lists:split(4, Acceptors),
    [exit(P, kill) || P <- Killed],
    [receive {'EXIT', P, killed} -> ok end || P <- Killed],
    [receive {'EXIT', P, normal} -> ok end || P <- Clients],
    ok = socket:close(L),
    [receive {'EXIT', P, closed} -> ok end || P <- Left],
    ok.

accept_all(L) ->
    case socket:accept(L) of
        {ok, S} ->
            case socket:recv(S, 5) of
                {ok, Data} -> socket:send(S, Data);
                {error, _} -> ok
            end,
            socket:close(S),
            accept_all(L);
        {error, Reason} ->
            exit(Reason)
    end.

%% An acceptor that was killed may have taken a connection with it.
client(_, 0) -> ok;
client(A, N) ->
    {ok, C} = socket:open(inet, stream),
    case socket:connect(C, A) of
        ok ->
            _ = socket:send(C, <<"12345">>),
            case socket:recv(C, 5) of
                {ok, <<"12345">>} -> ok;
                {error, _} -> ok
            end;
        {error, _} -> ok
    end,
    ok = socket:close(C),
    client(A, N - 1).

%% A number that is free again is another socket's: no message for the old one comes from it.
used_again() ->
    {U, A} = bound(),
    {select, {select_info, recv, Old}} = socket:recv(U, 0, nowait),
    Me = self(),
    Closer = spawn_link(fun() -> ok = socket:close(U), {V, B} = bound(), ok = socket:sendto(V, <<"new">>, B),
                                 Me ! {got, socket:recv(V)}, socket:close(V) end),
    {ok, W} = socket:open(inet, dgram),
    _ = socket:sendto(W, <<"old">>, A),
    receive {got, {ok, <<"new">>}} -> ok end,
    receive {'EXIT', Closer, normal} -> ok end,
    receive
        {'$socket', U, select, Old} -> ok;
        {'$socket', U, abort, {Old, closed}} -> ok
    end,
    receive {'$socket', U, abort, {Old, closed}} -> ok after 0 -> ok end,
    socket:close(W).

%% Both directions of a stream at once, from several processes each.
streams(Count, Bytes) ->
    {L, A} = listener(),
    {ok, C} = socket:open(inet, stream),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    Part = binary:copy(<<"y">>, Bytes),
    Writers = [spawn_link(fun() -> ok = socket:send(X, Part) end) || X <- [C, S], _ <- lists:seq(1, Count)],
    Me = self(),
    Readers = [spawn_link(fun() -> {ok, B} = socket:recv(X, Bytes * Count), Me ! {self(), byte_size(B)} end) || X <- [C, S]],
    [receive {'EXIT', P, normal} -> ok end || P <- Writers],
    [receive {P, N} -> N = Bytes * Count end || P <- Readers],
    [receive {'EXIT', P, normal} -> ok end || P <- Readers],
    [ok = socket:close(X) || X <- [L, C, S]],
    ok.
