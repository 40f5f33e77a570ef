%% With the flag of the system by which it tells how long a packet was, not how much of it there was room for: the bytes
%% that were received are there. (The stock runtime adds what lies behind them.)
-module(r_socket_trunc).
-export([main/0]).

-define(MSG_TRUNC, 16#20).

main() ->
    {ok, A} = socket:open(inet, dgram, udp),
    ok = socket:bind(A, #{family => inet, addr => loopback, port => 0}),
    {ok, Address} = socket:sockname(A),
    {ok, B} = socket:open(inet, dgram, udp),
    [io:format("~0p~n", [{Function, Room, packet(Function, Room, A, B, Address)}]) ||
        Function <- [recv, recvfrom], Room <- [0, 10, 20000, 40000]],
    io:format("~0p~n", [stream()]).

packet(Function, Room, A, B, Address) ->
    ok = socket:sendto(B, binary:copy(<<"x">>, 30000), Address),
    {ok, Received} = socket:Function(A, Room, [?MSG_TRUNC], 20000),
    Bytes = case Received of {_, Data} -> Data; Data -> Data end,
    {byte_size(Bytes) >= min(Room, 30000), binary:part(Bytes, 0, 10)}.

%% They are put nowhere, and are gone.
stream() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Address} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, Address),
    {ok, S} = socket:accept(L),
    ok = socket:send(C, "0123456789"),
    timer:sleep(100),
    {ok, Dropped} = socket:recv(S, 4, [?MSG_TRUNC], 20000),
    {byte_size(Dropped), socket:recv(S, 6, [], 20000)}.
