%% A socket that is closed while a file is sent drops what is queued, before the file and behind it: it sent all that.
-module(r_tcp_file_flush).
-export([main/0]).
-include("../erl/gone.hrl").

-define(QUEUED, 42000).
-define(FILE_BYTES, 4000000).

main() ->
    [io:format("~s: ~p~n", [What, dropped(Close)]) || {What, Close} <- [{"closed", fun(S, _) -> port_close(S) end},
        {"its owner is killed", fun(_, Owner) -> exit(Owner, kill) end}]].

dropped(Close) ->
    {Client, Server} = pair(),
    Path = filename:join(os:getenv("NIF_LIBRARIES", "/tmp"), ?MODULE_STRING "." ++ os:getpid()),
    ok = file:write_file(Path, binary:copy(<<2>>, ?FILE_BYTES)),
    Me = self(),
    Owner = spawn(fun() ->
        receive begin_it -> ok end,
        [ok = gen_tcp:send(Client, binary:copy(<<1>>, ?QUEUED div 6)) || _ <- lists:seq(1, 6)],
        {ok, File} = file:open(Path, [read, raw, binary]),
        Me ! sends,
        file:sendfile(File, Client, 0, 0, [])
    end),
    ok = gen_tcp:controlling_process(Client, Owner),
    Owner ! begin_it,
    receive sends -> ok end,
    sends_file(Owner),
    ok = gen_tcp:send(Client, <<3>>),
    Close(Client, Owner),
    gone(Client),
    Read = read(Server, 0),
    exit(Owner, kill),
    ok = file:delete(Path),
    {Read < ?QUEUED, Read > ?FILE_BYTES}.

%% It waits in there for its answer.
sends_file(Owner) ->
    case process_info(Owner, [status, current_function]) of
        [{status, waiting}, {_, {prim_inet, sendfile_1, _}}] -> ok;
        _ -> timer:sleep(5), sends_file(Owner)
    end.

read(Socket, Bytes) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} -> read(Socket, Bytes + byte_size(Data));
        {error, closed} -> Bytes
    end.

pair() ->
    {ok, Listener} = gen_tcp:listen(0, [{active, false}, binary, {recbuf, 4096}]),
    {ok, Number} = inet:port(Listener),
    {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, false}, binary, {sndbuf, 4096},
                                                               {high_watermark, 1000000}]),
    {ok, Server} = gen_tcp:accept(Listener),
    ok = gen_tcp:close(Listener),
    {Client, Server}.
