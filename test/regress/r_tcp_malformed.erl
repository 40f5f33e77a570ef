%% Packets of all kinds, good, cut off, with a wrong byte, or no packets at all, and other options in between: what is
%% received, what is told, and what is left of the connection.
-module(r_tcp_malformed).
-export([main/0]).
-include("../erl/settled.hrl").

-define(ROUNDS, 250).

main() ->
    process_flag(trap_exit, true),
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 50),
    [random(I, L, Port) || I <- lists:seq(1, ?ROUNDS)],
    [too_long(Active, Exits, L, Port) || Active <- [true, once, 3], Exits <- [true, false]],
    [as_port(Mode, Header, Packet, L, Port) || Mode <- [list, binary], Header <- [0, 3, 500], Packet <- [raw, ssl_tls, http]],
    after_the_end(L, Port),
    decoded().

pair(L, Port) ->
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    {C, S}.

w(Label, X) -> io:format("~p ~0p~n", [Label, clean(X)]).
clean(X) when is_port(X) -> port;
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 40 -> [] end.
pick(L) -> lists:nth(rand:uniform(length(L)), L).

%% --- at random ---------------------------------------------------------------------------------------------------

types() -> [raw, 1, 2, 4, asn1, sunrm, cdr, fcgi, line, tpkt, http, httph, ssl_tls, http_bin, httph_bin].

%% All is sent, and closed, before anything is read: what comes together does not depend on the time.
random(I, L, Port) ->
    rand:seed(exsss, {1, I, 7}),
    Type = pick(types()),
    {C, S} = pair(L, Port),
    Options = [{mode, pick([list, binary])}, {packet, Type}, {packet_size, pick([0, 0, 10, 100])},
               {exit_on_close, pick([true, true, false])}, {header, pick([0, 0, 1, 5, 100])},
               {line_delimiter, pick([$\n, $\n, $a, 0, 255])}],
    ok = prim_inet:setopts(S, Options),
    Data = data(Type),
    _ = Data =:= <<>> orelse prim_inet:send(C, Data),
    ok = prim_inet:shutdown(C, write),
    timer:sleep(2),
    Received = receive_all(pick([passive, mixed]), S, 30),
    w({I, Type}, {Received, catch prim_inet:getstat(S, [recv_cnt, recv_oct, recv_max]), catch prim_inet:getstatus(S)}),
    [prim_inet:close(X) || X <- [C, S]],
    fl_now().

fl_now() -> receive _ -> fl_now() after 0 -> ok end.

receive_all(_, _, 0) -> [];
receive_all(passive, S, N) -> go_on(passive, prim_inet:recv(S, 0, 20000), S, N);
receive_all(mixed, S, N) ->
    case rand:uniform(3) of
        1 -> go_on(mixed, prim_inet:recv(S, 0, 20000), S, N);
        2 -> go_on(mixed, prim_inet:recv(S, rand:uniform(20), 20000), S, N);
        3 -> go_on(mixed, {prim_inet:setopts(S, [{packet, pick(types())}])}, S, N)
    end.

go_on(_, {error, Reason} = Last, _, _) when Reason =:= closed; Reason =:= enotconn -> [Last];
go_on(How, Answer, S, N) -> [Answer | receive_all(How, S, N - 1)].

%% --- what is told ------------------------------------------------------------------------------------------------

too_long(Active, Exits, L, Port) ->
    {C, S} = pair(L, Port),
    ok = prim_inet:setopts(S, [{packet, tpkt}, {mode, binary}, {exit_on_close, Exits}]),
    ok = prim_inet:send(C, [<<9, 0, 0, 5, $a>>, <<3, 0, 0, 5, $b>>]),
    timer:sleep(10),
    Set = fun(Options) -> catch prim_inet:setopts(S, Options) end,
    First = {Set([{active, Active}]), fl(), Set([{active, Active}]), fl()},
    Sent = {prim_inet:send(C, <<3, 0, 0, 5, $c>>), fl(), Set([{active, Active}]), fl()},
    Last = {catch prim_inet:getstatus(S), Set([{active, false}, {packet, raw}]), catch prim_inet:recv(S, 0, 20000)},
    w({too_long, Active, Exits}, {First, Sent, Last}),
    [prim_inet:close(X) || X <- [C, S]],
    fl().

