%% exit/2 to a port that rests is over when it returns: the port is gone, its driver has stopped, and who was linked to it
%% has been told. It was so only when a scheduler had run the port, and a driver that lets itself be opened once could not
%% be opened again. The same holds where the port has just been linked to, unlinked, monitored or sent something: that
%% takes effect at once, too, and leaves nothing for a scheduler to do. To send a large reason uses up the slice of who
%% sends it: the port was left to a scheduler then.
-module(r_port_exit_at_once).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [io:format("~p ~p ~p~n", [Before, Reason, lists:usort([ended(Before, Reason) || _ <- lists:seq(1, 50)])])
     || Before <- [nothing, unlink, link, relink, monitor, demonitor, send, all], Reason <- [kill, why, normal]],
    told(),
    with_large_reason(),
    asked_behind().

%% Two at a time are refused by the driver.
ended(Before, Reason) ->
    Port = open_port({spawn, ?MODULE_STRING}, [binary]),
    {error, einval} = try open_port({spawn, ?MODULE_STRING}, []) catch error:E -> {error, E} end,
    before(Before, Port),
    true = exit(Port, Reason),
    {erlang:port_info(Port), lists:member(Port, erlang:ports()), heard(Port)}.

before(nothing, _) -> ok;
before(unlink, Port) -> unlink(Port);
before(link, Port) -> link(Port);
before(relink, Port) -> unlink(Port), link(Port);
before(monitor, Port) -> monitor(port, Port);
before(demonitor, Port) -> demonitor(monitor(port, Port));
before(send, Port) -> Port ! {self(), {command, "x"}};
before(all, Port) -> [before(B, Port) || B <- [monitor, send, relink, demonitor]].

heard(Port) ->
    receive
        {'EXIT', Port, How} -> [{exit, How} | heard(Port)];
        {'DOWN', _, port, Port, How} -> [{down, How} | heard(Port)];
        {Port, {data, Bytes}} -> [{data, Bytes} | heard(Port)]
    after 0 -> []
    end.

%% Links and monitors show at once.
told() ->
    Port = open_port({spawn, ?MODULE_STRING}, [binary]),
    Self = self(),
    {links, [Self]} = erlang:port_info(Port, links),
    unlink(Port),
    io:format("~p~n", [erlang:port_info(Port, links)]),
    Ref = monitor(port, Port),
    {monitored_by, [Self]} = erlang:port_info(Port, monitored_by),
    demonitor(Ref),
    io:format("~p~n", [erlang:port_info(Port, monitored_by)]),
    true = exit(Port, bye),
    io:format("~p ~p~n", [try link(Port) catch error:E -> E end, heard(Port)]).

with_large_reason() ->
    Port = open_port({spawn, ?MODULE_STRING}, [binary]),
    true = exit(Port, lists:seq(1, 1000000)),
    io:format("~p ~p~n", [erlang:port_info(Port), [{exit, length(How)} || {exit, How} <- heard(Port)]]).

%% What is asked behind the end is asked of no port any more, though one slice handles both.
asked_behind() ->
    _ = erlang:system_flag(schedulers_online, 1),
    Port = open_port({spawn, ?MODULE_STRING}, [binary, {parallelism, true}]),
    true = exit(Port, kill),
    io:format("~p ~p~n", [erlang:port_info(Port), heard(Port)]).
