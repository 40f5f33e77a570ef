%% What the natives of prim_socket say to arguments that are none, or are at the end of their range: references, numbers,
%% bytes, control messages, values of options and of requests.
-module(r_socket_arguments).
-export([main/0]).

main() ->
    {ok, D} = socket:open(inet, dgram),
    ok = socket:bind(D, #{family => inet, addr => loopback, port => 0}),
    {ok, A} = socket:sockname(D),
    {ok, S} = socket:open(inet, stream),
    Natives = {element(2, D), element(2, S), A},
    [F(Natives, {D, S, A}) || F <- [fun references/2, fun numbers/2, fun bytes/2, fun control/2, fun options/2, fun requests/2, fun others/2, fun names/2]],
    [socket:close(X) || X <- [D, S]].

w(Label, X) -> io:format("~0p ~0p~n", [Label, X]).
e(F) -> try shown(F()) catch Class:Reason -> {raised, Class, shown(Reason)} end.

shown({invalid, {msg, What, _}}) -> {invalid, {msg, What}};
shown(X) when is_reference(X) -> reference;
shown(#{addr := _, iov := B}) -> {message, B};
shown(T) when is_tuple(T) -> list_to_tuple(shown(tuple_to_list(T)));
shown([H | T]) -> [shown(H) | shown(T)];
shown(X) -> X.

references({D, S, A}, _) ->
    {ok, Z} = socket:open(inet, stream),
    Wrong = fun(R) -> [{recv, [D, 0, [], R]}, {recvfrom, [D, 0, [], R]}, {recvmsg, [D, 0, 0, [], R]}, {send, [D, <<"a">>, [], R]},
                       {sendto, [D, <<"a">>, A, [], R]}, {connect, [S, R, A]}, {cancel, [S, connect, R]}, {cancel, [S, foo, R]}] end,
    [w({R, F}, e(fun() -> apply(prim_socket, F, As) end)) || R <- [zero, nowait, self, 1, <<>>], {F, As} <- Wrong(R)],
    ok = socket:bind(Z, any),
    ok = socket:listen(Z),
    w(accept, e(fun() -> prim_socket:accept(element(2, Z), any_term) end)),
    ok = socket:close(Z).

numbers({D, S, A}, _) ->
    R = make_ref(),
    Lengths = [-1, 1 bsl 64, -(1 bsl 64), foo, 1.0],
    [w({recv, N}, [e(fun() -> apply(prim_socket, F, As) end)
                   || {F, As} <- [{recv, [D, N, [], R]}, {recvfrom, [D, N, [], R]}, {recvmsg, [D, N, 0, [], R]}, {recvmsg, [D, 0, N, [], R]}]]) || N <- Lengths],
    [w({flags, Flags}, [e(fun() -> apply(prim_socket, F, As) end)
                        || {F, As} <- [{recv, [D, 0, Flags, R]}, {recvfrom, [D, 0, Flags, R]}, {recvmsg, [D, 0, 0, Flags, R]},
                                       {send, [D, <<"a">>, Flags, R]}, {sendto, [D, <<"a">>, A, Flags, R]}]])
     || Flags <- [[1 bsl 31], [peek, 1 bsl 40], [foo], 1 bsl 31, -(1 bsl 31) - 1, 1 bsl 64]],
    [w({listen, N}, e(fun() -> prim_socket:listen(S, N) end)) || N <- [1 bsl 31, -(1 bsl 31) - 1, 1 bsl 64, foo]],
    [w({open, N}, e(fun() -> prim_socket:open(inet, stream, N) end)) || N <- [1 bsl 31, 1 bsl 64]],
    [w({local, P}, e(fun() -> {ok, X} = socket:open(local, dgram, P), #{protocol := Is} = socket:info(X), socket:close(X), Is end)) || P <- [default, icmp, {raw, 1}]].

bytes({D, _, A}, {S, _, _}) ->
    R = make_ref(),
    [w({sendto, B}, [e(fun() -> prim_socket:sendto(D, B, A, [], R) end), e(fun() -> socket:recv(S, 0, 0) end)])
     || B <- [<<>>, [], "ab", [<<"a">>, [$b] | <<"c">>], <<1:3>>, [<<1:3>>], [300], foo]],
    [w({iov, Iov}, [e(fun() -> socket:sendmsg(S, #{addr => A, iov => Iov}) end), e(fun() -> socket:recvmsg(S, 0) end)])
     || Iov <- [[], [<<>>], [<<1:3>>], [<<1:3>>, <<"b">>], [<<"b">>, <<1:3>>], [<<1:11>>], [<<"b">>, <<1:11>>], [<<"a">> | foo], [a], foo]].

control(_, {S, _, A}) ->
    {ok, S6} = socket:open(inet6, dgram),
    ok = socket:bind(S6, #{family => inet6, addr => loopback, port => 0}),
    {ok, A6} = socket:sockname(S6),
    Send = fun(X, To, C) -> e(fun() -> R = socket:sendmsg(X, #{addr => To, iov => [<<"a">>], ctrl => [C]}), [socket:recv(X, 0, 0) || R =:= ok], R end) end,
    [w(C, Send(S, A, C)) || Value <- [1, 4, true, lowdelay], {L, T} <- [{ip, tos}, {ip, ttl}, {ip, recvtos}, {ip, recvttl}, {ip, pktinfo}, {ip, 2}, {0, 2}, {0, tos}],
                            C <- [#{level => L, type => T, value => Value}, #{level => L, type => T, data => Value}]],
    [w(C, Send(S, A, C)) || C <- [#{level => ip, type => tos, value => 4, data => 4}, #{level => ip, type => tos, value => 4, data => <<4:32/native>>},
                                  #{level => ip, type => tos, value => foo, data => 4}, #{level => ip, type => tos, data => [<<4:24/native>>, 0]},
                                  #{level => ip, type => tos, data => [300]}, #{level => ip, type => tos, data => []}, #{level => ip, type => tos, data => [<<1:3>>]},
                                  #{level => ip, type => tos}]],
    [w(C, Send(S6, A6, C)) || T <- [hoplimit, tclass, pktinfo, 52], V <- [1, 4, true], C <- [#{level => ipv6, type => T, value => V}]],
    %% Of a type of service its name, whatever its other bits are.
    ok = socket:setopt(S, {ip, recvtos}, true),
    w(tos, [begin ok = socket:setopt(S, {ip, tos}, N), ok = socket:sendto(S, <<>>, A), {ok, #{ctrl := [#{value := V}]}} = socket:recvmsg(S), {N, socket:getopt(S, {ip, tos}), V} end
            || N <- [0, 1, 2, 3, 5, 9, 17, 34, 40, 63, 200, 226, 254, 255]]),
    ok = socket:setopt(S, {ip, tos}, 0),
    ok = socket:setopt(S, {ip, recvtos}, false),
    %% Too little room for both the message and what belongs to it.
    ok = socket:setopt(S, {ip, recvtos}, true),
    ok = socket:sendto(S, <<"abc">>, A),
    w(cut, maps:with([flags, iov, ctrl], element(2, socket:recvmsg(S, 2, 1, 1000)))),
    ok = socket:setopt(S, {ip, recvtos}, false),
    ok = socket:close(S6).

options(_, {S, T, _}) ->
    [w({native, Form}, [e(fun() -> socket:getopt_native(T, O, Form) end) || O <- [{tcp, nodelay}, {ip, tos}, {999, 1}]])
     || Form <- [0, 1 bsl 31, 1, 4, 8, <<>>, <<0>>, <<1:3>>, foo, integer, boolean]],
    [w({native, V}, e(fun() -> socket:setopt_native(T, {tcp, nodelay}, V) end)) || V <- [<<>>, [], [1, 0, 0, 0], [<<1>>, 0, 0, 0], "a", [300], foo, true, 1 bsl 31, <<1:3>>]],
    [w({O, V}, [e(fun() -> socket:setopt(S, {otp, O}, V) end), socket:getopt(S, {otp, O})])
     || O <- [rcvbuf, rcvctrlbuf, sndctrlbuf], V <- [1 bsl 62, 1 bsl 63, (1 bsl 64) - 1, 1 bsl 64, -1, 0, {1, 1 bsl 63}, default]],
    [w(O, [e(fun() -> socket:getopt_native(T, O, integer) end), e(fun() -> socket:setopt_native(T, O, 1) end)])
     || O <- [{-1, 1}, {-2, 1}, {-(1 bsl 31), 1}, {1, -1}, {1 bsl 40, 1}, {1, 1 bsl 40}, {foo, 1}, {1, foo}, {otp, 1}]],
    [w({sctp, O}, e(fun() -> socket:setopt(T, {sctp, O}, V) end))
     || {O, V} <- [{rtoinfo, #{assoc_id => 1, initial => 1, max => 2, min => 1}}, {rtoinfo, foo},
                   {initmsg, #{num_ostreams => 1, max_instreams => 1, max_attempts => 1, max_init_timeo => 1}},
                   {initmsg, #{num_outstreams => 1, max_instreams => 1, max_attempts => 1, max_init_timeo => 1}},
                   {initmsg, #{num_outstreams => 65536, max_instreams => 1, max_attempts => 1, max_init_timeo => 1}},
                   {initmsg, #{num_outstreams => -1, max_instreams => 1, max_attempts => 1, max_init_timeo => 1}}]],
    Events = maps:from_list([{K, true} || K <- [data_io, association, address, send_failure, peer_error, shutdown, partial_delivery, adaptation_layer, authentication, sender_dry]]),
    [w({sctp, events, without, K}, element(1, element(2, e(fun() -> {x, {socket:setopt(T, {sctp, events}, maps:remove(K, Events))}} end)))) || K <- [none | maps:keys(Events)]].

requests({D, _, _}, _) ->
    [w({Q, V}, e(fun() -> prim_socket:ioctl(D, Q, "nolo", V) end))
     || Q <- [sifaddr, sifbrdaddr, sifmtu, siftxqlen, sifflags, gifmtu, 1],
        V <- [foo, 1, 1 bsl 31, -1, #{}, #{up => true}, #{up => foo}, #{family => inet, addr => any, port => 0}, #{family => inet6, addr => any, port => 0}]],
    [w({Q, N}, e(fun() -> prim_socket:ioctl(D, Q, N, 1) end)) || Q <- [sifmtu, gifmtu, 1, -1, 1 bsl 63, 1 bsl 64], N <- [foo, <<"lo">>, [300], [$a | b]]],
    [w(Q, e(fun() -> prim_socket:ioctl(D, Q) end)) || Q <- [1, -1, 1 bsl 63, 1 bsl 64]],
    [w({Q, lo}, e(fun() -> prim_socket:ioctl(D, Q, "lo") end)) || Q <- [1, -1, 1 bsl 63, 1 bsl 64]].

others(_, _) ->
    {ok, S} = socket:open(inet, dgram),
    w("not closing", e(fun() -> prim_socket:finalize_close(element(2, S)) end)),
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    w("given to one who has died", [e(fun() -> socket:setopt(S, {otp, controlling_process}, Dead) end), maps:get(rstates, socket:info(S)), e(fun() -> socket:close(S) end)]),
    {C, P} = pair(),
    w("many parts", e(fun() -> socket:sendmsg(C, #{iov => lists:duplicate(3000, <<"ab">>)}) end)),
    {ok, All} = socket:recv(P, 6000),
    w("many parts", {byte_size(All), maps:with([write_pkg, write_pkg_max, write_tries], maps:get(counters, socket:info(C)))}),
    [socket:close(X) || X <- [C, P]].

names(_, _) ->
    [w(N, e(fun() -> prim_net:if_name2index(N) end))
     || N <- ["", [$l, $o, 0], [$l, 300], [a], [-1], [$l, "o"], foo, <<"lo">> | [lists:duplicate(K, $a) || K <- [15, 16, 17, 300]]]],
    [w(F, e(fun() -> net:getnameinfo(#{family => inet, addr => loopback, port => 1}, F) end)) || F <- [[numerichost | foo], [foo | numerichost], [numerichost, 1]]].

pair() ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    ok = socket:close(L),
    {C, S}.
