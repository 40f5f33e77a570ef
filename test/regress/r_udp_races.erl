%% The driver udp_inet while much happens at once: many send to one, who reads in all ways, and sockets are closed, given away
%% and killed while others send and wait. Nothing is lost that had room, and nothing is left behind.
-module(r_udp_races).
-export([main/0]).
-include("../erl/heard.hrl").

-define(SENDERS, 4).
-define(PACKETS, 200).

main() ->
    process_flag(trap_exit, true),
    Before = length(erlang:ports()),
    [io:format("~p ~p~n", [How, all_come(How)]) || How <- [true, once, 7, waited, in_turns]],
    io:format("closed ~p~n", [lists:usort([closed(N) || N <- lists:seq(1, 40)])]),
    io:format("switched ~p~n", [switched()]),
    io:format("given away ~p~n", [given_away()]),
    io:format("left ~p~n", [settled(Before, 3000)]).

%% Ports of processes that were killed go a little later.
settled(Before, 0) -> length(erlang:ports()) - Before;
settled(Before, N) ->
    case length(erlang:ports()) of
        Before -> 0;
        _ -> timer:sleep(20), settled(Before, N - 1)
    end.

open() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    ok = prim_inet:setopts(S, [{mode, binary}, {recbuf, 2000000}, {read_packets, 3}, {active, false}]),
    {ok, Port} = prim_inet:bind(S, {127, 0, 0, 1}, 0),
    {S, {{127, 0, 0, 1}, Port}}.

%% Each waits after a few packets until they have come.
senders(To) ->
    Self = self(),
    [spawn_link(fun() -> {S, _} = open(), sends(S, To, Self, N, 1), prim_inet:close(S) end) || N <- lists:seq(1, ?SENDERS)].
sends(_, _, _, _, X) when X > ?PACKETS -> ok;
sends(S, To, Who, N, X) ->
    ok = prim_inet:sendto(S, To, [], <<N, X:32, 0:800>>),
    X rem 10 =:= 0 andalso begin Who ! {sent, self()}, receive more -> ok end end,
    sends(S, To, Who, N, X + 1).

all_come(How) ->
    {S, To} = open(),
    is_integer(How) andalso prim_inet:setopts(S, [{active, How}]),
    How =:= true andalso prim_inet:setopts(S, [{active, true}]),
    Pids = senders(To),
    Got = take(S, How, ?SENDERS * ?PACKETS, []),
    [receive {'EXIT', P, R} -> normal = R end || P <- Pids],
    prim_inet:close(S),
    [[X || {M, X} <- lists:reverse(Got), M =:= N] =:= lists:seq(1, ?PACKETS) || N <- lists:seq(1, ?SENDERS)].

take(_, _, 0, Got) -> Got;
take(S, How, Left, Got) ->
    <<N, X:32, _/binary>> = next(S, How, Left),
    X rem 10 =:= 0 andalso receive {sent, P} -> P ! more end,
    take(S, How, Left - 1, [{N, X} | Got]).

next(S, waited, _) -> {ok, {_, _, D}} = prim_inet:recvfrom(S, 0), D;
next(S, once, _) -> ok = prim_inet:setopts(S, [{active, once}]), receive {udp, S, _, _, D} -> D end;
next(S, in_turns, Left) when Left rem 2 =:= 0 -> next(S, once, Left);
next(S, in_turns, Left) -> next(S, waited, Left);
next(S, How, Left) ->
    receive
        {udp, S, _, _, D} -> D;
        {udp_passive, S} -> ok = prim_inet:setopts(S, [{active, How}]), next(S, How, Left)
    end.

%% While others send to it and through it, and one waits.
closed(N) ->
    {S, To} = open(),
    {Q, _} = open(),
    Floods = [spawn(fun() -> flood(X, To) end) || X <- [S, Q, Q]],
    Waiter = spawn_monitor(fun() -> exit(element(1, waits(S, 0))) end),
    N rem 3 =:= 0 andalso timer:sleep(1),
    N rem 2 =:= 0 andalso prim_inet:setopts(S, [{active, true}]),
    _ = case N rem 4 of
            0 -> port_close(S);
            1 -> erlang:port_control(S, 2 + 16#03f1a300, []), port_close(S);
            2 -> exit(S, kill);
            3 -> prim_inet:close(S)
        end,
    {Pid, M} = Waiter,
    Result = receive {'DOWN', M, process, Pid, R} -> R after 60000 -> hangs end,
    [exit(P, kill) || P <- Floods],
    port_close(Q),
    flush(),
    Result.
flush() -> receive _ -> flush() after 0 -> ok end.

flood(S, To) ->
    case prim_inet:sendto(S, To, [], <<"abc">>) of
        {error, einval} -> ok;
        _ -> flood(S, To)
    end.

%% Until it is closed.
waits(S, N) ->
    case catch prim_inet:recvfrom(S, 0, 50) of
        {ok, _} -> waits(S, N + 1);
        {error, timeout} -> waits(S, N);
        {error, Reason} when Reason =:= einval; Reason =:= ealready ->
            case erlang:port_info(S, id) of
                undefined -> {ended, Reason};
                _ -> erlang:yield(), waits(S, N)
            end;
        {error, exbadport} -> timer:sleep(1), waits(S, N);
        {error, Reason} -> {ended, Reason};
        {'EXIT', _} -> {ended, badarg}
    end.

%% Modes change while packets come: each is told once, in order.
switched() ->
    {S, To} = open(),
    Self = self(),
    spawn_link(fun() -> {Q, _} = open(), [begin ok = prim_inet:sendto(Q, To, [], <<X:32>>), X rem 50 =:= 0 andalso timer:sleep(1) end || X <- lists:seq(1, 1000)], Self ! sent end),
    [ok = prim_inet:setopts(S, [{active, A}, {read_packets, 1 + N rem 7}]) || N <- lists:seq(1, 100), A <- [true, false, once, 3, false]],
    receive sent -> ok end,
    ok = prim_inet:setopts(S, [{active, true}]),
    Got = heard(1000, 300, fun number/1),
    prim_inet:close(S),
    Got =:= lists:seq(1, 1000).
number(Wait) ->
    receive
        {udp, _, _, _, <<X:32>>} -> [X];
        {udp_passive, _} -> number(Wait);
        {'EXIT', _, normal} -> number(Wait)
    after Wait -> []
    end.

%% From one process to the next, while packets come: each is told to one of them.
given_away() ->
    {S, To} = open(),
    Self = self(),
    Pids = [spawn_link(fun() -> counts(Self, 0) end) || _ <- "abcde"],
    ok = prim_inet:setopts(S, [{active, true}]),
    Sender = spawn_link(fun() -> {Q, _} = open(), [begin ok = prim_inet:sendto(Q, To, [], <<"abc">>), X rem 20 =:= 0 andalso timer:sleep(1) end || X <- lists:seq(1, 500)] end),
    [port_connect(S, P) || _ <- lists:seq(1, 40), P <- Pids],
    receive {'EXIT', Sender, normal} -> ok end,
    timer:sleep(300),
    Here = length(mine()),
    Counts = [begin P ! tell, receive {count, P, N} -> N end end || P <- Pids],
    port_close(S),
    [P ! stop || P <- Pids],
    [receive {'EXIT', P, normal} -> ok end || P <- Pids],
    flush(),
    Here + lists:sum(Counts).
mine() -> receive {udp, _, _, _, _} -> [1 | mine()] after 0 -> [] end.
counts(To, N) ->
    receive
        {udp, _, _, _, <<"abc">>} -> counts(To, N + 1);
        tell -> To ! {count, self(), N}, receive stop -> ok end
    end.
