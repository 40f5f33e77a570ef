%% Descriptors run out while a process sends a file and another waits behind it: that one has its turn.
-module(file_sender).
-export([main/0]).

main() ->
    {module, io} = code:ensure_loaded(io), % later no file can be opened
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Address} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, Address),
    {ok, S} = socket:accept(L),
    Self = self(),
    spawn_link(fun() -> send_file(C, Self) end),
    receive begun -> until_waiting(C, 1) end,
    spawn_link(fun() -> Self ! {sent, socket:send(C, "x", 5000)} end),
    until_waiting(C, 2),
    Sockets = all_descriptors([]),
    io:format("~p~n", [read_until_sent(S)]),
    [socket:close(X) || X <- Sockets],
    ok.

until_waiting(C, Writers) ->
    case socket:info(C) of
        #{num_writers := Writers} -> ok;
        _ -> timer:sleep(5), until_waiting(C, Writers)
    end.

send_file(C, Self) ->
    Name = filename:join(os:getenv("FOLDER"), "zeroes"),
    ok = file:write_file(Name, binary:copy(<<0>>, 30000000)),
    {ok, File} = file:open(Name, [read, raw]),
    Self ! begun,
    _ = socket:sendfile(C, File, 0, 30000000, infinity),
    timer:sleep(infinity).

all_descriptors(Sockets) ->
    case socket:open(inet, dgram, udp) of
        {ok, S} -> all_descriptors([S | Sockets]);
        {error, emfile} -> Sockets
    end.

read_until_sent(S) ->
    receive {sent, Result} -> Result
    after 0 ->
        _ = socket:recv(S, 0, 100),
        read_until_sent(S)
    end.
