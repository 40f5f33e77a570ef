%% What test suites ask of the inside of two nodes that are connected: records of links and monitors, of the processes
%% and of the connection; its number, its end, and what a node says that it can do.
-module(c_inside).
-export([main/0, obey/0]).

-import(cluster, [do/2, call/2, start/1, wait/1, disconnect/1, connect/1]).

main() ->
    B = start(b),
    set_state(B, available_internal_state, true),
    erts_debug:set_internal_state(available_internal_state, true),
    do("not connected", fun() -> not_connected(B) end),
    connect(B),
    do("numbers", fun() -> numbers(B) end),
    do("link", fun() -> link_records(B) end),
    do("monitors", fun() -> monitor_records(B) end),
    do("nodes", fun() -> node_records(B) end),
    do("ends", fun() -> ends(B) end),
    do("withheld", fun() -> withheld(B) end).

get_state(Node, What) when Node =:= node() -> erts_debug:get_internal_state(What);
get_state(Node, What) -> call(Node, fun() -> erts_debug:get_internal_state(What) end).

set_state(Node, What, To) -> call(Node, fun() -> erts_debug:set_internal_state(What, To) end).

not_connected(B) ->
    [catch_error(fun() -> get_state(node(), {What, Node}) end)
     || What <- [link_list, monitor_list, connection_id, dist_ctrl], Node <- [B, 'never@seen', nobody, 1]] ++
        [[get_state(node(), {What, node()}) || What <- [link_list, monitor_list]]].

catch_error(Fun) -> try Fun() catch C:R -> {C, R} end.

