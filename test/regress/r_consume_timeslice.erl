%% What a driver says that it has used of a slice was nobody's. It is that of the process who runs the port himself, and
%% a message to a port ends a slice that is over; he is told to be out meanwhile (running_procs). A scheduler that runs
%% the port does so again for what is left, in order, and is told as one, whatever the port does.
%% Not under torture, give_away: slices are no longer told by what they are used for.
-module(r_consume_timeslice).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    _ = erlang:system_flag(schedulers_online, 1),
    [io:format("at once, ~w% of a slice, ~w: ~w~n", [Percent, What, events(false, Percent, What)])
     || Percent <- [0, 50, 100], What <- [bang, send, send_nosuspend, command, control, info, link, monitor, data, nonsense,
                                          exit]],
    [io:format("scheduled, ~w: ~w~n", [What, events(true, 0, What)]) || What <- [bang, send, monitor, nonsense]],
    [io:format("scheduled, each command a slice: ~w ~w~n", [What, slices(events(true, 100, What)) >= Commands])
     || {What, Commands} <- [{bang, 6}, {send, 3}]],
    [io:format("in order, then ~w: ~w~n", [End, in_order(End)]) || End <- [nothing, close, kill, ends]].

%% What is told of a process that does so, and of the port.
events(Parallel, Percent, What) ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, [{parallelism, Parallel}]),
    port_control(Port, Percent, ""),
    Self = self(),
    Pid = spawn(fun() -> receive go -> ok end, do(What, Port, Self), Self ! done, receive stop -> ok end end),
    Tracer = spawn_link(fun() -> told([]) end),
    erlang:trace(Port, true, [running_ports, {tracer, Tracer}]),
    erlang:trace(Pid, true, [running_procs, {tracer, Tracer}]),
    Pid ! go,
    receive done -> ok end,
    idle(Pid),
    _ = (catch erlang:trace(Port, false, [running_ports])),
    erlang:trace(Pid, false, [running_procs]),
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    Tracer ! {say, self()},
    Told = receive {Tracer, Events} -> Events end,
    Pid ! stop,
    catch port_close(Port),
    flush(),
    [plain(E) || E <- Told].

%% The stock runtime's last may be for nothing.
slices(Events) -> length([in || {in, 0} <- Events]).

%% It waits again, and the port has done all that it was told before.
idle(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> timer:sleep(20);
        _ -> erlang:yield(), idle(Pid)
    end.

told(Events) ->
    receive
        {say, Who} -> Who ! {self(), lists:reverse(Events)};
        Event -> told([Event | Events])
    end.

%% Where a process is told to be is another matter.
plain({trace, Pid, InOrOut, _}) when is_pid(Pid) -> InOrOut;
plain({trace, Port, InOrOut, What}) when is_port(Port) -> {InOrOut, What}.

do(bang, Port, Owner) ->
    Port ! {Owner, {command, "1"}}, Port ! {Owner, {command, "2"}}, Port ! {Owner, {command, "3"}},
    Port ! {Owner, {command, "4"}}, Port ! {Owner, {command, "5"}}, Port ! {Owner, {command, "6"}};
do(send, Port, Owner) ->
    [{Owner, {command, "1"}}, ok, {Owner, {command, "3"}}] =
        [erlang:send(Port, {Owner, {command, "1"}}), erlang:send(Port, {Owner, {command, "2"}}, []),
         erlang:send(Port, {Owner, {command, "3"}})];
do(send_nosuspend, Port, Owner) ->
    [ok, ok] = [erlang:send(Port, {Owner, {command, "1"}}, [nosuspend]),
                erlang:send(Port, {Owner, {command, "2"}}, [nosuspend])];
do(command, Port, _) -> port_command(Port, "1"), port_command(Port, "2"), port_command(Port, "3");
do(control, Port, _) -> port_control(Port, 0, ""), port_control(Port, 0, "");
do(info, Port, _) -> erlang:port_info(Port, name), erlang:port_info(Port, output);
do(link, Port, _) -> link(Port), unlink(Port), ok;
do(monitor, Port, _) -> demonitor(monitor(port, Port)), ok;
do(data, Port, _) -> erlang:port_set_data(Port, some), some = erlang:port_get_data(Port);
do(nonsense, Port, Owner) -> Port ! {Owner, nonsense}, ok;
do(exit, Port, _) -> exit(Port, normal).

flush() -> receive _ -> flush() after 0 -> ok end.

%% Each command takes a slice; a scheduler runs the port.
in_order(End) ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, [{parallelism, true}]),
    port_control(Port, 100, ""),
    Self = self(),
    [spawn(fun() -> [Port ! {Self, {command, [Name, N]}} || N <- lists:seq($1, $9)], over(End, Name, Port, Self) end)
     || Name <- "ab"],
    got(Port, #{$a => [], $b => []}).

%% Each says so when his commands are done; the port goes only after both.
over(nothing, Name, Port, _) -> Port ! {self(), {command, "ignored: is not the owner"}}, over(ends, Name, Port, self());
over(ends, _, Port, _) -> link(Port), exit(bye);
over(close, $a, Port, Owner) -> Port ! {Owner, close};
over(kill, $a, Port, _) -> exit(Port, kill);
over(_, $b, _, _) -> ok.

%% Until it ends: what came from each, in order.
got(Port, Had) ->
    receive
        {Port, {data, [Who, N]}} -> got(Port, Had#{Who := [N | map_get(Who, Had)]});
        {Port, closed} -> {closed, has_all(Had)};
        {'EXIT', Port, Reason} -> {Reason, has_all(Had)}
    after 60000 -> {nothing_more, Had}
    end.

has_all(Had) -> [lists:prefix(lists:reverse(Ns), "123456789") || Ns <- maps:values(Had)] ++ [lists:reverse(map_get($a, Had))].
