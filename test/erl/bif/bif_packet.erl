-module(bif_packet).
-export([main/0]).
-include("c.hrl").

d(T, B) -> d(T, B, []).
d(T, B, O) -> c(erlang, decode_packet, [T, B, O]).

main() ->
    Types = [raw, 0, 1, 2, 4, asn1, sunrm, cdr, fcgi, tpkt, line, ssl_tls, http, httph, http_bin, httph_bin],
    [d(T, B) || T <- Types ++ [foo, 3], B <- [<<>>, <<1>>, <<0, 0, 0, 2, 1, 2, 3>>, a, <<1:1>>]],
    lengths(),
    lines(),
    [d(T, B) || B <- http(), T <- [http, httph, http_bin, httph_bin]],
    d(http, <<"GET / HTTP/1.1\r\n">>, [{packet_size, 5}]),
    d(http, <<"GET / HTTP/1.1\r\n">>, [{line_length, 5}]),
    d(httph, <<"Host: abcdefg\r\nx">>, [{line_length, 5}]),
    d(http, <<"GET / HT">>, [{packet_size, 5}]),
    [d(httph, list_to_binary([H, ": x\r\n\r\n"])) || H <- ["Cache-Control", "VIA", "host", "If-Modified-Since", "Www-Authenticate",
        "Content-Md5", "Set-Cookie2", "Keep-Alive", "Proxy-Connection", "Te", "Expect"]].

