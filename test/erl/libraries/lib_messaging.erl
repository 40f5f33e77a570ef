%% The libraries of an XMPP and SIP server, as Debian built them for the stock runtime: names, stanzas, texts with
%% headers, digests, streams that are compressed or encrypted. What they need of sockets is left out.
%% Not under leaks: fast_tls keeps what it has read of certificates.
-module(lib_messaging).
-export([main/0]).
-include("l.hrl").
-include("../deep.hrl").

main() ->
    _ = logger:set_primary_config(level, none),
    {ok, _} = application:ensure_all_started(xmpp),
    names(),
    stanzas(),
    sip(),
    hashes(),
    compression(),
    encryption(),
    reloaded().

names() ->
    jid:start(),
    t(jid, fun() ->
        [jid:decode(J) || J <- [<<"user@Example.ORG/Some Place">>, <<"example.org">>, <<"ÄÖ@example.org"/utf8>>,
                                <<"example.org/a@b/c">>]]
    end),
    t(jid_bad, fun() ->
        [tried(fun() -> jid:decode(J) end) || J <- [<<>>, <<"@">>, <<"a@">>, <<"a@b@c">>, <<"a/">>, <<0>>, x]]
    end),
    t(jid_back, fun() -> [jid:encode(jid:decode(J)) || J <- [<<"A@B/C">>, <<"b/c/d">>, <<"x@y">>]] end),
    t(jid_parts, fun() ->
        J = jid:decode(<<"User@Host/There">>),
        {jid:tolower(J), jid:remove_resource(J), jid:replace_resource(J, <<"x">>), jid:split(J),
         jid:make(<<"u">>, <<"s">>), jid:string_to_usr(<<"a@b/c">>), jid:is_nodename(<<"a b">>)}
    end),
    xmpp_uri:start(),
    t(uri, fun() ->
        [{U, xmpp_uri:is_valid(U), tried(fun() -> xmpp_uri:check(U) end)}
         || U <- [<<"http://a.b/c?d=e#f">>, <<"no uri">>, <<"mailto:x@y">>, <<"xmpp:a@b">>, <<>>]]
    end),
    xmpp_lang:start(),
    t(lang, fun() ->
        [{L, xmpp_lang:is_valid(L)} || L <- [<<"en">>, <<"de-AT">>, <<"x">>, <<"en_US">>, <<>>, <<"zh-Hant">>]]
    end).

tried(F) -> try F() catch C:R -> {C, R} end.

stanzas() ->
    Texts = [<<"<message to='a@b.c' from='d@e.f/g' type='chat' xmlns='jabber:client' id='1'><body>Hi &amp; bye</body>"
               "<active xmlns='http://jabber.org/protocol/chatstates'/></message>">>,
             <<"<iq type='get' id='x' xmlns='jabber:client'><query xmlns='jabber:iq:roster'/></iq>">>,
             <<"<iq type='set' id='y' xmlns='jabber:client'><query xmlns='jabber:iq:roster'><item jid='a@b' name='N' "
               "subscription='both'><group>G</group></item></query></iq>">>,
             <<"<presence xmlns='jabber:client'><show>away</show><priority>5</priority>"
               "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='member' role='visitor'/></x>"
               "</presence>">>,
             <<"<iq type='result' id='z' xmlns='jabber:client'><query xmlns='http://jabber.org/protocol/disco#info'>"
               "<identity category='server' type='im'/><feature var='f'/></query></iq>">>,
             <<"<message xmlns='jabber:client' type='nonsense'/>">>,
             <<"<presence xmlns='jabber:client'><priority>high</priority></presence>">>],
    Stanza = fun(Text) ->
                 try xmpp:decode(fxml_stream:parse_element(Text), <<"jabber:client">>, []) of
                     S -> {S, fxml:element_to_binary(xmpp:encode(S))}
                 catch error:{xmpp_codec, Why} -> {bad, xmpp:format_error(Why)}
                 end
             end,
    [t({stanza, N}, fun() -> Stanza(Text) end) || {N, Text} <- lists:zip(lists:seq(1, length(Texts)), Texts)],
    t(many_stanzas, fun() ->
        Pids = [spawn_monitor(fun() -> exit(erlang:phash2([Stanza(T) || _ <- lists:seq(1, 50), T <- Texts])) end)
                || _ <- lists:seq(1, 10)],
        lists:usort([receive {'DOWN', Ref, _, _, Hash} -> Hash end || {_, Ref} <- Pids])
    end),
    t(scram, fun() -> binary:encode_hex(scram:salted_password(sha, <<"pencil">>, <<"salt">>, 4096)) end).

