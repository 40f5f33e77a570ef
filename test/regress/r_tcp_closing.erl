%% A socket whose port is closing while it still writes answers what it is asked, and tells its owner nothing any more: it
%% told him of what its peer did.
-module(r_tcp_closing).
-export([main/0]).
-include("../erl/gone.hrl").

-define(QUEUED, 42000).

main() ->
    [io:format("~s: ~p~n", [What, told(F)]) || {What, F} <- cases()].

cases() ->
    Asked = fun(Client, _) ->
                {ok, [{send_pend, Left}]} = inet:getstat(Client, [send_pend]),
                {Left > 0, inet:setopts(Client, [{packet, 2}]), inet:getopts(Client, [packet])}
            end,
    Active = fun(Client, _) -> inet:setopts(Client, [{active, true}]) end,
    Resets = fun(Client, Server) ->
                 ok = inet:setopts(Client, [{active, true}]),
                 ok = inet:setopts(Server, [{linger, {true, 0}}]),
                 ok = gen_tcp:close(Server)
             end,
    [{"asked", Asked}, {"made active", Active}, {"its peer resets", Resets}].

told(F) ->
    {Client, Server} = pair(),
    [ok = gen_tcp:send(Client, binary:copy(<<1>>, ?QUEUED div 6)) || _ <- lists:seq(1, 6)],
    ok = gen_tcp:send(Server, "back"),
    unlink(Client),
    true = port_close(Client),
    Result = F(Client, Server),
    read_all(Server),
    gone(Client),
    {Result, receive Told -> Told after 0 -> nothing end}.

%% The last of it may be lost: not all was read at the other end.
read_all(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, _} -> read_all(Socket);
        {error, _} -> ok
    end.

pair() ->
    {ok, Listener} = gen_tcp:listen(0, [{active, false}, binary, {recbuf, 4096}]),
    {ok, Number} = inet:port(Listener),
    {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, false}, binary, {sndbuf, 4096},
                                                            {high_watermark, 1000000}]),
    {ok, Server} = gen_tcp:accept(Listener),
    ok = gen_tcp:close(Listener),
    {Client, Server}.