lengths() ->
    [d(4, B, O) || B <- [<<0, 0, 0, 9, 1>>, <<4, 0, 0, 1, 1>>, <<127, 255, 255, 255, 1>>, <<128, 0, 0, 0>>], O <- [[], [{packet_size, 8}], [{packet_size, 9}]]],
    [d(T, <<3, 1, 2>>, O) || T <- [1, 2, 4, raw], O <- [[], [{packet_size, 2}], [{packet_size, 3}]]],
    d(2, <<0, 3, 1, 2>>),
    [d(asn1, B) || B <- [<<16#30, 3, 1, 2, 3, 4>>, <<16#30, 16#81, 3, 1, 2, 3, 4>>, <<16#30, 16#82, 0, 3, 1, 2, 3, 4>>, <<16#30, 16#85, 0, 3, 1, 2, 3, 4>>,
        <<16#1f, 16#81, 1, 3, 1, 2, 3, 4>>, <<16#30, 16#82, 0>>, <<16#30, 16#82>>, <<16#30, 16#80, 1>>, <<16#1f, 16#81>>, <<16#30, 9, 1>>,
        <<16#30, 16#84, 255, 255, 255, 255>>, <<16#1f, 16#81, 16#82, 1, 3, 1, 2, 3, 4>>, <<16#1f, 1, 0, 3>>]],
    d(asn1, <<16#30, 9, 1>>, [{packet_size, 5}]),
    [d(sunrm, B) || B <- [<<128, 0, 0, 2, 1, 2, 3>>, <<0, 0, 0, 2, 1, 2, 3>>, <<128, 0, 0, 2, 1>>]],
    [d(cdr, B) || B <- [<<"GIOP", 1, 0, 0, 0, 0, 0, 0, 2, 9, 9, 9>>, <<"GIOP", 1, 0, 1, 0, 2, 0, 0, 0, 9, 9, 9>>, <<"GIOQ", 1, 0, 1, 0, 2, 0, 0, 0, 9, 9>>,
        <<"GIOP", 1, 0, 0>>, <<"X">>]],
    [d(fcgi, B) || B <- [<<1, 2, 3, 4, 0, 2, 1, 0, 7, 8, 9, 10>>, <<2, 2, 3, 4, 0, 2, 1, 0, 7, 8, 9, 10>>, <<1, 2, 3, 4, 0, 2, 1, 0, 7>>]],
    [d(tpkt, B) || B <- [<<3, 0, 0, 6, 1, 2, 3>>, <<3, 0, 0, 2, 1, 2, 3>>, <<4, 0, 0, 6, 1, 2, 3>>, <<3, 0, 0, 6, 1>>, <<3, 1, 0, 6, 1>>, <<3, 0, 0, 4, 1>>, <<3, 0, 0, 3, 1>>]],
    [d(ssl_tls, B) || B <- [<<22, 3, 1, 0, 2, 1, 2, 3>>, <<22, 3, 1, 0, 2, 1>>, <<128, 4, 1, 3, 0, 9, 9, 9>>, <<22, 3, 1, 255, 255, 1, 2, 3>>,
        <<99, 9, 1, 0, 2, 1, 2, 3>>, <<128, 2, 1, 3, 1>>, <<128, 11, 2, 3, 1, 0, 2, 0, 0, 0, 16, 1, 2, 3>>]],
    [d(ssl_tls, <<22, 3, 1, 0, N, 1, 2, 3>>, [{packet_size, 6}]) || N <- [2, 7]].

lines() ->
    [d(line, B) || B <- [<<"abc\ndef">>, <<"abc">>, <<"\n">>, <<97, 10, 1:1>>, tail(<<0:3, "ab\ncd">>)]],
    [d(line, B, [{line_length, N}]) || B <- [<<"abcdef\n">>, <<"ab">>, <<"ab\ncdef\n">>], N <- [0, 1, 2, 3, 6, 7, 8, -1, a]],
    [d(line, B, [{packet_size, N}]) || B <- [<<"abc\ndef">>, <<"abc">>], N <- [2, 3, 4, 1 bsl 40, (1 bsl 32) - 1, 1 bsl 32]],
    [d(line, <<"abc;def">>, [{line_delimiter, D}]) || D <- [$;, 256, -1, a]],
    [d(line, <<"abcdef\n">>, O) || O <- [[{packet_size, 3}, {line_length, 5}], [foo], foo]].

tail(<<_:3, T/bitstring>>) -> T.

http() ->
    [<<"GET / HTTP/1.1\r\nx">>, <<"GET / HTTP/1.1\nx">>, <<"GET / HTTP/1.1">>, <<"PATCH * HTTP/1.0\r\n">>, <<"FOO http://h.x:80/p?q HTTP/1.1\r\n">>,
     <<"GET http://h/ HTTP/0.9\r\n">>, <<"GET https://h:1/x HTTP/1.1\r\n">>, <<"GET ftp://h/x HTTP/1.1\r\n">>, <<"GET foo HTTP/1.1\r\n">>, <<"GET /\r\n">>,
     <<"GET\r\n">>, <<"CONNECT h:80 HTTP/1.1\r\n">>, <<"HTTP/1.1 200 OK\r\n">>, <<"HTTP/1.0 404 Not Found \r\n">>, <<"HTTP/1.1 200\r\n">>,
     <<"HTTP/1.1 20x OK\r\n">>, <<"Host: a.b\r\nx">>, <<"host:a.b\r\n\r\n">>, <<"X-foo-BAR:  v w \r\n\r\n">>, <<"\r\n">>, <<"\n">>,
     <<"Host: a\r\n  b\r\nC: d\r\n">>, <<"Host: a\r\n">>, <<"Host: a\r\n ">>, <<"bad header\r\nx">>, <<"averyveryverylongheadername-x: v\r\nx">>,
     <<"Content-length : 5\r\nx">>, <<": v\r\nx">>, <<" x: v\r\nx">>, <<"GET  /a  HTTP/1.1 \r\n">>, <<"get / http/1.1\r\n">>, <<"GET / HTTP/11.12\r\n">>,
     <<"GET / HTTP/x.y\r\n">>, <<"\r\nGET / HTTP/1.1\r\n">>, <<"GET http://h:x/ HTTP/1.1\r\n">>, <<"GET http://h HTTP/1.1\r\n">>,
     <<"GET http://h:8 HTTP/1.1\r\n">>, <<"GET x:y HTTP/1.1\r\n">>, <<"a_b-c.d: 1\r\nx">>, <<"GET /a b HTTP/1.1\r\nx">>, <<"X: \r\nx">>, <<"X:\r\nx">>].