as_port(Mode, Header, Packet, L, Port) ->
    {C, S} = pair(L, Port),
    [begin
         ok = prim_inet:setopts(To, [{deliver, port}, {mode, Mode}, {header, Header}, {packet, Packet}]),
         ok = prim_inet:send(From, <<22, 3, 1, 0, 10, "0123456789", "GET / HTTP/1.0\r\nHost: x\r\n\r\n">>),
         timer:sleep(5),
         w({as_port, Mode, Header, Packet}, {prim_inet:setopts(To, [{active, true}]), fl()})
     end || {From, To} <- [{C, S}, {S, C}]],
    [prim_inet:close(X) || X <- [C, S]],
    fl().

%% Nothing is done for a connection that has ended, and is kept.
after_the_end(L, Port) ->
    {C, S} = pair(L, Port),
    ok = prim_inet:setopts(S, [{exit_on_close, false}, {active, true}]),
    ok = prim_inet:close(C),
    Told = fl(),
    _ = statistics(runtime),
    timer:sleep(400),
    {_, Used} = statistics(runtime),
    w(after_the_end, {Told, Used < 200, prim_inet:setopts(S, [{active, false}]), prim_inet:recv(S, 0, 20000)}).

decoded() ->
    [w(Line, erlang:decode_packet(http_bin, iolist_to_binary([Line, "\r\n"]), []))
     || Line <- ["HTTP/2.0  ", "HTTP/2.0 ", "HTTP/2.0", "HTTP/1.1 \t", "HTTP/1.1 -1 OK", "HTTP/1.1  \tOK", "HTTP/1.1 2x OK",
                 "HTTP/123456.99 99999999999 OK", "HTTP/1.1 2147483648 OK", "HTTP/1.1 4294967297 OK"] ++
                    ["GET / " ++ V || V <- ["HTTP/1.1 x", "HTTP/1.1x", "HTTP/1.1\tx y", "HTTP/1.", "HTTP/4294967297.1", "x"]] ++
                    ["GET " ++ Uri ++ " HTTP/1.1" || Uri <- ["x", ":", "?", "xy", ":x", "a:", "http://h:99999999999/",
                                                             "http://h:2147483648", "http://:1"]]].

%% --- data --------------------------------------------------------------------------------------------------------

data(Type) -> damaged(iolist_to_binary([piece(Type) || _ <- lists:seq(1, rand:uniform(5))])).

damaged(Data) ->
    case rand:uniform(4) of
        1 when Data =/= <<>> ->
            {Before, <<_, After/binary>>} = split_binary(Data, rand:uniform(byte_size(Data)) - 1),
            <<Before/binary, (rand:uniform(256) - 1), After/binary>>;
        2 ->
            binary:part(Data, 0, rand:uniform(byte_size(Data) + 1) - 1);
        _ ->
            Data
    end.

piece(Type) ->
    case rand:uniform(8) of
        1 -> rand:bytes(size());
        _ -> good(Type)
    end.

size() -> pick([0, 1, 2, 3, 5, 10, 20, 50, 127, 128, 129, 200, 300]).
text(N) -> [31 + rand:uniform(95) || _ <- lists:seq(1, N)].

good(raw) -> rand:bytes(size());
good(Bytes) when is_integer(Bytes) ->
    Size = size() rem (1 bsl (8 * Bytes)),
    [<<Size:Bytes/unit:8>>, rand:bytes(Size)];
