%% What system_profile (runnable_ports) and system_monitor (long_schedule, busy_port) tell of ports. They told nothing.
-module(r_watched_ports).
-export([main/0]).
-include("../erl/quiet.hrl").

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Me = self(),
    Watcher = spawn_link(fun F() -> receive M -> Me ! {told, M}, F() end end),
    profiled(Watcher),
    monitored(Watcher).

profiled(Watcher) ->
    undefined = erlang:system_profile(Watcher, [runnable_ports, monotonic_timestamp]),
    Port = open_port({spawn, ?MODULE_STRING}, []),
    [begin Do(), io:format("~p ~p~n", [What, events(Watcher, Port)]) end || {What, Do} <- [
        {opened, fun() -> ok end},
        {control, fun() -> port_control(Port, 0, "") end},
        {command, fun() -> Port ! {self(), {command, "x"}} end},
        {info, fun() -> erlang:port_info(Port, links) end},
        {nonsense, fun() -> Port ! nonsense end},
        {timer, fun() -> port_control(Port, $t, ""), timer:sleep(300), quiet() end},
        {connect, fun() -> erlang:port_connect(Port, self()) end},
        {close, fun() -> port_close(Port) end}]],
    {Watcher, [runnable_ports | _]} = erlang:system_profile(undefined, []).

events(Watcher, Port) ->
    quiet(),
    timer:sleep(50),
    Watcher ! last,
    events_of(Port).

events_of(Port) ->
    receive
        {told, last} -> [];
        {told, {profile, Port, What, 0, Time}} when is_integer(Time) -> [What | events_of(Port)];
        {told, {profile, _, _, _, _}} -> events_of(Port)
    end.

monitored(Watcher) ->
    undefined = erlang:system_monitor(Watcher, [{long_schedule, 100}, busy_port]),
    Port = open_port({spawn, ?MODULE_STRING}, []),
    [begin
         port_control(Port, Key, ""),
         receive
             {told, {monitor, Port, long_schedule, [{timeout, T}, Operation]}} -> io:format("~p ~p~n", [T >= 100, Operation])
         end
     end || Key <- "tio"],
    port_control(Port, $b, ""),
    Me = self(),
    Waiting = [begin
         P = spawn_link(fun() -> Do() end),
         receive {told, {monitor, P, busy_port, Port}} -> io:format("~p~n", [What]), P end
     end || {What, Do} <- [{command, fun() -> port_command(Port, "x") end},
                           {message, fun() -> Port ! {Me, {command, "x"}} end}]],
    io:format("~p~n", [port_command(Port, "x", [nosuspend])]),
    port_control(Port, $f, ""),
    [receive {'EXIT', P, normal} -> ok end || P <- Waiting],
    unlink(Watcher),
    exit(Watcher, kill).
