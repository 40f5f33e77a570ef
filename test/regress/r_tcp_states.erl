%% The driver tcp_inet, asked by prim_inet: what a connection's end, its errors, packets and modes answer and tell.
-module(r_tcp_states).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    process_flag(trap_exit, true),
    _ = [F() || F <- [fun closed/0, fun kept/0, fun reset/0, fun active/0, fun lengths/0, fun too_long/0, fun forms/0,
                      fun http/0, fun tls/0, fun lines/0, fun split/0, fun full/0, fun accepting/0, fun connecting/0,
                      fun owner/0, fun shutdown/0, fun receiving/0]],
    ok.

w(Label, X) -> io:format("~s ~0tp~n", [Label, clean(X)]).
clean(X) when is_port(X) -> port;
clean(X) when is_pid(X) -> pid;
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 50 -> [] end.
%% What is sure to come.
later() -> later(1).
later(0) -> fl();
later(N) -> receive X -> [X | later(N - 1)] after 20000 -> [] end.
st(S) -> prim_inet:getstatus(S).
ctl(S, Command, Data) ->
    try erlang:port_control(S, Command + 16#03f1a300, Data) of [H | T] -> {H, T} catch C:R -> {C, R} end.
rc(S) -> rc(S, 0).
rc(S, N) -> {ctl(S, 42, <<-1:32, N:32>>), fl(), st(S)}.
sd(S) -> sd(S, "abc").
%% Who sends and who gets it tell in either order.
sd(S, Data) -> {catch port_command(S, tagged(Data)), lists:sort(fl()), st(S)}.
%% From OTP 26 on a term stands in front.
tagged(Data) -> [[<<0, 3, 131, 97, 5>> || erlang:system_info(otp_release) >= "26"], Data].
set(S, Options) -> prim_inet:setopts(S, Options).
get(S, Options) -> prim_inet:getopts(S, Options).

listener(O) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    ok = set(L, [{mode, binary} | O]),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 5),
    {L, Port}.

pair(O) -> pair(O, O).
pair(O1, O2) ->
    {L, Port} = listener([]),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:close(L),
    ok = set(C, [{mode, binary} | O1]),
    ok = set(S, [{mode, binary} | O2]),
    {C, S}.

cut(S) -> ok = set(S, [{linger, {true, 0}}]), prim_inet:close(S).

closed() ->
    {C, S} = pair([]),
    _ = {prim_inet:close(S), fl()},
    w("closed", [rc(C), rc(C), sd(C), sd(C), rc(C)]),
    w("closed, active", {set(C, [{active, true}]), fl(), st(C)}),
    w("gone", [prim_inet:peername(C), prim_inet:sockname(C), get(C, [nodelay, active]), prim_inet:getstat(C, [recv_cnt])]),
    {C2, S2} = pair([{active, true}]),
    _ = prim_inet:close(S2),
    w("active, closed", {fl(), st(C2)}),
    {C3, S3} = pair([]),
    _ = {prim_inet:close(S3), fl()},
    w("closed, sent", [sd(C3), sd(C3), rc(C3), rc(C3)]).

kept() ->
    {C, S} = pair([{active, true}, {exit_on_close, false}]),
    _ = prim_inet:close(S),
    w("kept", {fl(), st(C), sd(C), sd(C), sd(C), sd(C), rc(C)}),
    w("kept, passive", {set(C, [{active, false}]), fl(), st(C), rc(C)}),
    w("kept, active", {set(C, [{active, true}]), fl(), st(C)}),
    {C4, S4} = pair([{active, false}, {exit_on_close, false}]),
    _ = prim_inet:close(S4),
    w("kept, read", [rc(C4), rc(C4), sd(C4), sd(C4), sd(C4), rc(C4), rc(C4)]),
    {C5, S5} = pair([{active, false}, {exit_on_close, false}]),
    _ = prim_inet:close(S5),
    w("kept, written", [sd(C5), sd(C5), {set(C5, [{active, true}]), fl(), st(C5)}, sd(C5), rc(C5)]),
    w("options of none", {get(C5, [nodelay, active]), set(C5, [{nodelay, true}]), get(C5, [active, buffer])}).

