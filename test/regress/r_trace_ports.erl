%% What is told of ports: the flags ports, running_ports, send and 'receive' of ports that exist, that come, and of one;
%% which flags each of them has then; and that match specifications have no say in what a port sends and receives.
%% Nothing was told.
%% (What the stock runtime tells of its port `forker`, and when it schedules a port, is left out.)
-module(r_trace_ports).
-export([main/0]).
-include("../erl/quiet.hrl").

main() ->
    process_flag(trap_exit, true),
    [story(Flags) || Flags <- [[ports], [send], ['receive'], [running_ports], [ports, send, 'receive'],
                               [ports, running_ports, set_on_link]]],
    flags(),
    one_port(),
    specifications(),
    names().

%% --- what happens to a port ---

story(Flags) ->
    Tracer = spawn_link(fun keeper/0),
    0 = erlang:trace(new_ports, true, [{tracer, Tracer} | Flags]),
    io:format("=== ~w~n", [Flags]),
    Port = open_port({spawn, "cat"}, [binary, eof]),
    Known = #{Port => port, self() => me},
    Say = fun(What) -> said(Tracer, What, Known) end,
    Say(open),
    register(a_port, Port), Say(register),
    unregister(a_port), Say(unregister),
    Other = spawn(fun() -> link(Port), receive unlink -> unlink(Port) end, receive stop -> ok end end),
    Say(linked), Other ! unlink, Say(unlinked),
    unlink(Port), Say(unlink), link(Port), Say(link),
    Monitor = monitor(port, Port), Say(monitor), demonitor(Monitor), Say(demonitor),
    true = port_command(Port, "hello"), got(Port), Say(command),
    Port ! {self(), {command, "two"}}, got(Port), Say(told_command),
    true = port_command(Port, [<<"bin">>, "x", [<<"y">>]]), got(Port), Say(command_iolist),
    Large = binary:copy(<<"x">>, 300),
    true = port_command(Port, ["small", Large, Large, "end"]), got(Port), Say(command_parts),
    {'EXIT', _} = (catch erlang:port_call(Port, 2, {a})), Say(call),
    _ = erlang:port_info(Port, input), Say(info),
    Third = spawn(fun() -> receive stop -> ok end end),
    port_connect(Port, Third), Say(connect),
    spawn(fun() -> port_connect(Port, Third) end), Say(connected_by_another),
    Port ! {Third, {connect, self()}}, Say(told_connect),
    exit(Port, normal), Say(exit_normal),
    [begin
         P = open_port({spawn, "cat"}, []), said(Tracer, none, Known), End(P), said(Tracer, {end_of, N}, Known#{P => port})
     end || {N, End} <- [{close, fun port_close/1}, {told, fun(P) -> P ! {self(), close} end},
                         {kill, fun(P) -> exit(P, kill) end},
                         {named, fun(P) -> register(a_port, P), port_close(P) end}]],
    erlang:trace(new_ports, false, [all]),
    unlink(Tracer),
    exit(Tracer, kill),
    flush().

got(Port) -> receive {Port, {data, _}} -> ok after 10000 -> io:format("nothing came~n") end.
flush() -> receive _ -> flush() after 0 -> ok end.

keeper() -> keeper([]).
keeper(Events) ->
    receive
        {say, Who} -> Who ! {self(), lists:reverse(Events)}, keeper([]);
        Event -> keeper([Event | Events])
    end.

said(Tracer, What, Known) ->
    quiet(),
    timer:sleep(60),
    Tracer ! {say, self()},
    Events = receive {Tracer, E} -> E end,
    What =:= none orelse io:format("~w: ~w~n", [What, [plain(E, Known) || E <- Events, not is_own_work(E)]]).

is_own_work({trace, _, _, 0}) -> true;
is_own_work(_) -> false.

plain(T, Known) when is_pid(T); is_port(T) -> maps:get(T, Known, other);
plain(T, Known) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T), Known));
plain([H | T], Known) -> [plain(H, Known) | plain(T, Known)];
plain(B, _) when byte_size(B) > 100 -> {bytes, byte_size(B)};
plain(T, _) -> T.

%% --- which flags they have ---

