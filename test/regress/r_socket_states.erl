%% Sockets of the module socket: what each call answers, what states and counters it leaves, who is told what.
-module(r_socket_states).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    _ = [tcp(), queue(), closing(), udp(), message(), parts(), local(), file(), owner(), refused(), options(), wrong()],
    ok.

w(Label, X) -> io:format("~s ~0tp~n", [Label, clean(X)]).
e(F) ->
    try F()
    catch C:R:T -> {C, R, [{M, N, if is_list(A) -> length(A); true -> A end} || {M, N, A, _} <- lists:sublist(T, 1)]}
    end.

clean(X) when is_reference(X) -> reference;
clean(X) when is_pid(X) -> pid;
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(M) when is_map(M) -> maps:map(fun(port, _) -> port; (_, V) -> clean(V) end, M);
clean(X) -> X.

st(S) ->
    #{rstates := R, wstates := W, num_acceptors := A, num_readers := N, num_writers := K} = socket:info(S),
    {R, W, A, N, K}.
c(S) -> maps:filter(fun(_, V) -> V =/= 0 end, maps:get(counters, socket:info(S))).
flush() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 50 -> [] end.
wait(F) -> case F() of true -> ok; false -> timer:sleep(1), wait(F) end.

listener() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {L, A}.

pair() ->
    {L, A} = listener(),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    ok = socket:close(L),
    {C, S}.

