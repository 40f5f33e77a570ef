%% dbg:trace_port(ip, _) with dbg:trace_client(ip, _) had no test.
%% (Clients that come late are left out: the stock driver has crashed both runtimes where one was given what had waited.)
-module(r_dbg_ip).
-export([main/0]).

main() ->
    [io:format("~w~n", [told(Size, Calls)]) || {Size, Calls} <- [{200, 50}, {200, 7}]],
    io:format("~w~n", [[element(1, catch dbg:trace_port(ip, Bad)) || Bad <- [no_port, {0, no_queue}]]]).

%% The arguments of the calls that a client was told of. What it is told when the port goes is left out: that depends on
%% which of the two is quicker.
told(Size, Calls) ->
    {ok, _} = dbg:tracer(port, dbg:trace_port(ip, {0, Size})),
    {ok, _} = dbg:p(self(), [c]),
    {ok, _} = dbg:tp(lists, seq, 2, []),
    {ok, Number} = dbg:trace_port_control(get_listen_port),
    Self = self(),
    Client = dbg:trace_client(ip, Number, {fun(Event, none) -> Self ! {event, Event}, none end, none}),
    Monitor = monitor(process, Client),
    call(1, Calls),
    Events = events(Calls),
    dbg:stop_clear(),
    receive {'DOWN', Monitor, process, Client, _} -> ok end,
    receive {event, _} -> ok after 0 -> ok end,
    Events.

call(N, Calls) when N > Calls -> ok;
call(N, Calls) -> [1 | _] = lists:seq(1, N), call(N + 1, Calls).

events(0) -> [];
events(Calls) ->
    receive
        {event, {trace, _, call, {lists, seq, [1, N]}}} -> [N | events(Calls - 1)];
        {event, Other} -> [Other]
    after 60000 -> [nothing_more]
    end.
