%% Datagrams of the driver udp_inet, asked by prim_inet as gen_udp asks: through the loopback interface.
-module(b_udp).
-export([group/0, benchmarks/0]).

group() -> messages.

benchmarks() ->
    [{"udp: 500 echoes of 100 bytes", fun() -> echoed(passive_echo(), 500) end},
     {"udp: 500 echoes to an active socket", fun() -> echoed(active_echo(), 500) end},
     {"udp: 5000 packets sent to nobody", fun() -> alone(5000) end},
     {"udp: 5000 packets of 100 bytes, active", fun() -> one_way(active(true), 100) end},
     {"udp: 5000 packets of 1400 bytes, active", fun() -> one_way(active(true), 1400) end},
     {"udp: 5000 packets, active 100 at a time", fun() -> one_way(active(100), 100) end},
     {"udp: 5000 packets, active once each", fun() -> one_way(active(once), 100) end},
     {"udp: 5000 packets, waited for", fun() -> one_way(waited(), 100) end}].

-define(WINDOW, 50). %% packets under way: none is lost

open() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    ok = prim_inet:setopts(S, [{mode, binary}, {recbuf, 1000000}, {active, false}]),
    {ok, Port} = prim_inet:bind(S, {127, 0, 0, 1}, 0),
    {S, {{127, 0, 0, 1}, Port}}.

with(Server, Client) ->
    {C, ToClient} = open(),
    Self = self(),
    {_, M} = spawn_monitor(fun() ->
                                   {S, To} = open(),
                                   Self ! {server, To},
                                   Server(S, ToClient)
                           end),
    receive {server, To} -> Client(C, To) end,
    ok = send(C, To, <<"end">>),
    receive {'DOWN', M, _, _, Reason} -> normal = Reason end,
    prim_inet:close(C).

echoed(Server, Count) -> with(Server, fun(C, To) -> echoes(C, To, Count) end).
one_way(Server, Size) -> with(Server, fun(C, To) -> packets(C, To, 5000, Size) end).

send(S, To, Data) -> prim_inet:sendto(S, To, [], Data).

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

%% --- echoes --------------------------------------------------------------------------------------------------------

echoes(C, To, N) ->
    Data = binary:copy(<<"a">>, 100),
    times(N, fun() -> ok = send(C, To, Data), {ok, {_, _, Data}} = prim_inet:recvfrom(C, 0) end).

passive_echo() -> fun passive_echo/2.
passive_echo(S, To) ->
    case prim_inet:recvfrom(S, 0) of
        {ok, {_, _, <<"end">>}} -> prim_inet:close(S);
        {ok, {_, _, Data}} -> ok = send(S, To, Data), passive_echo(S, To)
    end.

active_echo() -> fun(S, To) -> ok = prim_inet:setopts(S, [{active, true}]), active_echo(S, To) end.
active_echo(S, To) ->
    receive
        {udp, S, _, _, <<"end">>} -> prim_inet:close(S);
        {udp, S, _, _, Data} -> ok = send(S, To, Data), active_echo(S, To)
    end.

%% --- one way -------------------------------------------------------------------------------------------------------

alone(N) ->
    {S, To} = open(),
    Data = binary:copy(<<"a">>, 100),
    times(N, fun() -> ok = send(S, To, Data) end),
    prim_inet:close(S).

%% After each window the server says that it has it.
packets(C, To, Count, Size) ->
    Data = binary:copy(<<"a">>, Size),
    times(Count div ?WINDOW, fun() ->
                                     times(?WINDOW, fun() -> ok = send(C, To, Data) end),
                                     {ok, {_, _, <<"more">>}} = prim_inet:recvfrom(C, 0)
                             end).

taken(S, To, 0, Take) -> ok = send(S, To, <<"more">>), taken(S, To, ?WINDOW, Take);
taken(S, To, Left, Take) ->
    case Take(S) of
        <<"end">> -> prim_inet:close(S);
        _ -> taken(S, To, Left - 1, Take)
    end.

active(true) -> fun(S, To) -> ok = prim_inet:setopts(S, [{active, true}]), taken(S, To, ?WINDOW, fun next/1) end;
active(once) ->
    fun(S, To) -> taken(S, To, ?WINDOW, fun(_) -> ok = prim_inet:setopts(S, [{active, once}]), next(S) end) end;
active(N) ->
    fun(S, To) -> ok = prim_inet:setopts(S, [{active, N}]), taken(S, To, ?WINDOW, fun(_) -> next(S, N) end) end.

next(S) -> receive {udp, S, _, _, Data} -> Data end.
next(S, N) ->
    receive
        {udp, S, _, _, Data} -> Data;
        {udp_passive, S} -> ok = prim_inet:setopts(S, [{active, N}]), next(S, N)
    end.

waited() ->
    fun(S, To) -> taken(S, To, ?WINDOW, fun(_) -> {ok, {_, _, Data}} = prim_inet:recvfrom(S, 0), Data end) end.
