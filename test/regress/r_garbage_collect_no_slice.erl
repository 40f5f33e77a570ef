%% A process that collects itself is not scheduled out for that.
%% Not under torture, give_away: it counts slices.
-module(r_garbage_collect_no_slice).
-export([main/0]).

main() ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({done, told()}) end),
    receive {'DOWN', Ref, process, Pid, Why} -> io:format("~p~n", [Why]) end.

%% Events of a process that collects itself: no `out` and `in` among them.
told() ->
    Tracer = spawn(fun() -> events([]) end),
    erlang:yield(),
    erlang:trace(self(), true, [running, {tracer, Tracer}]),
    true = garbage_collect(),
    true = garbage_collect(self(), [{type, minor}]),
    erlang:trace(self(), false, [running]),
    Ref = erlang:trace_delivered(self()),
    receive {trace_delivered, _, Ref} -> ok end,
    Tracer ! {self(), all},
    receive {Tracer, All} -> All end.

events(All) ->
    receive
        {trace, _, Event, _} -> events([Event | All]);
        {From, all} -> From ! {self(), lists:reverse(All)}
    end.
