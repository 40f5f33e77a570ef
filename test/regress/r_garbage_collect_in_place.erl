%% A process that collects itself goes on at once, and a frame that the call ends is gone before.
-module(r_garbage_collect_in_place).
-export([main/0, dropped/1, kept/1]).

main() ->
    io:format("~p~n", [in_a_process(fun() -> dropped(binary:copy(<<1>>, 100000)), binaries() end)]),
    io:format("~p~n", [in_a_process(fun() -> kept(binary:copy(<<1>>, 100000)) end)]),
    io:format("~p~n", [in_a_process(fun applied/0)]),
    io:format("~p~n", [in_a_process(fun caught/0)]),
    io:format("~p~n", [in_a_process(fun() -> killed(lists:seq(1, 20000)) end)]),
    io:format("~p~n", [in_a_process(fun traced/0)]).

in_a_process(Do) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({done, Do()}) end),
    receive {'DOWN', Ref, process, Pid, Why} -> Why end.

dropped(Binary) ->
    id(ok),
    id(Binary),
    garbage_collect().

kept(Binary) ->
    Terms = [{N, [N], <<N:64>>, N * 1.5e300} || N <- lists:seq(1, 300)],
    true = garbage_collect(),
    Binaries = binaries(), % while it is needed
    {byte_size(Binary), Binaries, erlang:phash2(Terms)}.

binaries() -> length(element(2, process_info(self(), binary))).

applied() ->
    F = fun erlang:garbage_collect/0,
    {M, A} = {id(erts_internal), id([major])},
    {F(), apply(M, garbage_collect, A), apply(erlang, id(garbage_collect), []), lists:map(fun id/1, [F()])}.

caught() ->
    {catch garbage_collect(), element(1, element(2, catch erts_internal:garbage_collect(id(neither)))),
     try garbage_collect() of true -> fine after put(a, b) end, get(a)}.

killed(List) ->
    process_flag(max_heap_size, #{size => 1000, kill => true, error_logger => false}),
    garbage_collect(),
    hd(List).

%% The call is a call as any other one: it is told, with what it returns.
traced() ->
    Tracer = spawn(fun() -> calls([]) end),
    erlang:trace_pattern({erlang, garbage_collect, 0}, [{'_', [], [{return_trace}]}], []),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    true = id(garbage_collect()),
    erlang:trace(self(), false, [call]),
    erlang:trace_pattern({erlang, garbage_collect, 0}, false, []),
    Ref = erlang:trace_delivered(self()),
    receive {trace_delivered, _, Ref} -> ok end,
    Tracer ! {self(), all},
    receive {Tracer, All} -> All end.

calls(All) ->
    receive
        {From, all} -> From ! {self(), lists:reverse(All)};
        Event -> calls([setelement(2, Event, pid) | All])
    end.

id(X) -> X.