sip() ->
    esip_codec:start(),
    Text = <<"INVITE sip:bob@biloxi.example.com;transport=udp SIP/2.0\r\n"
             "Via: SIP/2.0/TCP client.atlanta.example.com:5060;branch=z9hG4bK74bf9\r\nMax-Forwards: 70\r\n"
             "From: \"Alice\" <sip:alice@atlanta.example.com>;tag=9fxced76sl\r\n"
             "To: Bob <sip:bob@biloxi.example.com>\r\nCall-ID: 3848276298220188511@atlanta.example.com\r\nCSeq: 1 INVITE\r\n"
             "Contact: <sip:alice@client.atlanta.example.com;transport=tcp>\r\nContent-Length: 4\r\n\r\nbody">>,
    t(sip, fun() -> esip_codec:decode(Text) end),
    t(sip_back, fun() -> {ok, S} = esip_codec:decode(Text), iolist_to_binary(esip_codec:encode(S)) end),
    t(sip_bad, fun() ->
        [esip_codec:decode(T) || T <- [<<>>, <<"x">>, <<"SIP/2.0 200 OK\r\n\r\n">>, binary:part(Text, 0, 100)]]
    end),
    [t({F, Arguments}, fun() -> apply(esip_codec, F, Arguments) end)
     || {F, Arguments} <- [{to_lower, [<<"AbC">>]}, {strcasecmp, [<<"AB">>, <<"ab">>]}, {strcasecmp, [<<"a">>, b]},
                           {str, [<<"abcabc">>, <<"ca">>]}, {to_integer, [<<"17">>, 1, 20]}, {escape, [<<"a b%">>]},
                           {unescape, [<<"a%20b">>]}, {split, [<<"a,b,,c">>, $,]}]],
    t(sip_uri, fun() -> esip_codec:decode_uri(<<"sip:u:p@h:99;a=b;c?d=e">>) end).

hashes() ->
    t(sha, fun() ->
        [p1_sha:sha(<<"text">>), p1_sha:to_hexlist(crypto:hash(sha, ["a", <<"b">>])), p1_sha:sha512(["x"])]
    end),
    t(sha_bad, fun() -> p1_sha:to_hexlist(x) end).

compression() ->
    {ok, _} = application:ensure_all_started(ezlib),
    t(zlib, fun() -> % some of what it returns is not written by the library
        State = ezlib:new(),
        Sent = [element(2, {ok, _} = ezlib:compress(State, D)) || D <- [<<"one">>, <<"two two two">>, <<0:80000>>]],
        [{byte_size(B), binary:part(B, 0, 6)} || B <- Sent]
    end),
    t(zlib_bad, fun() ->
        [tried(fun() -> ezlib:F(S, D) end)
         || {F, S, D} <- [{compress, x, <<>>}, {decompress, ezlib:new(), <<"no stream">>}, {compress, ezlib:new(), x}]]
    end),
    t(zlib_new, fun() ->
        [tried(fun() -> is_reference(ezlib:new(A, B, C)) end) || {A, B, C} <- [{9, 15, 8}, {99, 15, 8}, {x, 1, 1}]]
    end).

encryption() ->
    File = "/tmp/lib_messaging." ++ os:getpid() ++ ".pem",
    ok = file:write_file(File, pem()),
    try
        t(tls, fun() -> talk(list_to_binary(File)) end),
        t(tls_many, fun() ->
            Pids = [spawn_monitor(fun() -> exit(talk(list_to_binary(File))) end) || _ <- lists:seq(1, 8)],
            length(lists:usort([receive {'DOWN', Ref, _, _, Said} -> Said end || {_, Ref} <- Pids]))
        end),
        t(tls_certificates, fun() ->
            [fast_tls:add_certfile(<<"a.b">>, list_to_binary(File)),
             fast_tls:get_certfile(<<"a.b">>) =:= {ok, list_to_binary(File)},
             fast_tls:delete_certfile(<<"a.b">>), fast_tls:get_certfile(<<"a.b">>), fast_tls:clear_cache()]
        end),
        t(tls_bad, fun() ->
            [fast_tls:tcp_to_tls(none, O) || O <- [[], [{certfile, "/nowhere"}], [{certfile, <<"/nowhere.pem">>}]]]
        end),
        t(tls_garbage, fun() ->
            {ok, Server} = open(1, list_to_binary(File)),
            element(1, fast_tls:loop_nif(Server, <<>>, <<"GET / HTTP/1.0\r\n\r\n">>, -1))
        end)
    after
        file:delete(File)
    end.

