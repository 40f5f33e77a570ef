%% A socket that ignores its descriptor goes on where it was when it does so no more, and closes it when it is closed: what
%% was sent meanwhile stayed where it was. Twice the same is einval.
-module(r_inet_ignorefd).
-export([main/0]).

main() ->
    written_afterwards(),
    read_afterwards(),
    closed().

written_afterwards() ->
    {C, S} = pair([{sndbuf, 4096}, {high_watermark, 100000000}]),
    io:format("~p ~p~n", [prim_inet:ignorefd(C, true), prim_inet:ignorefd(C, true)]),
    io:format("~p~n", [gen_tcp:send(C, binary:copy(<<1>>, 1000000))]),
    io:format("~p~n", [gen_tcp:recv(S, 1000000, 300)]),
    io:format("~p ~p~n", [prim_inet:ignorefd(C, false), prim_inet:ignorefd(C, false)]),
    {ok, All} = gen_tcp:recv(S, 1000000, 60000),
    gen_tcp:close(C),
    io:format("~p ~p~n", [byte_size(All), gen_tcp:recv(S, 0, 60000)]).

read_afterwards() ->
    {C, S} = pair([{active, true}]),
    ok = prim_inet:ignorefd(C, true),
    ok = gen_tcp:send(S, "told"),
    io:format("~p~n", [told(300)]),
    ok = prim_inet:ignorefd(C, false),
    io:format("~p~n", [told(60000)]).

told(Time) -> receive M -> setelement(2, M, socket) after Time -> nothing end.

closed() ->
    {C, S} = pair([]),
    ok = prim_inet:ignorefd(C, true),
    ok = gen_tcp:close(C),
    io:format("~p~n", [gen_tcp:recv(S, 0, 60000)]).

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [{active, false}, binary, {recbuf, 4096}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary | [{active, false} || not lists:keymember(active, 1, Options)]] ++ Options),
    {ok, S} = gen_tcp:accept(L),
    {C, S}.
