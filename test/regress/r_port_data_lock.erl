%% Who has a port data lock has a count of it, and so has a job: it could be freed while it was held. The port's memory
%% went with the port: a thread of the driver's with a count read what was freed.
-module(r_port_data_lock).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Port = open(),
    io:format("counts: ~s; ", [port_control(Port, $c, "")]),
    receive {Port, {data, Count}} -> io:format("told of it ~s~n", [Count]) end,
    io:format("late: ~s~n", [lists:usort([late(Port) || _ <- lists:seq(1, 20)])]).

open() -> open_port({spawn_driver, ?MODULE_STRING}, []).

late(Other) ->
    Port = open(),
    port_control(Port, $b, ""),
    true = port_close(Port),
    undefined = erlang:port_info(Port),
    [port_close(open()) || _ <- lists:seq(1, 50)], % its memory would be another's
    port_control(Other, $e, "").