reset() ->
    {C, S} = pair([{active, true}]),
    cut(S),
    w("reset", {fl(), st(C)}),
    {C2, S2} = pair([{active, true}, {show_econnreset, true}]),
    cut(S2),
    w("reset, shown", {fl(), st(C2)}),
    {C3, S3} = pair([{show_econnreset, true}]),
    _ = {cut(S3), fl()},
    w("reset, passive", [rc(C3), rc(C3), sd(C3), {set(C3, [{active, true}]), fl(), st(C3)}]),
    {C4, S4} = pair([{show_econnreset, true}]),
    _ = {cut(S4), fl()},
    w("reset, sent", [sd(C4), sd(C4), rc(C4), rc(C4)]),
    {C5, S5} = pair([{show_econnreset, true}]),
    _ = {cut(S5), fl()},
    w("reset, sent, active", [sd(C5), {set(C5, [{active, true}]), fl(), st(C5)}]).

active() ->
    {C, S} = pair([{active, 2}]),
    How = fun(O) -> {set(C, [{active, X} || X <- O]), get(C, [active]), fl()} end,
    w("counted", [How(O) || O <- [[-3], [3, 2], [32767], [-5], [0], [once, 3], [true, 3], [false], [32767, 1], [1]]]),
    set(C, [{active, false}]),
    _ = [prim_inet:send(S, "x") || _ <- "abc"],
    w("counted down", {fl(), How([1]), fl()}),
    set(C, [{packet, 1}, {active, 2}]),
    _ = prim_inet:send(S, [1, "a", 1, "b", 1, "c"]),
    w("two of three", {fl(), How([once]), fl(), get(C, [active])}),
    w("rest", {How([true]), sd(S, <<1, "d">>), fl()}).

lengths() ->
    {C, S} = pair([{packet, 2}]),
    w("bytes of packets", [rc(C, 3), sd(S, <<0, 3, "abc">>), rc(C, 3)]),
    set(C, [{packet, 1}]),
    w("long", [sd(C, lists:duplicate(N, 1)) || N <- [256, 255]]),
    w("none", [sd(C, "")]),
    [begin
         {A, B} = pair([{packet, P}]),
         _ = [prim_inet:send(A, D) || D <- ["", "x", lists:duplicate(200, $y)]],
         w("packets", {P, [prim_inet:recv(B, 0, 20000) || _ <- "abc"], prim_inet:recv(B, 0, 0)})
     end || P <- [1, 2, 4]],
    ok.

too_long() ->
    {C, S} = pair([{packet, 4}, {packet_size, 10}]),
    w("too long", [rc(C), {prim_inet:send(S, <<11:32, "abcdefghijkl">>), fl(), st(C)}, rc(C), sd(C)]),
    {C2, S2} = pair([{packet, 4}, {packet_size, 10}, {active, true}], []),
    w("too long, active", {prim_inet:send(S2, <<11:32, "abcdefghijkl">>), fl(), st(C2)}).

forms() ->
    {C, S} = pair([{mode, list}, {header, 2}, {active, true}], [{mode, list}, {header, 3}]),
    Both = fun(A, B) -> {prim_inet:send(S, A), prim_inet:send(C, B), fl(), prim_inet:recv(S, 0, 20000)} end,
    w("lists", Both("abcdef", "x")),
    _ = [set(X, [{mode, binary}]) || X <- [C, S]],
    w("headers", [Both("abcdef", "xyz"), Both("a", "xyzv"), Both("ab", "xyz")]),
    set(C, [{deliver, port}]),
    w("as a port", {prim_inet:send(S, "abcdef"), fl()}),
    _ = [set(C, [{deliver, term}, {header, 0}]), prim_inet:send(S, binary:copy(<<"a">>, 1000))],
    w("large", [{T, X, binary:referenced_byte_size(X) < 2000} || {T, _, X} <- fl()]).

