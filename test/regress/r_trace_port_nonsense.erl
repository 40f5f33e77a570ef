%% What is no command of a port runs it, as `command` or `connect`. It was refused by who sent it, so nothing was told of
%% it.
-module(r_trace_port_nonsense).
-export([main/0]).
-include("../erl/heard.hrl").

main() ->
    process_flag(trap_exit, true),
    erlang:system_flag(system_logger, undefined),
    Me = self(),
    Tracer = spawn_link(fun F() -> receive M -> Me ! {told, M}, F() end end),
    Port = open_port({spawn, "cat"}, [binary]),
    erlang:trace(Port, true, [{tracer, Tracer}, send, 'receive', running_ports]),
    [begin
         Result = (catch Port ! Message),
         io:format("~p ~p: ~p~n", [What, Result =:= Message, told(Port, Tracer, 1)])
     end || {What, Message} <- [{atom, hello}, {tuple, {self(), foo}}, {bytes, {self(), {command, x}}},
                                {improper, {self(), {command, [a | b]}}}, {nobody, {hello, {command, <<>>}}},
                                {nobody_connects, {hello, {connect, self()}}}, {connect, {self(), {connect, x}}},
                                {triple, {self(), command, <<"x">>}}, {close, {self(), {close, x}}}]],
    io:format("~p~n", [try port_command(Port, [x]) catch C:R -> {C, R} end]),
    io:format("~p~n", [told(Port, Tracer, 0)]),
    register(a_port, Port),
    a_port ! hello,
    io:format("~p~n", [told(Port, Tracer, 1)]).

%% The two come from different senders: each in its own order.
told(Port, Tracer, Ends) ->
    Exits = heard(Ends, 100, fun(Wait) -> receive {'EXIT', Port, Reason} -> [Reason] after Wait -> [] end end),
    Reference = erlang:trace_delivered(all),
    receive {trace_delivered, all, Reference} -> ok end,
    Tracer ! last,
    {Exits, traced(Port)}.

traced(Port) ->
    receive
        {told, last} -> [];
        {told, {trace, Port, Event, What}} -> [{Event, What} | traced(Port)]
    end.
