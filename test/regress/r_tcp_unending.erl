%% What may be a packet is none when as many bytes of it are there as the buffer and packet_size allow, and it still
%% cannot be said how long it is: so nobody has a socket gather bytes for ever. One that is allowed to be long comes in
%% time, however long it is.
-module(r_tcp_unending).
-export([main/0]).

main() ->
    [begin
         {Least, Buffer} = least_refused(Options, 1, 6000),
         w({unending_tag, Options}, {Least, Buffer})
     end || Options <- [[], [{packet_size, 100}], [{packet_size, 2000}], [{packet_size, 2000}, {buffer, 500}],
                        [{buffer, 500}, {packet_size, 2000}], [{buffer, 10}], [{buffer, 2000}],
                        [{buffer, 2000}, {packet_size, 1000}], [{recbuf, 3000}]]],
    [w({Type, Buffer}, told([{packet, Type}, {buffer, Buffer}], Bytes))
     || {Type, Bytes} <- packets(), Buffer <- lists:seq(1, 22)],
    [w({long_line, Type}, long(Type, Before)) || {Type, Before} <- [{http, <<"GET /">>}, {httph, <<"Host: ">>},
                                                                  {line, <<"a">>}]].

w(Label, X) -> io:format("~0p ~0p~n", [Label, X]).

packets() ->
    [{1, <<5, "abcde">>}, {2, <<0, 5, "abcde">>}, {4, <<0, 0, 0, 5, "abcde">>}, {asn1, <<16#30, 16#82, 0, 5, "abcde">>},
     {asn1, <<16#1f, 16#81, 16#81, 1, 16#82, 0, 5, "abcde">>}, {cdr, <<"GIOP", 1, 0, 0, 0, 5:32, "abcde">>},
     {fcgi, <<1, 1, 1:16, 5:16, 0, 0, "abcde">>}, {tpkt, <<3, 0, 9:16, "abcde">>}, {sunrm, <<5:32, "abcde">>},
     {ssl_tls, <<22, 3, 1, 5:16, "abcde">>}, {http, <<"GET / HTTP/1.0\r\n\r\n">>},
     {httph, <<"Host: x\r\nA: b\r\n c\r\n\r\n">>}, {line, <<"abcdefgh\n">>}].

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [binary, {ip, {127, 0, 0, 1}}, {active, true} | Options]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {S, C}.

told(Options, Bytes) ->
    {S, C} = pair(Options),
    ok = gen_tcp:send(C, Bytes),
    _ = gen_tcp:shutdown(C, write),
    Told = all(S),
    gen_tcp:close(C),
    gen_tcp:close(S),
    Told.

all(S) ->
    receive
        {tcp_closed, S} -> [closed];
        {tcp_error, S, Reason} -> [{error, Reason} | all(S)];
        {http, S, What} -> [What | all(S)];
        {ssl_tls, S, A, B, C} -> [{ssl_tls, A, B, C} | all(S)];
        {_, S, Data} -> [Data | all(S)]
    after 60000 -> [nothing]
    end.

%% Of a tag that does not end: how many bytes of it are too many.
least_refused(Options, Low, High) when High - Low =< 1 ->
    {S, C} = pair([{packet, asn1} | Options]),
    {ok, Buffer} = inet:getopts(S, [buffer]),
    [gen_tcp:close(X) || X <- [S, C]],
    {High, Buffer};
least_refused(Options, Low, High) ->
    Middle = (Low + High) div 2,
    case told([{packet, asn1} | Options], [16#1f, binary:copy(<<16#80>>, Middle)]) of
        [closed] -> least_refused(Options, Middle, High);
        [{error, emsgsize}, closed] -> least_refused(Options, Low, Middle)
    end.

-define(LONG, 3000000).

long(Type, Before) ->
    {S, C} = pair([{packet, Type}, {packet_size, 2 * ?LONG}] ++ [{buffer, 2 * ?LONG} || Type =:= line]),
    ok = gen_tcp:send(C, Before),
    [ok = gen_tcp:send(C, binary:copy(<<"x">>, ?LONG div 100)) || _ <- lists:seq(1, 100)],
    ok = gen_tcp:send(C, [[" HTTP/1.0" || Type =:= http], "\r\n\r\n"]),
    What = receive {_, S, X} -> size_of(X) after 60000 -> nothing end,
    [gen_tcp:close(X) || X <- [S, C]],
    What.

size_of({http_request, _, {abs_path, Path}, _}) -> length(Path);
size_of({http_header, _, _, _, Value}) -> length(Value);
size_of(Line) -> byte_size(Line).
