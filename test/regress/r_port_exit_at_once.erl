%% exit/2 to a port that rests is over when it returns: the port is gone, its driver has stopped, and who was linked to it
%% has been told. It was so only when a scheduler had run the port, and a driver that lets itself be opened once could not
%% be opened again.
-module(r_port_exit_at_once).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [io:format("~p ~p~n", [Reason, lists:usort([ended(Reason) || _ <- lists:seq(1, 50)])])
     || Reason <- [kill, why, normal]],
    ok.

%% Two at a time are refused by the driver.
ended(Reason) ->
    Port = open_port({spawn, ?MODULE_STRING}, [binary]),
    {error, einval} = try open_port({spawn, ?MODULE_STRING}, []) catch error:E -> {error, E} end,
    true = exit(Port, Reason),
    {erlang:port_info(Port), lists:member(Port, erlang:ports()),
     receive {'EXIT', Port, How} -> How after 0 -> nothing end}.
