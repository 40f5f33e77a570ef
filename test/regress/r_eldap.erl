%% eldap had no test: a client of LDAP, the encoding of which is a native library's, against a server that knows what is
%% asked here and no more.
-module(r_eldap).
-export([main/0]).

-include_lib("eldap/include/eldap.hrl").

main() ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {packet, asn1}, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listener),
    Self = self(),
    Server = spawn_link(fun() -> {ok, S} = gen_tcp:accept(Listener), serve(S, Self) end),
    {ok, Client} = eldap:open(["127.0.0.1"], [{port, Number}, {timeout, 60000}]),
    [io:format("~w: ~p~n  ~p~n", [What, Does(Client), receive {Server, Asked} -> Asked after 0 -> nothing end])
     || {What, Does} <- calls()],
    Monitor = monitor(process, Client),
    io:format("~w~n", [eldap:close(Client)]),
    receive {'DOWN', Monitor, process, Client, Reason} -> io:format("~w~n", [Reason]) end,
    receive {Server, Last} -> io:format("~p~n", [Last]) end,
    gen_tcp:close(Listener),
    io:format("~p~n", [eldap:open(["127.0.0.1"], [{port, Number}])]).

calls() ->
    [{bind, fun(C) -> eldap:simple_bind(C, "cn=root,dc=x", "secret") end},
     {bind_refused, fun(C) -> eldap:simple_bind(C, "cn=nobody", "wrong") end},
     {search, fun(C) -> eldap:search(C, [{base, "dc=x"}, {filter, eldap:'and'([eldap:equalityMatch("cn", "a"),
                                         eldap:'not'(eldap:present("mail"))])}, {attributes, ["cn", "sn"]}]) end},
     {search_parts, fun(C) -> eldap:search(C, [{base, "dc=x"}, {scope, eldap:singleLevel()},
                                               {filter, eldap:substrings("sn", [{initial, "B"}, {any, "e"},
                                                                                {final, "r"}])}]) end},
     {search_nothing, fun(C) -> eldap:search(C, #eldap_search{base = "dc=none", filter = eldap:greaterOrEqual("n", "7"),
                                                              size_limit = 3, timeout = 4}) end},
     {add, fun(C) -> eldap:add(C, "cn=Ber,dc=x", [{"objectclass", ["person"]}, {"cn", ["Ber"]}, {"sn", ["E"]}]) end},
     {modify, fun(C) -> eldap:modify(C, "cn=Ber,dc=x", [eldap:mod_replace("sn", ["New"]), eldap:mod_add("t", ["1", "2"]),
                                                        eldap:mod_delete("x", [])]) end},
     {modify_dn, fun(C) -> eldap:modify_dn(C, "cn=Ber,dc=x", "cn=Bob", true, "") end},
     {compare_as_delete, fun(C) -> eldap:delete(C, "cn=gone,dc=x") end},
     {bad, fun(C) -> catch eldap:search(C, [{base, "dc=x"}, {filter, no_filter}]) end},
     {password, fun(C) -> eldap:modify_password(C, "cn=Ber,dc=x", "new") end}].

%% It answers what is asked, and tells what that was.
serve(Socket, Owner) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Bytes} ->
            {ok, {'LDAPMessage', Id, Asked, _}} = 'ELDAPv3':decode('LDAPMessage', Bytes),
            Owner ! {self(), Asked},
            [begin
                 {ok, Answer} = 'ELDAPv3':encode('LDAPMessage', {'LDAPMessage', Id, Op, asn1_NOVALUE}),
                 ok = gen_tcp:send(Socket, Answer)
             end || Op <- answers(Asked)],
            serve(Socket, Owner);
        {error, closed} -> Owner ! {self(), closed}
    end.

%% --- what the server knows ---

answers({bindRequest, {'BindRequest', 3, _, {simple, Password}}}) ->
    [{bindResponse, {'BindResponse', case Password of <<"secret">> -> success; "secret" -> success; _ -> invalidCredentials end,
                     "", "", asn1_NOVALUE, asn1_NOVALUE}}];
answers({unbindRequest, _}) -> [];
answers({searchRequest, Search}) ->
    case text(element(2, Search)) of
        "dc=x" -> [{searchResEntry, {'SearchResultEntry', "cn=a,dc=x", [{'PartialAttribute', "cn", ["a"]},
                                                                       {'PartialAttribute', "sn", ["A", "E", ""]}]}},
                   {searchResEntry, {'SearchResultEntry', "cn=b,dc=x", []}},
                   {searchResRef, ["ldap://other/dc=x"]},
                   {searchResDone, result(success, "")}];
        _ -> [{searchResDone, result(noSuchObject, "")}]
    end;
answers({addRequest, _}) -> [{addResponse, result(success, "")}];
answers({modifyRequest, _}) -> [{modifyResponse, result(insufficientAccessRights, "not you")}];
answers({modDNRequest, _}) -> [{modDNResponse, result(success, "")}];
answers({delRequest, _}) -> [{delResponse, result(noSuchObject, "no such")}];
answers({extendedReq, _}) ->
    [{extendedResp, {'ExtendedResponse', unwillingToPerform, "", "no passwords here", asn1_NOVALUE, asn1_NOVALUE,
                     asn1_NOVALUE}}].

result(Code, Says) -> {'LDAPResult', Code, "", Says, asn1_NOVALUE}.

text(Bytes) when is_binary(Bytes) -> binary_to_list(Bytes);
text(Text) -> Text.
