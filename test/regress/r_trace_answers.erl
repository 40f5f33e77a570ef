%% Events that were not told, or told where stock tells none: a process that ends gives up its name; a collection meets
%% max_heap_size; hibernate/3. And what is answered about terms that are no processes, and no arities.
-module(r_trace_answers).
-export([main/0]).
-include("../erl/quiet.hrl").

main() ->
    Dead = spawn(fun() -> ok end),
    wait_for_end(Dead),
    [watchers(Whom, shown(Whom, Dead), Options) || Whom <- [foo, 1, {a}, "x", undefined, Dead, make_ref()],
                                                   Options <- [none, good, bad, improper, no_list]],
    [io:format("~p: ~p~n", [Setting, shown(catch_all(fun() -> erlang:system_monitor(Setting) end))])
     || Setting <- [foo, {foo, []}, {foo, [busy_port]}, {foo, bar}, {1, []}, undefined, {undefined, foo}, {a, b, c}]],
    [io:format("~p ", [catch_all(fun() -> erlang:function_exported(lists, seq, Arity) end)]) || Arity <- [-1, -300, 2, 300, a]],
    io:format("~n~p~n~p~n", [limited(true), limited(false)]),
    io:format("~p~n", [told(garbage_collection, fun() -> erlang:hibernate(lists, seq, [1, 2]) end)]),
    io:format("~p~n", [told(procs, fun() -> exit(bye) end)]),
    io:format("~p~n", [told(procs, fun() -> unregister(?MODULE) end)]),
    io:format("~p~n", [told(procs, fun() -> exit(self(), kill) end)]).

wait_for_end(P) ->
    Ref = monitor(process, P),
    receive {'DOWN', Ref, process, P, _} -> ok end.

shown(Dead, Dead) -> dead;
shown(Whom, _) when is_reference(Whom) -> reference;
shown(Whom, _) -> Whom.

shown({P, Settings}) when is_pid(P) -> {pid, Settings};
shown(Other) -> Other.

catch_all(F) -> try F() catch Class:Reason -> {Class, Reason} end.

watchers(Whom, Shown, Options) ->
    erlang:system_monitor(self(), [busy_port]),
    Monitor = catch_all(fun() -> erlang:system_monitor(Whom, options(Options, busy_port)) end),
    io:format("monitor ~p ~p: ~p ~p~n", [Shown, Options, shown(Monitor), shown(erlang:system_monitor())]),
    erlang:system_monitor(undefined),
    erlang:system_profile(self(), [scheduler]),
    Profile = catch_all(fun() -> erlang:system_profile(Whom, options(Options, exclusive)) end),
    io:format("profile ~p ~p: ~p ~p~n", [Shown, Options, shown(Profile), shown(erlang:system_profile())]),
    erlang:system_profile(undefined, []).

options(none, _) -> [];
options(good, Good) -> [Good];
options(bad, _) -> [bad];
options(improper, Good) -> [Good | x];
options(no_list, _) -> foo.

%% How often the limit is met depends on the sizes that a heap goes through.
limited(Kills) ->
    Limit = #{size => 1000, kill => Kills, error_logger => false},
    P = spawn_opt(fun() -> receive go -> length(lists:seq(1, 300000)) end end, [{max_heap_size, Limit}]),
    erlang:trace(P, true, [garbage_collection, procs]),
    P ! go,
    wait_for_end(P),
    Events = events(P),
    Limits = [[Key || {Key, _} <- Info] || {gc_max_heap_size, Info} <- Events],
    [Last, Before | _] = lists:reverse([Tag || {Tag, _} <- Events]),
    {length(Limits) > 0, lists:usort(Limits), Last, Kills andalso Before}.

told(Flag, F) ->
    P = spawn(fun() -> receive go -> F() end end),
    register(?MODULE, P),
    erlang:trace(P, true, [Flag]),
    P ! go,
    Flag =:= garbage_collection orelse wait_for_end(P),
    quiet(),
    timer:sleep(100),
    exit(P, kill),
    wait_for_end(P),
    events(P).

events(P) ->
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    taken(P).

taken(P) -> receive {trace, P, Tag, Info} -> [{Tag, Info} | taken(P)] after 0 -> [] end.
