%% A port selects a descriptor that is always ready, and gives it up before it is told; another that selects it then was
%% never told, as what was on its way to the first was taken for its own.
-module(r_select_former).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    io:format("~p~n", [lists:usort([told() || _ <- lists:seq(1, 20)])]).

told() ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, []),
    port_control(Port, 0, ""),
    Told = receive {_, {data, What}} -> What after 60000 -> nothing end,
    port_close(Port),
    Told.
