%% What fails fails for all who wait for it; a datagram is whole even where it fills its buffer; what is read in several
%% buffers is nobody else's meanwhile.
-module(r_socket_failing).
-export([main/0]).

main() ->
    {ok, U} = socket:open(inet, dgram),
    ok = socket:connect(U, #{family => inet, addr => loopback, port => 9}),
    Readers = [waiting(U, num_readers, N, fun() -> socket:recv(U) end) || N <- [1, 2, 3]],
    ok = socket:send(U, <<"x">>),
    w("recv", Readers, U),
    {L, _} = listener(),
    Acceptors = [waiting(L, num_acceptors, N, fun() -> socket:accept(L) end) || N <- [1, 2, 3]],
    ok = socket:shutdown(L, read),
    w("accept", Acceptors, L),
    {C, S} = pair(),
    Writers = [waiting(C, num_writers, N, fun() -> sent(socket:send(C, binary:copy(<<0>>, 20000000))) end) || N <- [1, 2, 3]],
    ok = socket:setopt(S, {socket, linger}, #{onoff => true, linger => 0}),
    ok = socket:close(S),
    w("send", Writers, C),
    {C2, S2} = pair(),
    {select, {select_info, recv, R}} = socket:recv(S2, 0, nowait),
    Behind = [waiting(S2, num_readers, 2, fun() -> socket:recv(S2) end)],
    io:format("~p~n", [socket:recv(S2, 1, [oob], 0)]),
    w("recv with a flag", Behind, S2),
    {select, _} = socket:recv(S2, 0, nowait),
    Closed = [waiting(S2, num_readers, N, fun() -> socket:recv(S2) end) || N <- [2, 3]],
    ok = socket:close(C2),
    receive {'$socket', S2, select, New} when New =/= R -> io:format("~p~n", [socket:recv(S2, 0, nowait)]) end,
    w("recv at the end", Closed, S2),
    datagrams(),
    parts(),
    [socket:close(X) || X <- [U, L, C, S2]].

datagrams() ->
    {ok, U} = socket:open(inet, dgram),
    ok = socket:bind(U, #{family => inet, addr => loopback, port => 0}),
    {ok, A} = socket:sockname(U),
    ok = socket:setopt(U, {otp, rcvbuf}, {2, 3}),
    [ok = socket:sendto(U, B, A) || B <- [<<"abc">>, <<"hello">>, <<"xy">>]],
    w("datagrams", [socket:recv(U) || _ <- [1, 2, 3]], U),
    ok = socket:close(U).

parts() ->
    {C, S} = pair(),
    ok = socket:setopt(S, {otp, rcvbuf}, {3, 4}),
    [begin
         ok = socket:send(C, binary:copy(<<"x">>, N)),
         {ok, _} = socket:recv(S, N, [peek], 1000),
         w(N, [element(2, socket:recv(S, 0, 0)) || _ <- lists:seq(1, 5)], S)
     end || N <- [1, 4, 8, 11, 12, 13, 16, 24]],
    [socket:close(X) || X <- [C, S]].

sent({error, {Reason, _}}) -> {error, Reason};
sent(X) -> X.

w(Label, Answers, S) ->
    Told = [case A of P when is_pid(P) -> receive {P, Answer} -> Answer end; _ -> A end || A <- Answers],
    #{counters := C} = I = socket:info(S),
    io:format("~0p ~0p ~0p~n", [Label, Told, [maps:with([num_readers, num_acceptors, num_writers], I),
                                              maps:with([read_fails, read_tries, read_pkg, read_pkg_max, acc_fails, acc_tries, write_fails, write_tries], C)]]).

waiting(S, What, N, F) ->
    Me = self(),
    P = spawn(fun() -> Me ! {self(), F()} end),
    until(fun() -> maps:get(What, socket:info(S)) =:= N end),
    P.

until(F) -> F() orelse begin timer:sleep(1), until(F) end.

listener() ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {L, A}.

pair() ->
    {L, A} = listener(),
    {ok, C} = socket:open(inet, stream),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    ok = socket:close(L),
    {C, S}.