good(asn1) ->
    Size = size(),
    Tag = pick([<<16#30>>, <<16#1f, 16#81, 5>>, <<16#1f, 5>>, <<16#7f, 16#ff, 16#ff, 16#ff, 16#ff, 16#ff, 1>>]),
    [Tag, pick([<<(Size rem 128)>>, <<16#81, Size>>, <<16#82, Size:16>>, <<16#84, Size:32>>, <<16#80>>, <<16#85, Size:40>>,
                <<16#83, Size:24>>, <<16#ff>>]), rand:bytes(Size)];
good(sunrm) ->
    Size = size(),
    [<<(rand:uniform(2) - 1):1, Size:31>>, rand:bytes(Size)];
good(cdr) ->
    Size = size(),
    Length = pick([{0, <<Size:32>>}, {1, <<Size:32/little>>}]),
    ["GIOP", 1, pick([0, 1, 2]), element(1, Length), pick([0, 1, 3]), element(2, Length), rand:bytes(Size)];
good(fcgi) ->
    {Size, Padding} = {size(), pick([0, 1, 8, 255])},
    [pick([1, 1, 1, 0, 2]), rand:uniform(12), <<1:16, Size:16, Padding, 0>>, rand:bytes(Size), rand:bytes(Padding)];
good(line) ->
    [text(size()), pick(["\n", "\r\n", "a", "\r", ""])];
good(tpkt) ->
    Size = size(),
    [pick([3, 3, 3, 1]), pick([0, 0, 1]), <<(pick([Size + 4, Size + 4, Size])):16>>, rand:bytes(Size)];
good(ssl_tls) ->
    Size = size(),
    Old = <<1:1, Size:15, (pick([1, 1, 4])), (pick([2, 3])), 0>>,
    New = [pick([20, 21, 22, 23, 24, 128, 0]), pick([3, 3, 3, 2, 254]), pick([0, 1, 2, 3, 4]), <<Size:16>>],
    [pick([Old, New, New, New]), rand:bytes(Size)];
good(Http) when Http =:= http; Http =:= http_bin ->
    [pick([request(), request(), response()]), headers()];
good(_) ->
    headers().

blank() -> pick([" ", " ", " ", "  ", "\t", ""]).
line_end() -> pick(["\r\n", "\r\n", "\n", "\r", "\r\n "]).

request() ->
    [pick(["GET", "POST", "get", "OPTIONS", "HEAD", "FOO", "G@T", "CONNECT", "PATCH", ""]), blank(),
     pick(["/", "*", "/a/b?c=d#e", "http://h/p", "http://h:80/p", "http://h:x/", "https://h:443", "HTTPS://H", "ftp://x:1/y",
           "mailto:a@b", "abc", "a:b", "//x", "http://[::1]:8/x", "http://", ":", text(50), "host:443", "\377\200/", [0]]),
     blank(), pick(["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/11.22", "http/1.1", "HTTP/x.y", "HTTP/1", "", "HTTP/1.1 x"]),
     line_end()].

response() ->
    [pick(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1", "HTTP/999.1"]), blank(),
     pick(["200", "404", "1", "9999", "2x", "-1", ""]), blank(), pick(["OK", "Not Found", "", text(20)]), line_end()].

headers() -> [[header() || _ <- lists:seq(2, rand:uniform(4))], pick(["\r\n", "\r\n", "\n", ""])].

header() ->
    [pick(["Host", "host", "Content-Length", "CONTENT-LENGTH", "X-a", "x-aB-cD", "Set-Cookie", "ETag", "TE", "WWW-Authenticate",
           "x_y", "a b", "", ":", "Very-Long-Header-Name-Indeed-More-Than-Twenty", "SEC-x", rand:bytes(3), "X-Y-Z-", "-"]),
     pick([":", ":", ": ", " :", "", ": \t"]),
     pick(["x", "", "1 2", "  lead", "trail  ", text(30), rand:bytes(5), "a\r\n b", "a\n\tb"]), line_end()].
