%% Connections of the driver tcp_inet, asked by prim_inet as gen_tcp asks: through the loopback interface.
-module(b_tcp).
-export([group/0, benchmarks/0]).

group() -> messages.

benchmarks() ->
    [{"tcp: 500 echoes of 100 bytes", fun() -> connected(1, passive_echo(), fun echoes/1, 500) end},
     {"tcp: 500 echoes to an active socket", fun() -> connected(1, active_echo(), fun echoes/1, 500) end},
     {"tcp: 20 echoes on each of 100 connections", fun() -> connected(100, active_echo(), fun echoes/1, 20) end},
     {"tcp: 200 connections accepted and closed", fun() -> accepted(200) end},
     {"tcp: 32 MB in blocks of 64 KB", fun() -> connected(1, taken(0), fun sent/1, {0, 512, 65536}) end},
     {"tcp: 32 MB, passive, 64 KB at a time", fun() -> connected(1, taken(65536), fun sent/1, {0, 512, 65536}) end},
     {"tcp: 10000 packets of 100 bytes, active", fun() -> connected(1, taken(0), fun sent/1, {4, 10000, 100}) end},
     {"tcp: 2000 lines of 100 bytes, once each", fun() -> connected(1, lines(), fun sent_lines/1, 2000) end}].

%% --- connections ---------------------------------------------------------------------------------------------------

listener() ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(L, [{reuseaddr, true}, {mode, binary}, {packet, 2}, {nodelay, true}, {active, false}]),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 200),
    {L, Port}.

connection(Port) ->
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(C, [{mode, binary}, {packet, 2}, {nodelay, true}, {active, false}]),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    C.

%% Each client works in a process of its own against a server in one of its own.
connected(Count, Server, Client, Work) ->
    {L, Port} = listener(),
    Pairs = [{spawn_monitor(fun() -> serve(L, Server, Work) end),
              spawn_monitor(fun() -> Client({connection(Port), Work}) end)} || _ <- lists:seq(1, Count)],
    [receive {'DOWN', M, _, _, Reason} -> normal = Reason end || {A, B} <- Pairs, {_, M} <- [A, B]],
    ok = prim_inet:close(L).

serve(L, Server, Work) ->
    {ok, S} = prim_inet:accept(L),
    Server(S, Work).

accepted(Count) ->
    {L, Port} = listener(),
    {_, M} = spawn_monitor(fun() -> times(Count, fun() -> prim_inet:close(connection(Port)) end) end),
    times(Count, fun() ->
                         {ok, S} = prim_inet:accept(L),
                         {error, closed} = prim_inet:recv(S, 0),
                         prim_inet:close(S)
                 end),
    receive {'DOWN', M, _, _, Reason} -> normal = Reason end,
    ok = prim_inet:close(L).

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

%% --- echoes --------------------------------------------------------------------------------------------------------

echoes({C, N}) ->
    Data = binary:copy(<<"a">>, 100),
    times(N, fun() -> ok = prim_inet:send(C, Data), {ok, Data} = prim_inet:recv(C, 0) end),
    prim_inet:close(C).

passive_echo() -> fun(S, _) -> passive_echo(S) end.
passive_echo(S) ->
    case prim_inet:recv(S, 0) of
        {ok, Data} -> ok = prim_inet:send(S, Data), passive_echo(S);
        {error, closed} -> prim_inet:close(S)
    end.

active_echo() -> fun(S, _) -> ok = prim_inet:setopts(S, [{active, true}]), active_echo(S) end.
active_echo(S) ->
    receive
        {tcp, S, Data} -> ok = prim_inet:send(S, Data), active_echo(S);
        {tcp_closed, S} -> ok
    end.

%% --- one way -------------------------------------------------------------------------------------------------------

sent({C, {Packet, Count, Size}}) ->
    ok = prim_inet:setopts(C, [{packet, Packet}]),
    Data = binary:copy(<<"a">>, Size),
    times(Count, fun() -> ok = prim_inet:send(C, Data) end),
    {ok, <<"done">>} = prim_inet:recv(C, 4 * (1 - min(Packet, 1))),
    prim_inet:close(C).

%% Active, or so many bytes at a time.
taken(AtOnce) ->
    fun(S, {Packet, Count, Size}) ->
            ok = prim_inet:setopts(S, [{packet, Packet}, {active, AtOnce =:= 0}]),
            taken(S, AtOnce, Count * Size),
            ok = prim_inet:send(S, <<"done">>)
    end.

taken(_, _, 0) -> ok;
taken(S, 0, Left) -> receive {tcp, S, Data} -> taken(S, 0, Left - byte_size(Data)) end;
taken(S, AtOnce, Left) ->
    {ok, Data} = prim_inet:recv(S, AtOnce),
    taken(S, AtOnce, Left - byte_size(Data)).

sent_lines({C, Count}) ->
    ok = prim_inet:setopts(C, [{packet, 0}]),
    Line = [binary:copy(<<"a">>, 99), $\n],
    times(Count div 10, fun() -> ok = prim_inet:send(C, lists:duplicate(10, Line)) end),
    {ok, <<"done">>} = prim_inet:recv(C, 4),
    prim_inet:close(C).

lines() ->
    fun(S, Count) ->
            ok = prim_inet:setopts(S, [{packet, line}]),
            times(Count, fun() ->
                                 ok = prim_inet:setopts(S, [{active, once}]),
                                 receive {tcp, S, _} -> ok end
                         end),
            ok = prim_inet:send(S, <<"done">>)
    end.
