%% The number of a descriptor goes from a port to a socket, and to another port, when nobody was waiting for it at its
%% end: nobody takes it away from anybody, and nothing is reported.
-module(r_fd_reused).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}]),
    {ok, Port} = inet:port(L),
    [round_of(L, Port) || _ <- lists:seq(1, 20)],
    ignored(L, Port),
    timer:sleep(100),
    ok.

round_of(L, Port) ->
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, A} = gen_tcp:accept(L),
    ok = gen_tcp:send(A, "hello"),
    {ok, <<"hello">>} = gen_tcp:recv(C, 5),
    {error, timeout} = gen_tcp:recv(C, 1, 1), % waited for, and no more
    gen_tcp:close(A),
    timer:sleep(10),
    {error, closed} = gen_tcp:recv(C, 0), % at once: the descriptor goes, the port stays
    Sockets = [element(2, {ok, _} = gen_udp:open(0, [{inet_backend, socket}, {active, false}])) || _ <- [1, 2, 3]],
    [{error, timeout} = gen_udp:recv(S, 0, 1) || S <- Sockets],
    [ok = gen_udp:close(S) || S <- Sockets],
    {ok, U} = gen_udp:open(0, [{active, false}]),
    {error, timeout} = gen_udp:recv(U, 0, 1),
    ok = gen_udp:close(U),
    gen_tcp:close(C).

%% A port that leaves its descriptor to another.
ignored(L, Port) ->
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, A} = gen_tcp:accept(L),
    {error, timeout} = gen_tcp:recv(C, 0, 1),
    ok = prim_inet:ignorefd(C, true),
    {ok, Fd} = prim_inet:getfd(C),
    {ok, D} = gen_tcp:fdopen(Fd, [binary, {active, false}]),
    ok = gen_tcp:send(A, "to the other"),
    io:format("~p~n", [gen_tcp:recv(D, 0, 20000)]),
    gen_tcp:close(D),
    gen_tcp:close(C),
    io:format("~p~n", [gen_tcp:recv(A, 0, 20000)]).
