%% sendfile and what else one may ask of a socket while a file is sent from: the answers, what is counted, and what is
%% said to arguments that are none.
-module(r_socket_sendfile).
-export([main/0]).

main() ->
    Name = "r_socket_sendfile." ++ os:getpid(),
    ok = file:write_file(Name, binary:copy(<<0>>, 20000000)),
    [F({raw(C), C}, Name) || F <- [fun kept/2, fun wrong/2, fun counted/2], {C, _} <- [pair()]],
    ok = file:delete(Name).

kept({R, C}, Name) ->
    {select, {Info, N}} = socket:sendfile(C, open(Name), 0, 0, nowait),
    w("counted", {N > 0, [V || V <- [maps:get(K, files(C)) || K <- [sendfile_pkg, sendfile_byte, sendfile_pkg_max, sendfile_waits]], V =/= N]}),
    Other = fun(F) -> in_another(C, F) end,
    w("another goes on", Other(fun() -> prim_socket:sendfile(R, 0, 0, make_ref()) end)),
    w("another begins", Other(fun() -> element(1, socket:sendfile(C, open(Name), 0, 0, nowait)) end)),
    w("at once", Other(fun() -> socket:sendfile(C, open(Name), 0, 0, 0) end)),
    w("begin again", e(fun() -> prim_socket:sendfile(R, handle(open(Name)), 0, 0, make_ref()) end)),
    w("begin again", e(fun() -> socket:sendfile(C, open(Name), 0, 0, nowait) end)),
    w("go on", e(fun() -> element(1, prim_socket:sendfile(R, 0, 0, make_ref())) end)),
    w("go on", e(fun() -> element(1, socket:sendfile(C, Info, 0, 0, nowait)) end)),
    w("send", e(fun() -> element(1, socket:send(C, <<"x">>, nowait)) end)),
    w("tries", maps:get(sendfile_tries, files(C))),
    ok = socket:close(C),
    w("closed", [e(F) || F <- [fun() -> prim_socket:sendfile(R, 0, 0, make_ref()) end,
                              fun() -> prim_socket:sendfile(R, handle(open(Name)), 0, 0, make_ref()) end,
                              fun() -> prim_socket:sendfile(R, foo, 0, 0, make_ref()) end,
                              fun() -> prim_socket:sendfile(R, handle(open(Name)), a, 0, make_ref()) end]]).

wrong({R, C}, Name) ->
    F = open(Name),
    H = handle(F),
    Places = [{0, a}, {a, 0}, {-1, 0}, {0, -1}, {1.0, 0}, {0, 1.0}, {1 bsl 63, 0}, {(1 bsl 63) - 1, 0}, {-(1 bsl 63), 0}, {-(1 bsl 64), 0},
              {19999999, 1 bsl 63}, {19999999, 1 bsl 64}, {19999999, (1 bsl 64) - 1}, {30000000, 5}],
    [w(Place, [e(fun() -> prim_socket:sendfile(R, H, O, N, make_ref()) end), e(fun() -> prim_socket:sendfile(R, O, N, make_ref()) end)])
     || {O, N} = Place <- Places],
    [w(shown(X), e(fun() -> prim_socket:sendfile(R, X, 0, 5, make_ref()) end)) || X <- [foo, F, make_ref(), self(), R]],
    [w(X, [e(fun() -> prim_socket:sendfile(R, H, 0, 5, X) end), e(fun() -> prim_socket:sendfile(R, 0, 5, X) end)]) || X <- [foo, zero, 0]],
    [w(X, e(fun() -> prim_socket:sendfile(X, H, 0, 5, make_ref()) end)) || X <- [foo, 1]],
    w("no sendfile", [e(fun() -> prim_socket:sendfile(R, 0, 0, make_ref()) end), e(fun() -> prim_socket:sendfile_deferred_close(R) end)]),
    [w(shown(As), e(fun() -> apply(socket, sendfile, [C | As]) end))
     || As <- [[foo], [F, -1], [F, 19999990, 3, foo], [F, -5, 3, 1000], [{select_info, sendfile, make_ref()}, 0, 0, 0], [{select_info, recv, make_ref()}, 0, 0, 0]]],
    ok = file:close(F),
    w("closed", e(fun() -> prim_socket:sendfile(R, H, 0, 5, make_ref()) end)),
    w("counted", files(C)).

counted({R, C}, Name) ->
    [w(Place, e(fun() -> prim_socket:sendfile(R, handle(open(Name)), O, N, make_ref()) end))
     || {O, N} = Place <- [{20000000, 0}, {19999998, 10}, {19999998, 0}, {0, 3}]],
    {ok, W} = file:open(Name ++ ".w", [write, raw, binary]),
    w("not to be read", e(fun() -> prim_socket:sendfile(R, handle(W), 0, 3, make_ref()) end)),
    ok = file:delete(Name ++ ".w"),
    w("counted", files(C)),
    {ok, U} = socket:open(inet, dgram),
    {ok, S} = socket:open(inet, stream),
    w("not connected", [e(fun() -> socket:sendfile(X, open(Name), 0, 5, nowait) end) || X <- [U, S]]).

files(C) -> maps:filter(fun(K, _) -> lists:prefix("sendfile", atom_to_list(K)) end, maps:get(counters, socket:info(C))).

%% It stays until its socket is closed.
in_another(C, F) ->
    Me = self(),
    P = spawn(fun() -> Me ! {self(), e(F)}, receive never -> ok end end),
    receive {P, X} -> {X, maps:get(num_writers, socket:info(C))} end.

w(Label, X) -> io:format("~0p ~0p~n", [Label, X]).
e(F) -> try shown(F()) catch Class:Reason -> {raised, Class, shown(Reason)} end.

shown(X) when is_reference(X) -> reference;
shown(X) when is_pid(X) -> pid;
shown(M) when is_map(M) -> map;
shown(T) when is_tuple(T) -> list_to_tuple(shown(tuple_to_list(T)));
shown([H | T]) -> [shown(H) | shown(T)];
shown(X) -> X.

open(Name) ->
    {ok, F} = file:open(Name, [read, raw, binary]),
    F.

handle({file_descriptor, prim_file, #{handle := H}}) -> H.
raw({'$socket', R}) -> R.

pair() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    ok = socket:close(L),
    {C, S}.
