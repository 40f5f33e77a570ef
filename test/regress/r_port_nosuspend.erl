%% A message that is not to suspend who sends it (erlang:send/3 with nosuspend, erlang:send_nosuspend/2,3) waited for a
%% busy port all the same; it is not sent.
-module(r_port_nosuspend).
-export([main/0]).

main() ->
    Port = open_port({spawn, "sleep 20"}, []),
    fill(Port, 1000),
    register(the_port, Port),
    Command = {self(), {command, "x"}},
    io:format("~p~n", [[{To, Options, erlang:send(destination(To, Port), Command, Options)} ||
                           To <- [port, name, with_node],
                           Options <- [[nosuspend], [nosuspend, noconnect], [noconnect, nosuspend]]]]),
    io:format("~p~n", [[erlang:send_nosuspend(Port, Command), erlang:send_nosuspend(Port, Command, [noconnect])]]),
    io:format("~p~n", [[erlang:send_nosuspend(the_port, Command),
                        erlang:send(Port, {self(), {command, x}}, [nosuspend])]]),
    io:format("connect ~p~n", [erlang:send(Port, {self(), {connect, self()}}, [nosuspend])]),
    receive {Port, connected} -> io:format("connected~n") end,
    badarg = try erlang:send(Port, Command, [nosuspend | bad]) catch error:E1 -> E1 end,
    process_flag(trap_exit, true),
    exit(Port, kill),
    receive {'EXIT', Port, Reason} -> io:format("~p~n", [Reason]) end,
    io:format("~p~n", [[erlang:send(Port, Command, [nosuspend]), erlang:send(self(), Command, [nosuspend]),
                        erlang:send_nosuspend(Port, Command)]]),
    badarg = try erlang:send(the_port, Command, [nosuspend]) catch error:E2 -> E2 end.

destination(port, Port) -> Port;
destination(name, _) -> the_port;
destination(with_node, _) -> {the_port, node()}.

%% Until it is busy.
fill(Port, N) when N > 0 ->
    port_command(Port, lists:duplicate(1000, $x), [nosuspend]) andalso fill(Port, N - 1).
