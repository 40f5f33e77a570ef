%% The option `packet` takes any number: where it is none of a kind of packet, what is sent goes as it is, and what comes
%% is refused.
-module(r_tcp_unknown_packet).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}]),
    {ok, Port} = inet:port(L),
    [both(N, L, Port) || N <- [-1, -2, -16#80000000, -16#7ffffff0, 16#7fffffff, 255] ++ lists:seq(0, 20)],
    ok.

both(N, L, Port) ->
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L),
    Set = [set(X, N) || X <- [C, S]],
    Sent = gen_tcp:send(C, <<0, 0, 0, 1, "hello">>),
    Received = gen_tcp:recv(S, 0, 100),
    io:format("~0p~n", [{N, Set, Sent, Received, inet:getopts(C, [packet]), gen_tcp:recv(S, 0, 0)}]),
    [gen_tcp:close(X) || X <- [C, S]].

set(Socket, N) -> erlang:port_control(Socket, 16#03f1a300 + 7, <<23, N:32>>).
