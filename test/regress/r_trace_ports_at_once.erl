%% Ports are opened, written to, named, linked to, given away and closed, their owners killed, while all that is told of
%% them is switched on and off for all, for new ones and for single ones, and tracers end. Every port ends in the end.
-module(r_trace_ports_at_once).
-export([main/0]).
-include("../erl/deep.hrl").

main() ->
    logger:set_primary_config(level, none), % that a port has another tracer
    Before = length(erlang:ports()),
    Workers = [spawn_monitor(fun() -> rand:seed(exsss, N), work(deep(25, 60)) end) || N <- lists:seq(1, 6)],
    Switch = spawn_link(fun() -> rand:seed(exsss, 7), switch() end),
    [receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end || {Pid, Monitor} <- Workers],
    unlink(Switch),
    exit(Switch, kill),
    erlang:trace(all, false, [all]),
    io:format("~w~n", [until(fun() -> length(erlang:ports()) =:= Before end, 3000)]).

until(Holds, Times) ->
    Holds() orelse (Times > 0 andalso begin timer:sleep(20), until(Holds, Times - 1) end).

work(0) -> ok;
work(Times) ->
    Self = self(),
    Port = open_port({spawn, "cat"}, [binary, stream]),
    _ = [do(rand:uniform(9), Port) || _ <- lists:seq(1, 6)],
    case rand:uniform(4) of
        1 -> catch port_close(Port);
        2 -> Port ! {Self, close};
        3 -> unlink(Port), exit(Port, kill);
        4 -> {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end end),
             catch port_connect(Port, Pid), unlink(Port), Pid ! go,
             receive {'DOWN', Monitor, process, Pid, _} -> ok end
    end,
    flush(),
    work(Times - 1).

do(1, Port) -> catch port_command(Port, "some bytes");
do(2, Port) -> Port ! {self(), {command, binary:copy(<<"x">>, 1000)}};
do(3, Port) -> catch register(list_to_atom("port" ++ integer_to_list(rand:uniform(5))), Port);
do(4, Port) -> unlink(Port), catch link(Port);
do(5, Port) -> erlang:port_info(Port);
do(6, Port) -> demonitor(monitor(port, Port), [flush]);
do(7, Port) -> catch erlang:trace(Port, rand:uniform(2) =:= 1, [ports, running_ports, send, 'receive']);
do(8, Port) -> erlang:trace_info(Port, flags);
do(9, Port) -> receive {Port, _} -> ok after 1 -> ok end.

flush() -> receive _ -> flush() after 0 -> ok end.

switch() ->
    Tracer = spawn(fun() -> receive stop -> ok after rand:uniform(20) -> ok end end),
    Flags = lists:sublist([ports, running_ports, send, 'receive', timestamp, scheduler_id], rand:uniform(6)),
    Who = lists:nth(rand:uniform(6), [all, ports, new_ports, existing_ports, new, existing]),
    _ = (catch erlang:trace(Who, true, [{tracer, Tracer} | Flags])),
    _ = [erlang:trace_info(P, flags) || P <- erlang:ports()],
    rand:uniform(3) =:= 1 orelse erlang:trace(Who, false, Flags),
    switch().