numbers(B) ->
    Id = fun() -> erts_debug:get_internal_state({connection_id, B}) end,
    Said = fun() -> [I || {N, #{connection_id := I}} <- nodes(connected, #{connection_id => true}), N =:= B] end,
    First = Id(),
    Same = [First] =:= Said(),
    disconnect(B),
    connect(B),
    [Same, [Id()] =:= Said(), Id() =:= First,
     integer_to_list(erts_debug:get_internal_state({channel_number, B})) =:=
         hd(string:tokens(pid_to_list(process_there(B)), "<.>")),
     is_port(erts_debug:get_internal_state({dist_ctrl, B}))].

process_there(B) -> call(B, fun() -> spawn(?MODULE, obey, []) end).

obey() ->
    receive
        {From, Ref, Fun} -> From ! {Ref, catch_error(Fun)}, obey();
        stop -> ok
    end.

tell(Pid, Fun) ->
    Ref = make_ref(),
    Pid ! {self(), Ref, Fun},
    receive {Ref, Answer} -> Answer after 90000 -> waited_too_long end.

%% The process and the connection tell it by the same number, on each side.
link_records(B) ->
    P = spawn(?MODULE, obey, []),
    Q = spawn(?MODULE, obey, []),
    There = process_there(B),
    [true = tell(Pid, fun() -> link(There) end) || Pid <- [P, Q]],
    wait(fun() -> length(links_of(B, There)) =:= 2 end),
    Two = [both_sides(P, There, B), both_sides(Q, There, B)],
    true = tell(P, fun() -> unlink(There) end),
    wait(fun() -> over(node(), B, P) =:= [] end),
    wait(fun() -> length(links_of(B, There)) =:= 1 end),
    One = [links_of(node(), P), [both_sides(Q, There, B)]],
    [exit(Pid, kill) || Pid <- [P, Q]],
    wait(fun() -> over(node(), B, Q) =:= [] andalso over(B, node(), There) =:= [] end),
    {Two, One, get_state(B, {link_list, There})}.

links_of(Node, Pid) -> [L || {erl_link, dist_process, _, linked, _} = L <- links(get_state(Node, {link_list, Pid}))].

links(undefined) -> [];
links(List) -> List.

over(Node, Other, Pid) ->
    [L || {erl_link, dist_process, Is, linked, _} = L <- get_state(Node, {link_list, Other}), Is =:= Pid].

both_sides(Here, There, B) ->
    [Id] = [I || {erl_link, dist_process, Other, linked, I} <- links_of(node(), Here), Other =:= There],
    [Far] = [I || {erl_link, dist_process, Other, linked, I} <- links_of(B, There), Other =:= Here],
    [{erl_link, dist_process, Here, linked, Id}] = [L || L <- over(node(), B, Here), element(5, L) =:= Id],
    [{erl_link, dist_process, There, linked, Far}] = [L || L <- over(B, node(), There), element(5, L) =:= Far],
    both.

%% Of a pid and of a name.
monitor_records(B) ->
    P = spawn(?MODULE, obey, []),
    There = call(B, fun() -> Pid = spawn(?MODULE, obey, []), register(inside_name, Pid), Pid end),
    ByPid = tell(P, fun() -> monitor(process, There) end),
    ByName = tell(P, fun() -> monitor(process, {inside_name, B}) end),
    Alias = tell(P, fun() -> monitor(process, There, [{alias, demonitor}]) end),
    wait(fun() -> length([1 || Ref <- [ByPid, ByName, Alias], of_ref(B, There, Ref) =/= []]) =:= 3 end),
    Names = #{P => here, There => there, B => b, node() => a},
    Records = [[cluster:named(of_ref(Node, Of, Ref), Names)
                || {Node, Of} <- [{node(), P}, {node(), B}, {B, node()}, {B, There}]]
               || Ref <- [ByPid, ByName, Alias]],
    [true = tell(P, fun() -> demonitor(Ref) end) || Ref <- [ByPid, ByName, Alias]],
    wait(fun() -> [1 || Ref <- [ByPid, ByName, Alias], of_ref(B, There, Ref) =/= []] =:= [] end),
    Left = [of_ref(Node, Of, Ref)
            || {Node, Of} <- [{node(), P}, {node(), B}, {B, node()}, {B, There}], Ref <- [ByPid, ByName, Alias]],
    [Pid ! stop || Pid <- [P, There]],
    {Records, Left}.

of_ref(Node, Of, Ref) -> [M || M <- get_state(Node, {monitor_list, Of}), element(4, M) =:= Ref].

node_records(B) ->
    P = spawn(?MODULE, obey, []),
    Of = fun() ->
        {[M || {erl_monitor, node, _, _, N, _} = M <- get_state(node(), {monitor_list, P}), N =:= B],
         over_connection(B, P)}
    end,
    Change = fun(On) -> true = tell(P, fun() -> monitor_node(B, On) end) end,
    States = [begin Change(On), Of() end || On <- [true, true, false, false]],
    Change(true),
    exit(P, kill),
    wait(fun() -> over_connection(B, P) =:= [] end),
    States.

over_connection(B, P) ->
    [{T, D, R, pid, E} || {erl_monitor, node = T, D, R, Pid, E} <- get_state(node(), {monitor_list, B}), Pid =:= P].

%% Its controller ends, and all that hangs on the connection.
ends(B) ->
    Controller = erts_debug:get_internal_state({dist_ctrl, B}),
    There = process_there(B),
    Ref = monitor(process, There),
    net_kernel:monitor_nodes(true, #{nodedown_reason => true}),
    Killed = erts_debug:set_internal_state(kill_dist_connection, B),
    Told = [receive {'DOWN', Ref, process, _, R1} -> R1 after 90000 -> never end,
            receive {nodedown, B, #{nodedown_reason := R2}} -> R2 after 90000 -> never end],
    wait(fun() -> erlang:port_info(Controller) =:= undefined end),
    net_kernel:monitor_nodes(false, #{nodedown_reason => true}),
    wait(fun() -> not lists:member(node(), call(B, fun() -> nodes(connected) end)) end),
    {Killed, Told, erts_debug:set_internal_state(kill_dist_connection, B)}.

%% Who says that it cannot be asked to spawn is not.
withheld(B) ->
    ok = set_state(B, remove_hopefull_dflags, 1 bsl 32),
    connect(B),
    Refused = spawn_there(B),
    ok = set_state(B, remove_hopefull_dflags, 0),
    StillRefused = spawn_there(B),
    disconnect(B),
    connect(B),
    [Refused, StillRefused, spawn_there(B)].

spawn_there(B) ->
    Ref = spawn_request(B, erlang, self, []),
    receive
        {spawn_reply, Ref, ok, Pid} -> node(Pid);
        {spawn_reply, Ref, Error, Why} -> {Error, Why}
    after 90000 -> never
    end.