%% Its own certificate, of nobody, and the key.
pem() ->
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBfjCCASWgAwIBAgIUGGAfujDQJS2YvF7vvtbLwxTMlP4wCgYIKoZIzj0EAwIw\n"
    "FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA1MzQ1NVoYDzIxMjYxMDI5\n"
    "MDUzNDU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n"
    "PQMBBwNCAAS+2ZCshqKDahWq1q/3RZnRistESi0WAbtJlGG3S7Uy+p1eu4+THV66\n"
    "MEOhdHtXpJObE9Qtgy6ZsHAZJUFVCpYCo1MwUTAdBgNVHQ4EFgQUXqvVKipNXm5Q\n"
    "uC+/Hc+6KjrvGJ4wHwYDVR0jBBgwFoAUXqvVKipNXm5QuC+/Hc+6KjrvGJ4wDwYD\n"
    "VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAgQ3kxf86Hk3RJupXVhiyT\n"
    "C/KBBsmhgsq/vM5GN3xF+gIgMoUlLEZk2izcST83Kj0ZOJZeTWQ12OHC7Kf9zBXp\n"
    "U8Y=\n"
    "-----END CERTIFICATE-----\n"
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgny0nsacAy2sOC3Ff\n"
    "asTAW+e4XPvQ/+jH3l/fY1wE4RahRANCAAS+2ZCshqKDahWq1q/3RZnRistESi0W\n"
    "AbtJlGG3S7Uy+p1eu4+THV66MEOhdHtXpJObE9Qtgy6ZsHAZJUFVCpYC\n"
    "-----END PRIVATE KEY-----\n".

open(Command, File) -> fast_tls:open_nif(Command bor 65536, File, <<>>, <<>>, <<>>, <<>>, <<>>, <<>>, <<>>, <<>>).

%% A client and a server in one process; the client begins, what one writes the other reads.
talk(File) ->
    {ok, Server} = open(1, File),
    {ok, Client} = open(2, <<>>),
    {Hello, <<>>} = fast_tls:loop_nif(Client, <<"from the client">>, <<>>, -1),
    Heard = exchange({Client, Server}, Hello, []),
    {Answer, <<>>} = fast_tls:loop_nif(Server, binary:copy(<<"from the server ">>, 2000), <<>>, -1),
    Heard2 = exchange({Server, Client}, Answer, []),
    {iolist_to_binary(Heard), erlang:md5(iolist_to_binary(Heard2)), fast_tls:get_negotiated_cipher_nif(Client)}.

exchange(_, <<>>, Heard) -> lists:reverse(Heard);
exchange({From, To}, Bytes, Heard) ->
    {Back, Read} = fast_tls:loop_nif(To, <<>>, Bytes, -1),
    exchange({To, From}, Back, [Read | Heard]).

%% The modules go and come back, with their libraries, while others call their functions, and load them meanwhile.
reloaded() ->
    Pids = [spawn_monitor(fun() -> work([]) end) || _ <- [1, 2, 3]],
    t(reloaded, fun() ->
        lists:usort([begin
                         [F(M) || F <- [fun purge/1, fun code:delete/1, fun purge/1]],
                         {M, code:load_file(M), M:start()}
                     end || _ <- lists:seq(1, deep(3, 12)), M <- [xmpp_uri, xmpp_lang]])
    end),
    [P ! stop || {P, _} <- Pids],
    t(workers, fun() -> lists:usort([receive {'DOWN', R, _, _, Why} -> Why end || {_, R} <- Pids]) end).

%% Nobody is killed.
purge(M) -> code:soft_purge(M) orelse purge(M).

work(Seen) ->
    Said = try {xmpp_uri:is_valid(<<"http://a.b">>), xmpp_lang:is_valid(<<"en">>)} catch error:R -> R end,
    receive stop -> exit(lists:usort([S || S <- Seen, S =/= undef])) after 0 -> work(lists:usort([Said | Seen])) end.
