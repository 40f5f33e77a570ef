%% A function that begins with the call of a built-in function which waits was told, counted and measured twice: the
%% process went on at the breakpoint of its entry.
-module(r_trace_called_again).
-export([main/0, collects/0, asks/1, suspends/1, traces/1, collects_in_between/0]).

collects() -> garbage_collect().
asks(P) -> process_info(P, [links]).
suspends(P) -> erlang:suspend_process(P).
traces(P) -> erlang:trace(P, true, [send]).
collects_in_between() -> {garbage_collect(), collects()}.

main() ->
    Other = spawn(fun() -> receive stop -> ok end end),
    [io:format("~p ~p: ~0p~n", [How, Name, traced(How, Name, Arguments)])
     || How <- [local, global, meta, call_count, call_time],
        {Name, Arguments} <- [{collects, []}, {asks, [Other]}, {suspends, [Other]}, {traces, [Other]},
                              {collects_in_between, []}]].

traced(How, Name, Arguments) ->
    Main = self(),
    P = spawn(fun() -> receive go -> Main ! {self(), called(Name, Arguments)} end, receive stop -> ok end end),
    1 = erlang:trace(P, true, [call]),
    Spec = case lists:member(How, [call_count, call_time]) of true -> true; false -> [{'_', [], [{return_trace}]}] end,
    erlang:trace_pattern({?MODULE, '_', '_'}, Spec, [How]),
    P ! go,
    receive {P, _} -> ok end,
    Delivered = erlang:trace_delivered(P),
    receive {trace_delivered, P, Delivered} -> ok end,
    Figures = [figure(How, {?MODULE, F, A}) || {F, A} <- [{Name, length(Arguments)}, {collects, 0}],
                                               How =:= call_count orelse How =:= call_time],
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [How]),
    P ! stop,
    {tags(P), Figures}.

called(Name, Arguments) ->
    catch apply(?MODULE, Name, Arguments).

figure(call_count, F) -> element(2, erlang:trace_info(F, call_count));
figure(call_time, F) -> [N || {_, N, _, _} <- element(2, erlang:trace_info(F, call_time))].

tags(P) ->
    receive
        {trace, P, Tag, {_, F, _}} -> [{Tag, F} | tags(P)];
        {trace, P, Tag, {_, F, _}, _} -> [{Tag, F} | tags(P)];
        {trace_ts, P, Tag, {_, F, _}, _} -> [{Tag, F} | tags(P)];
        {trace_ts, P, Tag, {_, F, _}, _, _} -> [{Tag, F} | tags(P)]
    after 0 -> []
    end.
