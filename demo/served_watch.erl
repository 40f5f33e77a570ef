%% What one types in a shell on the server: trace the page and what yaws has for pages, and replace both meanwhile.
-module(served_watch).
-export([prepare/0, trace/0, replace/0, stop/0]).

-define(MODULES, [served_page, yaws_api]).
-define(PAUSE, 20). % ms between two replacements

prepare() -> persistent_term:put(served_page, counters:new(1, [])), io:format("~nPREPARED~n").

%% Patterns for what is loaded later too. What earlier clients asked last is answered before.
trace() ->
    until_quiet(calls()),
    Counter = counters:new(2, [write_concurrency]),
    Tracer = spawn(fun() -> tell(Counter) end),
    register(served_tracer, Tracer),
    persistent_term:put(?MODULE, {Counter, calls()}),
    _ = [erlang:trace_pattern({M, '_', '_'}, true, [local]) || M <- ?MODULES],
    erlang:trace_pattern(on_load, true, [local]),
    erlang:trace(all, true, [call, {tracer, Tracer}]),
    io:format("~nTRACED~n").

replace() -> register(served_replacer, spawn(fun() -> replace(0) end)), io:format("~nREPLACED~n").

replace(Times) ->
    _ = [{module, M} = code:load_file(M) || M <- ?MODULES, code:soft_purge(M)],
    receive {stop, From} -> From ! {replaced, Times} after ?PAUSE -> replace(Times + 1) end.

%% The calls of the page since trace/0, how many of them were told, all that was told, replacements.
stop() ->
    Replaced = case whereis(served_replacer) of
        undefined -> 0;
        P -> P ! {stop, self()}, receive {replaced, Times} -> Times end
    end,
    until_quiet(calls()),
    erlang:trace(all, false, [call]),
    served_tracer ! {stop, self()},
    receive told -> ok end,
    {Counter, Before} = persistent_term:get(?MODULE),
    Calls = calls() - Before,
    erlang:trace_pattern(on_load, false, [local]),
    _ = [erlang:trace_pattern({M, '_', '_'}, false, [local]) || M <- ?MODULES],
    io:format("~nTOLD ~p ~p ~p ~p~n", [Calls, counters:get(Counter, 1), counters:get(Counter, 2), Replaced]).

calls() -> counters:get(persistent_term:get(served_page), 1).

%% The clients have gone, but what they asked last is answered still.
until_quiet(Calls) ->
    timer:sleep(200),
    case calls() of Calls -> ok; More -> until_quiet(More) end.

tell(Counter) ->
    receive
        {trace, _, call, {served_page, out, _}} -> count(Counter, 1);
        {trace, _, call, _} -> count(Counter, 2);
        {stop, From} -> last(Counter, From, erlang:trace_delivered(all))
    end.

count(Counter, Which) -> counters:add(Counter, Which, 1), tell(Counter).

last(Counter, From, Reference) ->
    receive
        {trace, _, call, {served_page, out, _}} -> counters:add(Counter, 1, 1), last(Counter, From, Reference);
        {trace, _, call, _} -> counters:add(Counter, 2, 1), last(Counter, From, Reference);
        {trace_delivered, all, Reference} -> From ! told
    end.