flags() ->
    Tracer = spawn(fun() -> receive stop -> ok end end),
    Port = open_port({spawn, "cat"}, []),
    [begin
         Changed = erlang:trace(Who, true, [{tracer, Tracer} | Flags]) > 0,
         New = open_port({spawn, "cat"}, []),
         io:format("~w ~w: ~w ~w~n", [case Who of Port -> it; _ -> Who end, Flags, Changed,
                                      [element(2, erlang:trace_info(P, flags)) || P <- [Port, New, new_ports, new]]]),
         [erlang:trace(P, false, [all]) || P <- [all, Port, New]],
         port_close(New)
     end || Who <- [ports, existing_ports, new_ports, all, existing, new, Port],
            Flags <- [[ports], [running_ports], [send], [call], [procs], [send, ports, procs, call], [set_on_spawn], [silent],
                      [all], [running], [timestamp]]],
    port_close(Port).

one_port() ->
    [Tracer, Another] = [spawn(fun() -> receive stop -> ok end end) || _ <- "12"],
    Port = open_port({spawn, "cat"}, []),
    io:format("~w~n", [[erlang:trace(Port, true, [ports, timestamp, scheduler_id, {tracer, Tracer}]),
                        {tracer, Tracer} =:= erlang:trace_info(Port, tracer), erlang:trace_info(Port, flags)]]),
    logger:set_primary_config(level, none),
    io:format("~w~n", [[element(1, catch F())
                        || F <- [fun() -> erlang:trace(Port, true, [ports, {tracer, Another}]) end,
                                 fun() -> erlang:trace_info(Port, traced) end,
                                 fun() -> erlang:trace_delivered(Port) end]]]),
    exit(Tracer, kill),
    quiet(),
    timer:sleep(30),
    port_command(Port, "x"),
    io:format("~w~n", [[erlang:trace_info(Port, I) || I <- [flags, tracer]]]),
    port_close(Port),
    io:format("~w ~w~n", [erlang:trace_info(Port, flags), element(1, catch erlang:trace(Port, true, [ports]))]),
    [begin
         erlang:trace(self(), true, [{tracer, Another} | Flags]),
         P = open_port({spawn, "cat"}, []),
         io:format("~w ~w~n", [Flags, [erlang:trace_info(X, flags) || X <- [P, self()]]]),
         erlang:trace(self(), false, [all]),
         port_close(P)
     end || Flags <- [[set_on_spawn, ports], [set_on_link, ports], [set_on_first_link, send], [ports, send]]].

%% --- match specifications ---

specifications() ->
    Tracer = spawn_link(fun keeper/0),
    Large = fun(Variable) -> [{[Variable, '$1'], [], [{message, {{about, '$1', {self}}}}]}] end,
    [begin
         erlang:trace_pattern(What, Spec, []),
         Port = open_port({spawn, "cat"}, [binary]),
         erlang:trace(Port, true, [send, 'receive', {tracer, Tracer}]),
         port_command(Port, "one"), got(Port), port_command(Port, "two"), got(Port),
         said(Tracer, {What, Name}, #{Port => port, self() => me}),
         io:format("~w~n", [erlang:trace_info(Port, flags)]),
         port_close(Port),
         said(Tracer, none, #{}),
         erlang:trace_pattern(What, true, [])
     end || {What, Name, Spec} <-
                [{send, all, true}, {send, none, false}, {send, words, Large('_')},
                 {send, data, [{['_', {'_', {data, <<"two">>}}], [], []}]},
                 {'receive', none, false},
                 {'receive', two, [{['_', '_', {'_', {command, <<"two">>}}], [], [{message, {{'$$'}}}]}]}]],
    unlink(Tracer),
    exit(Tracer, kill).

%% --- as it was opened ---

names() ->
    erlang:trace(new_ports, true, [ports]),
    [begin
         Port = open_port({spawn, "true " ++ Name}, []),
         receive {trace, Port, open, _, Atom} -> io:format("~w ~w~n", [length(atom_to_list(Atom)), Atom]) end,
         catch port_close(Port)
     end || Name <- ["", "a b", lists:duplicate(300, $x), "\x{e9}"]],
    erlang:trace(new_ports, false, [all]),
    flush().