http() ->
    {C, S} = pair([], [{packet, http_bin}]),
    prim_inet:send(C, "GET / HTTP/1.0\r\nHost: a\r\nX-y: b\r\n\r\nrest"),
    settled(),
    w("http", {[prim_inet:recv(S, 0, 100) || _ <- "abcde"], get(S, [packet])}),
    set(C, [{packet, http}, {active, true}]),
    set(S, [{packet, raw}]),
    prim_inet:send(S, "HTTP/1.0 200 OK\r\nHost: a\r\nX-y: b\r\n\r\nrest\n\nfoo\n"),
    w("http, active", {fl(), get(C, [packet])}),
    prim_inet:send(S, "HTTP/1.0 200 OK\r\nHost: a\r\n c\r\nbad\r\nX: y\r\n\r\n"),
    w("http, continued", fl()),
    set(C, [{packet, httph_bin}]),
    prim_inet:send(S, "Host: a\r\nContent-Length: 3\r\n\r\n"),
    w("httph", fl()),
    set(C, [{packet, http}, {packet_size, 10}]),
    prim_inet:send(S, "GET /abcdefghijklmnop HTTP/1.0\r\n"),
    w("http, too long", {fl(), st(C)}).

tls() ->
    {C, S} = pair([{packet, ssl_tls}, {active, true}], [{packet, ssl_tls}]),
    prim_inet:send(S, <<22, 3, 1, 0, 5, "hello">>),
    prim_inet:send(C, <<22, 3, 1, 0, 5, "hello", 22, 3, 1, 0, 2, "ab">>),
    w("tls", {fl(), prim_inet:recv(S, 0, 20000), prim_inet:recv(S, 0, 20000), prim_inet:recv(S, 0, 0)}).

lines() ->
    {C, S} = pair([{packet, line}, {buffer, 10}], []),
    prim_inet:send(S, "abc\n\ndefghijklmnopqrstuvw\nx"),
    settled(),
    w("lines", {[prim_inet:recv(C, 0, 100) || _ <- "abcdefg"], prim_inet:send(S, "y\n"), prim_inet:recv(C, 0, 20000)}),
    set(C, [{line_delimiter, $;}, {active, true}]),
    prim_inet:send(S, "ab;cd\n;e"),
    w("delimited", {fl(), prim_inet:close(S), fl(), st(C)}).

