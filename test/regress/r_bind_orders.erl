%% In which order schedulers would get the processors of a machine, by each bind type, for machines that are not this one.
-module(r_bind_orders).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    [begin
         erlang:system_flag(cpu_topology, Topology),
         io:format("~p~n", [[{T, order(T)} || T <- types()]])
     end || Topology <- topologies()].

types() ->
    [no_spread, thread_spread, processor_spread, spread, no_node_thread_spread, no_node_processor_spread,
     thread_no_node_processor_spread, default_bind, unbound, foo, 1, [], {spread}, "spread"].

order(T) ->
    try erts_debug:get_internal_state({fake_scheduler_bindings, T})
    catch Class:Reason:Stack -> {Class, Reason, hd(Stack)}
    end.

topologies() ->
    [made([{processor, N} | Below]) || N <- [1, 2, 3], Below <- [[{core, 4}], [{core, 1}, {thread, 4}], [{core, 2}, {thread, 2}]]]
        ++ [made([{node, 2}, {processor, P}, {core, C}, {thread, T}]) || P <- [1, 2], C <- [2, 3], T <- [1, 2, 3]]
        ++ [made([{processor, P}, {node, N}, {core, C}, {thread, 2}]) || P <- [1, 2], N <- [2, 4], C <- [1, 4]]
        ++ [uneven()].

%% Each level so many times within each of the one above; processors are numbered as they come.
made(Levels) -> element(1, levels(Levels, 0)).

levels([], N) -> {{logical, N}, N + 1};
levels([{Level, Count} | Below], N) ->
    {Ones, Next} = lists:mapfoldl(fun(_, N0) ->
                                      {One, N1} = levels(Below, N0),
                                      {{Level, One}, N1}
                                  end, N, lists:seq(1, Count)),
    {Ones, Next}.

uneven() ->
    {Nodes, Next} = lists:mapfoldl(fun(Levels, N) -> levels(Levels, N) end, 0,
                                   [[{node, 1}, {processor, 1}, {core, 3}, {thread, 2}],
                                    [{node, 1}, {processor, 2}, {core, 1}, {thread, 1}],
                                    [{node, 2}, {processor, 1}, {core, 2}, {thread, 3}]]),
    {Processors, _} = levels([{processor, 2}, {node, 2}, {core, 2}], Next),
    lists:append(Nodes) ++ Processors.