tcp() ->
    {L, A} = listener(),
    w("listening", {st(L), A}),
    w("accept", {socket:accept(L, 0), st(L)}),
    {select, {_, accept, First} = Select} = socket:accept(L, nowait),
    {select, {_, accept, Second}} = socket:accept(L, nowait),
    w("accepting", {st(L), socket:accept(L, 0), e(fun() -> socket:recv(L, 0, 0) end)}),
    w("cancel", [e(fun() -> socket:cancel(L, X) end) || X <- [{select_info, accept, make_ref()}, {select_info, recv, First},
                                                              {select_info, foo, First}, {select_info, accept, Second}, Select, Select]]),
    {ok, C} = socket:open(inet, stream, tcp),
    w("not connected", [e(fun() -> F(C) end) || F <- [fun(S) -> socket:recv(S, 0, 0) end, fun(S) -> socket:send(S, <<"x">>) end,
                                                      fun socket:peername/1, fun(S) -> socket:shutdown(S, read) end]]),
    w("connect", {socket:connect(C, A), hd(element(2, st(C)))}),
    {ok, S} = socket:accept(L),
    w("accepted", {st(S), c(S)}),
    w("sent", {socket:send(C, <<"hello">>), socket:recv(S, 3), socket:recv(S, 10, 0), socket:recv(S, 0, 0), c(S), c(C)}),
    ok = socket:send(C, <<"hello">>),
    wait(fun() -> {ok, N} = socket:recv(S, 5, [peek], 1000), N =:= <<"hello">> end),
    {select, {Info, <<"hello">>}} = socket:recv(S, 10, nowait),
    w("a part", {st(S), socket:cancel(S, Info), st(S)}),
    ok = socket:setopt(S, {otp, rcvbuf}, 3),
    ok = socket:send(C, <<"hello">>),
    w("room", socket:recv(S)),
    ok = socket:setopt(S, {otp, rcvbuf}, {2, 3}),
    ok = socket:send(C, <<"hello world what">>),
    wait(fun() -> {ok, B} = socket:recv(S, 18, [peek], 1000), byte_size(B) =:= 18 end),
    w("rooms", {socket:recv(S), socket:recv(S), socket:recv(S), st(S)}),
    w("shut", {socket:shutdown(C, write), socket:recv(S), socket:recv(S), e(fun() -> socket:shutdown(C, foo) end)}),
    w("no more", {socket:send(C, <<"x">>), st(C) =:= st(C)}),
    w("linger", socket:setopt(C, {socket, linger}, #{onoff => true, linger => 1})),
    [w("close", {socket:close(X), socket:close(X), st(X)}) || X <- [C, S]],
    socket:close(L).

%% Others wait behind the current one; its death makes the next one current.
queue() ->
    {ok, Z} = socket:open(inet, dgram),
    ok = socket:bind(Z, loopback),
    {ok, A} = socket:sockname(Z),
    First = spawn(fun() -> {select, _} = socket:recv(Z, 0, nowait), receive never -> ok end end),
    wait(fun() -> element(4, st(Z)) =:= 1 end),
    w("behind", {socket:recv(Z, 0, 0), socket:recv(Z, 0, nowait), e(fun() -> socket:recv(Z, 0, nowait) end),
                 e(fun() -> socket:recv(Z, 0, 0) end), st(Z)}),
    exit(First, kill),
    wait(fun() -> element(4, st(Z)) =:= 1 end),
    ok = socket:sendto(Z, <<"q">>, A),
    w("current", {receive M -> M end, socket:recv(Z, 0, 0), st(Z), c(Z)}),
    socket:close(Z).

closing() ->
    {L, _} = listener(),
    Me = self(),
    {select, _} = socket:accept(L, nowait),
    spawn(fun() -> Me ! {other, socket:accept(L)} end),
    wait(fun() -> element(3, st(L)) =:= 2 end),
    w("closed", {socket:close(L), flush(), st(L)}),
    w("after", [e(fun() -> F(L) end) || F <- [fun socket:close/1, fun socket:recv/1, fun socket:accept/1, fun socket:sockname/1,
        fun socket:peername/1, fun socket:recvfrom/1, fun socket:recvmsg/1, fun socket:listen/1,
        fun(S) -> socket:bind(S, any) end, fun(S) -> socket:send(S, <<>>) end, fun(S) -> socket:shutdown(S, read) end,
        fun(S) -> socket:connect(S, #{family => inet, port => 1}) end, fun(S) -> socket:getopt(S, {otp, rcvbuf}) end,
        fun(S) -> socket:setopt(S, {otp, rcvbuf}, 10) end, fun(S) -> socket:getopt(S, {socket, type}) end,
        fun(S) -> socket:sendto(S, <<>>, #{family => inet, port => 1}) end, fun(S) -> socket:sendmsg(S, #{iov => [<<>>]}) end,
        fun(S) -> socket:ioctl(S, gifconf) end, fun(S) -> socket:cancel(S, {select_info, accept, make_ref()}) end]]).

udp() ->
    {ok, U} = socket:open(inet, dgram, udp),
    {ok, V} = socket:open(inet, dgram),
    ok = socket:bind(U, loopback),
    {ok, A} = socket:sockname(U),
    w("sendto", [e(fun() -> socket:sendto(V, <<"abc">>, B) end) || B <- [A, A#{addr => {1, 2}}, A#{foo => 1}, foo]]),
    w("recvfrom", {socket:recvfrom(U), socket:recvfrom(U, 0, 0), c(U), c(V)}),
    {select, {_, _, _}} = socket:recvfrom(U, [], nowait),
    w("waits", st(U)),
    w("connected", {socket:connect(V, A), socket:send(V, <<"12345">>), socket:recvfrom(U, 2), st(V)}),
    flush(),
    ok = socket:send(V, <<"12345">>),
    w("cut", socket:recvmsg(U, 2, 0)),
    w("disconnect", {socket:connect(V, #{family => unspec}), st(V)}),
    [socket:close(S) || S <- [U, V]].

message() ->
    {ok, U} = socket:open(inet, dgram, udp),
    {ok, V} = socket:open(inet, dgram),
    ok = socket:bind(U, loopback),
    {ok, A} = socket:sockname(U),
    [ok = socket:setopt(U, O, true) || O <- [{ip, pktinfo}, {ip, recvtos}, {ip, recvttl}]],
    M = #{addr => A, iov => [<<"a">>, <<"b">>]},
    w("sendmsg", [e(fun() -> socket:sendmsg(V, X) end) || X <- [
        M#{ctrl => [#{level => ip, type => tos, value => reliability}]}, M#{ctrl => [#{level => ip, type => foo, value => 1}]},
        M#{iov => [<<"a">>, b]}, M#{addr => A#{port => a}}, M#{iov => lists:duplicate(3000, <<"x">>)}]]),
    {ok, #{ctrl := Control} = Got} = socket:recvmsg(U),
    w("recvmsg", Got#{ctrl := lists:sort(Control)}),
    w("control", [e(fun() -> socket:sendmsg(V, M#{ctrl => [X]}) end) || X <- [
        #{level => ip, type => tos, data => 4}, #{level => ip, type => tos, data => true}, #{level => ip, type => tos, data => lowdelay},
        #{level => ip, type => ttl, value => foo}, #{level => ip, type => 4711, data => 1}, #{level => ip, type => 4711, value => 1}, #{level => ip}]]),
    [socket:close(S) || S <- [U, V]].

%% What comes in parts of a size, up to so many; and the queue of errors.
parts() ->
    {C, S} = pair(),
    ok = socket:setopt(S, {otp, rcvbuf}, {5, 4}),
    [begin
         ok = socket:send(C, Part),
         wait(fun() -> {ok, B} = socket:recv(S, 20, [peek], 0), B =:= Part end),
         w("parts", socket:recv(S))
     end || Part <- [<<"12345678">>, <<"12345678">>, <<"1234567890">>, <<"12345678">>]],
    w("counts", maps:without([read_tries, read_byte, read_pkg_max, read_pkg], c(S))),
    [socket:close(X) || X <- [C, S]],
    [begin
         {ok, U} = socket:open(D, dgram, udp),
         ok = socket:bind(U, #{family => D, addr => loopback}),
         ok = socket:setopt(U, O, true),
         ok = socket:sendto(U, <<"ping">>, #{family => D, addr => loopback, port => 1}),
         w("error", {socket:recvfrom(U, 0, 1000), socket:recvmsg(U, 0, 0, [errqueue], 0), socket:recvmsg(U, 0, 0, [errqueue], 0)}),
         socket:close(U)
     end || {D, O} <- [{inet, {ip, recverr}}, {inet6, {ipv6, recverr}}]].

local() ->
    Path = "r_socket_states." ++ os:getpid(),
    {ok, L} = socket:open(local, stream),
    {ok, C} = socket:open(local, stream),
    ok = socket:bind(L, #{family => local, path => Path}),
    ok = socket:listen(L),
    ok = socket:connect(C, #{family => local, path => Path}),
    {ok, S} = socket:accept(L),
    ok = file:delete(Path),
    w("protocol", socket:getopt(S, {socket, protocol})),
    w("names", {socket:peername(S), element(1, socket:peername(C)), st(C)}),
    ok = socket:send(C, <<"xy">>),
    w("from", {socket:recvfrom(S, 1), socket:recvmsg(S)}),
    {ok, Fd} = socket:getopt(S, {otp, fd}),
    {ok, D} = socket:open(Fd, #{domain => foo}),
    w("from a descriptor", {maps:with([domain, type, protocol], socket:info(D)), element(1, maps:get(ctype, socket:info(D))), st(D)}),
    {ok, Lent} = socket:open(Fd, #{dup => false}),
    w("lent", {maps:get(ctype, socket:info(Lent)), socket:close(Lent), socket:send(C, <<"z">>), socket:recv(S, 1)}),
    w("none", e(fun() -> socket:open(0, #{}) end)),
    [socket:close(X) || X <- [L, C, S, D]].

file() ->
    {C, S} = pair(),
    Name = "r_socket_file." ++ os:getpid(),
    ok = file:write_file(Name, <<"0123456789">>),
    {ok, F} = file:open(Name, [read, raw, binary]),
    w("sendfile", {socket:sendfile(C, F, 0, 0), socket:recv(S, 10), socket:sendfile(C, F, 2, 3), socket:recv(S, 3), c(C),
                   socket:sendfile(C, F, 200, 3)}),
    ok = file:close(F),
    w("closed file", e(fun() -> socket:sendfile(C, F, 0, 0) end)),
    ok = file:delete(Name),
    [socket:close(X) || X <- [C, S]].

owner() ->
    {Pid, Monitor} = spawn_monitor(fun() -> {ok, S} = socket:open(inet, dgram), exit({socket, S}) end),
    S = receive {'DOWN', Monitor, _, Pid, {socket, X}} -> X end,
    wait(fun() -> {R, _, _, _, _} = st(S), lists:member(closed, R) end),
    w("owner", {st(S), socket:close(S)}),
    {ok, T} = socket:open(inet, dgram),
    Ref = socket:monitor(T),
    ok = socket:close(T),
    w("monitor", receive {'DOWN', Ref, socket, T, Why} -> Why end),
    w("numbers", {socket:number_of(), length(socket:which_sockets())}).

refused() ->
    {ok, S} = socket:open(inet, stream),
    Nobody = #{family => inet, addr => loopback, port => 1},
    w("refused", {socket:connect(S, Nobody), st(S), e(fun() -> socket:connect(S) end)}),
    socket:close(S),
    w("open", [e(fun() -> case socket:open(D, T, P) of {ok, X} -> I = socket:info(X), socket:close(X), maps:with([domain, type, protocol], I); E -> E end end)
               || {D, T, P} <- [{inet, dgram, 0}, {2, 1, 6}, {inet, stream, udp}, {inet, stream, {raw, 6}}, {inet6, stream, foo}, {inet, rdm, default},
                                {inet, 4711, default}, {local, seqpacket, default}, {packet, raw, default}, {unspec, stream, default}, {foo, stream, default}]]),
    {ok, U} = socket:open(inet, dgram),
    w("bind", [e(fun() -> socket:bind(U, X) end) || X <- [#{family => inet, addr => {1, 2, 3, 4, 5}}, #{family => inet, addr => a}, #{family => inet, port => a},
        #{family => foo}, #{family => 999, addr => <<>>}, #{family => 2, addr => <<0, 0>>}, #{family => unspec}, #{family => packet}, #{family => local, path => <<>>}, foo]]),
    socket:close(U).

options() ->
    {ok, S} = socket:open(inet, stream),
    Get = fun(O) -> e(fun() -> socket:getopt(S, O) end) end,
    Set = fun(O, V) -> {e(fun() -> socket:setopt(S, O, V) end), Get(O)} end,
    [w("get", {O, Get(O)}) || {O, _} <- lists:sort(socket:supports(options)), O =/= {tcp, congestion}, O =/= {'TCP', congestion}, O =/= {socket, rcvbuf}],
    [w("otp", {O, Get({otp, O})}) || O <- [debug, iow, controlling_process, rcvbuf, rcvctrlbuf, sndctrlbuf, meta, use_registry, domain]],
    [w("set", {O, V, Set(O, V)}) || {O, V} <- [{{otp, rcvbuf}, 0}, {{otp, rcvbuf}, a}, {{otp, rcvbuf}, 4000}, {{otp, rcvbuf}, default}, {{otp, rcvctrlbuf}, 7},
        {{otp, meta}, {a, b}}, {{otp, domain}, inet}, {{otp, iow}, a}, {{otp, iow}, true}, {{otp, debug}, a},
        {{otp, use_registry}, false}, {{tcp, nodelay}, a}, {{tcp, nodelay}, true}, {{socket, linger}, #{onoff => true, linger => 3}},
        {{socket, linger}, abort}, {{socket, linger}, #{}}, {{socket, keepalive}, true}, {{socket, type}, stream}, {{socket, acceptconn}, true},
        {{ip, ttl}, 10}, {{ip, tos}, lowdelay}, {{ip, tos}, 99}, {{ip, tos}, -1}, {{ip, mtu_discover}, do}, {{ip, multicast_if}, {127, 0, 0, 1}},
        {{ip, add_membership}, #{multiaddr => {224, 0, 0, 1}}}, {{ip, msfilter}, null}, {{socket, sndbuf}, 4096}, {{socket, bindtodevice}, "lo"}]],
    w("native", [e(fun() -> socket:getopt_native(S, O, F) end) || {O, F} <- [{{socket, sndbuf}, integer}, {{socket, 7}, 4}, {{socket, 7}, boolean},
        {{1, 7}, <<0, 0, 0, 0>>}, {{1, 7}, foo}]]),
    w("native", [e(fun() -> socket:setopt_native(S, O, V) end) || {O, V} <- [{{1, 7}, <<0, 32, 0, 0>>}, {{1, 7}, 8192}, {{6, 1}, true}, {{6, 1}, foo}]]),
    P = spawn(fun() -> receive stop -> ok end end),
    w("owner", {e(fun() -> socket:setopt(S, {otp, controlling_process}, P) end), e(fun() -> socket:setopt(S, {otp, controlling_process}, self()) end)}),
    [w("ioctl", e(fun() -> socket:ioctl(S, R, X) end)) || {R, X} <- [{gifflags, "lo"}, {gifaddr, "lo"}, {gifmtu, "lo"}, {gifindex, "lo"}, {gifname, 1}, {gifmap, "lo"},
        {gifnetmask, "lo"}, {gifbrdaddr, "lo"}, {gifdstaddr, "lo"}, {giftxqlen, "lo"}, {gifaddr, "nono"}, {gifaddr, a}]],
    w("supports", [lists:sort(socket:supports(X)) || X <- [protocols, msg_flags, ioctl_requests, ioctl_flags, foo]]),
    w("supports", {[case V of [_ | _] -> {K, lists:sort(V)}; _ -> {K, V} end || {K, V} <- lists:sort(socket:supports())], lists:sort(socket:supports(options, tcp))}),
    socket:close(S),
    P ! stop.

wrong() ->
    w("badarg", [e(fun() -> F(foo) end) || F <- [fun prim_socket:close/1, fun prim_socket:finalize_close/1, fun prim_socket:sockname/1, fun prim_socket:info/1,
        fun prim_socket:connect/1, fun prim_socket:sendfile_deferred_close/1, fun prim_socket:supports/1, fun prim_socket:debug/1]]),
    w("net", [e(F) || F <- [fun net:if_names/0, fun() -> net:if_name2index("lo") end, fun() -> net:if_name2index("lxo") end, fun() -> net:if_index2name(1) end,
        fun() -> net:if_index2name(100) end, fun() -> net:getaddrinfo("localhost", "http") end, fun() -> net:getaddrinfo("no.invalid") end,
        fun() -> net:getaddrinfo(undefined, "80") end, fun net:gethostname/0, fun() -> net:getnameinfo(#{family => inet, addr => {127, 0, 0, 1}, port => 80}) end,
        fun() -> net:getnameinfo(#{family => inet, addr => {127, 0, 0, 1}, port => 80}, [numerichost, numericserv]) end,
        fun() -> net:getnameinfo(#{family => inet, addr => {127, 0, 0, 1}, port => 80}, [foo]) end, fun() -> net:getnameinfo(#{family => inet, addr => foo}) end,
        fun() -> net:getifaddrs(inet) end, fun prim_net:info/0, fun() -> prim_net:command(a) end, fun() -> prim_net:get_interface_info(#{}) end]]).