%% Packets of each kind that come in pieces, byte by byte, and several at once.
split() ->
    Packets = [{1, <<3, "abc">>}, {2, <<0, 3, "abc">>}, {4, <<0, 0, 0, 3, "abc">>}, {asn1, <<16#30, 3, "abc">>},
               {sunrm, <<128, 0, 0, 3, "abc">>}, {cdr, <<"GIOP", 1, 0, 1, 0, 3, 0, 0, 0, "abc">>},
               {fcgi, <<1, 0, 0, 0, 0, 3, 2, 0, "abcpp">>}, {line, <<"abc\n">>}, {tpkt, <<3, 0, 0, 7, "abc">>},
               {ssl_tls, <<22, 3, 1, 0, 3, "abc">>}, {http, <<"GET /abc HTTP/1.1\r\n">>},
               {httph, <<"Name: abc\r\n">>}],
    [begin
         {C, S} = pair([{packet, P}, {active, true}], []),
         prim_inet:send(S, [Bytes, Bytes, binary:part(Bytes, 0, 1)]),
         First = fl(),
         [prim_inet:send(S, [B]) || <<B>> <= binary:part(Bytes, 1, byte_size(Bytes) - 1)],
         w("pieces", {P, First, fl()}),
         P =/= line andalso prim_inet:send(S, "\377\377\377\377\377\377\377\377\377\377\377\377\377\n"),
         w("wrong", {P, fl(), st(C)})
     end || {P, Bytes} <- Packets],
    ok.

full() ->
    Small = [{high_watermark, 100}, {low_watermark, 50}, {sndbuf, 4096}],
    Big = binary:copy(<<1>>, 400000),
    {C, S} = pair(Small, [{recbuf, 4096}]),
    w("full", [sd(C, Big), element(2, erlang:port_info(C, queue_size)) > 0, sd(C, "a")]),
    w("not suspended", port_command(C, tagged("b"), [nosuspend])),
    w("emptied", {byte_size(element(2, prim_inet:recv(S, 400001))), fl(), st(C), erlang:port_info(C, queue_size)}),
    {C2, _} = pair([{send_timeout, 2000} | Small], [{recbuf, 4096}]),
    w("timeout", [sd(C2, Big), sd(C2, Big), later(), begin timer:sleep(50), fl() end, st(C2)]),
    {C3, _} = pair([{send_timeout, 2000}, {send_timeout_close, true} | Small], [{recbuf, 4096}]),
    w("timeout, close", [sd(C3, Big), begin port_command(C3, tagged(Big)), later() end, st(C3), rc(C3), rc(C3), sd(C3)]),
    {C4, S4} = pair(Small, [{recbuf, 4096}]),
    _ = sd(C4, Big),
    w("closed when written", [port_close(C4), fl(), byte_size(element(2, prim_inet:recv(S4, 400000))), prim_inet:recv(S4, 0)]),
    {C5, S5} = pair([{delay_send, true}]),
    w("delayed", [sd(C5), prim_inet:recv(S5, 3)]).

accepting() ->
    {L, _} = listener([]),
    Acc = fun(T) -> ctl(L, 26, <<T:32>>) end,
    Self = self(),
    Asks = fun(T) -> spawn(fun() -> Self ! Acc(T), receive X -> Self ! X end end) end,
    w("accept", [{Acc(0), fl()}, Acc(-1), st(L)]),
    _ = Asks(20),
    w("accept, for a while", [later(2), st(L), prim_inet:listen(L, 3)]),
    _ = {port_close(L), fl()},
    others().

others() ->
    {L, Port} = listener([]),
    Acc = fun(T) -> ctl(L, 26, <<T:32>>) end,
    {P, M} = spawn_monitor(fun() -> exit(Acc(-1)) end),
    receive {'DOWN', M, process, P, R} -> w("another", [R, fl(), st(L)]) end,
    Connect = fun() -> {ok, C} = prim_inet:open(tcp, inet, stream), ok = prim_inet:connect(C, {127, 0, 0, 1}, Port), C end,
    Cs = [Connect() || _ <- "abc"],
    w("accepted", [fl(), st(L), Acc(-1), fl(), Acc(-1), fl()]),
    w("closed", [port_close(L), fl(), [st(C) || C <- Cs]]),
    {L2, _} = listener([]),
    w("listener", [sd(L2), rc(L2), prim_inet:peername(L2), prim_inet:shutdown(L2, write), prim_inet:async_connect(L2, {127, 0, 0, 1}, 9, 100)]),
    {L3, _} = listener([]),
    w("close request", [ctl(L3, 26, <<-1:32>>), ctl(L3, 2, []), fl(), st(L3), ctl(L3, 26, <<-1:32>>)]).

connecting() ->
    {ok, C} = prim_inet:open(tcp, inet, stream),
    Connect = fun(S, A, P) -> {case prim_inet:async_connect(S, A, P, 1000) of {ok, _, N} -> N; R -> R end, fl()} end,
    w("refused", [Connect(C, {127, 0, 0, 1}, 1), st(C), Connect(C, {127, 0, 0, 1}, 1), Connect(C, {0, 0, 0, 0, 0, 0, 0, 1}, 1)]),
    {A, _} = pair([]),
    w("again", Connect(A, {127, 0, 0, 1}, 9)),
    {ok, N} = prim_inet:open(tcp, inet, stream),
    w("none", [sd(N), rc(N), ctl(N, 26, <<-1:32>>), ctl(N, 3, <<1>>), ctl(N, 3, <<0:32, 9, 9>>), ctl(N, 2, []), st(N), ctl(N, 2, []),
               ctl(N, 3, <<0:32, 1, 0, 9, 127, 0, 0, 1>>), ctl(N, 1, [1, 1]), st(N), ctl(N, 1, [1, 1])]),
    w("wrong", [prim_inet:open(tcp, inet, dgram), ctl(N, 1, [1]), ctl(N, 1, [9, 1]), ctl(N, 6, [1, 2]), ctl(N, 27, [])]).

owner() ->
    {C, S} = pair([]),
    Self = self(),
    P = spawn(fun() -> receive go -> ok end, Self ! {owner, port_connect(C, self())}, set(C, [{active, true}]), receive X -> Self ! X end end),
    w("links", element(2, erlang:port_info(C, links)) =:= [Self]),
    true = port_connect(C, P),
    true = unlink(C),
    w("linked to the new one", element(2, erlang:port_info(C, links)) =:= [P]),
    P ! go,
    w("new owner", {fl(), prim_inet:send(S, "hello"), fl(), erlang:port_info(C), st(S), rc(S)}).

shutdown() ->
    {C, S} = pair([]),
    w("shutdown", [prim_inet:shutdown(C, write), fl(), st(C), rc(S), prim_inet:send(C, "x"), st(C), ctl(C, 44, [1])]),
    {C2, S2} = pair([{exit_on_close, false}]),
    w("half", [prim_inet:shutdown(C2, write), rc(S2), sd(S2), prim_inet:recv(C2, 0, 20000), ctl(S2, 44, []), ctl(S2, 44, [7]), prim_inet:shutdown(C2, read), prim_inet:recv(C2, 0, 20000), prim_inet:shutdown(S2, read_write), prim_inet:recv(S2, 0, 20000)]).

receiving() ->
    {C, S} = pair([]),
    w("nothing", [prim_inet:recv(C, 0, 0), prim_inet:recv(C, 5, 10), ctl(C, 42, <<-1:32, 0:32>>), ctl(C, 42, <<-1:32, 0:32>>), ctl(C, 42, <<1>>)]),
    prim_inet:send(S, "hello world"),
    w("some", [fl(), prim_inet:recv(C, 0, 10)]),
    prim_inet:send(S, "hello world"),
    settled(),
    w("bytes", [prim_inet:recv(C, 5, 100), prim_inet:recv(C, 1, 100), prim_inet:recv(C, 20, 50), prim_inet:recv(C, 0, 100), prim_inet:recv(C, 1, 0)]),
    w("put back", [prim_inet:unrecv(C, "abc"), prim_inet:recv(C, 2, 0), prim_inet:unrecv(C, "x"), prim_inet:recv(C, 0, 0)]),
    w("too many", [ctl(C, 42, <<-1:32, 16#4000001:32>>), element(1, ctl(C, 42, <<0:32, 16#4000000:32>>)), length(fl())]),
    w("active", [set(C, [{active, true}]), ctl(C, 42, <<0:32, 0:32>>), prim_inet:unrecv(C, "abc"), fl()]),
    Data = binary:copy(<<"0123456789">>, 100000),
    set(C, [{active, false}]),
    spawn(fun() -> prim_inet:send(S, Data) end),
    w("much", prim_inet:recv(C, 1000000) =:= {ok, Data}),
    w("statistics", [prim_inet:getstat(X, [recv_cnt, recv_oct, recv_max, send_cnt, send_oct, send_max, send_pend]) || X <- [S]]).
