%% What has no bytes is no part of a driver's queue: none of a binary was one.
-module(r_port_queue_nothing).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Port = open_port({spawn, ?MODULE_STRING}, []),
    port_command(Port, "x"),
    receive {Port, {data, Told}} -> io:format("~s~n", [Told]) end.
