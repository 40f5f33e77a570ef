%% What test suites ask of nodes and connections, without other nodes: what is counted is told with who has it.
-module(r_internal_nodes).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    {{node_references, Nodes}, {dist_references, Connections}} =
        erts_debug:get_internal_state(node_and_dist_references),
    Other = binary_to_term(<<131, 88, 119, 3, "a@b", 7:32, 0:32, 1:32>>),
    {{node_references, More}, _} = erts_debug:get_internal_state(node_and_dist_references),
    Names = fun(List) -> [Name || {{Name, _}, _, _} <- List] end,
    io:format("~p ~p ~p~n", [lists:member('a@b', Names(Nodes)), lists:member('a@b', Names(More)), node(Other)]),
    Sum = fun(Referrers) -> lists:sum([Count || {_, Kinds} <- Referrers, {_, Count} <- Kinds]) end,
    io:format("~p~n", [[Entry || {_, Count, Referrers} = Entry <- More ++ Connections, Count > 0,
                                 Sum(Referrers) =/= Count]]),
    io:format("~p~n", [erts_debug:get_internal_state({dist_ctrl, c@d})]),
    Sets = erts_debug:get_internal_state(max_atom_out_cache_index),
    io:format("~p~n", [[A || A <- [a, b, node()], erts_debug:get_internal_state({atom_out_cache_index, A}) > Sets]]),
    [net_kernel:monitor_nodes(true, Options) || Options <- [[], [], [nodedown_reason], [{node_type, hidden}]]],
    Mine = fun() -> lists:sort([O || {P, O} <- erts_debug:get_internal_state(monitoring_nodes), P =:= self()]) end,
    io:format("~p~n", [Mine()]),
    [net_kernel:monitor_nodes(false, Options) || Options <- [[], [nodedown_reason], [{node_type, hidden}]]],
    io:format("~p~n", [Mine()]).
