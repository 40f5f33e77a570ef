%% Connections come and go: by whom they are made and refused, who is listed where, and who is told.
%% Deep: it starts a node for nearly each of its lines; the other programs here connect, too.
-module(c_connect).
-export([main/0]).

-import(cluster, [do/2, call/2, call/4, start/1, start/2, stop/1, kill/1, got/1, wait/1, connect/1, disconnect/1]).

main() ->
    B = start(b),
    C = start(c),
    listed(B, C),
    ordered(B, C),
    told(B),
    stop(C), %% else global has it connect whom a case has disconnected
    monitors(B),
    net_kernel_monitors(),
    hidden(),
    cookies(B),
    [cluster:disconnect(N) || N <- nodes(connected)],
    without_all(),
    auto_connect(),
    nobody(),
    at_once(B),
    again(B),
    names(),
    own_name(),
    listen_false(),
    identifiers(B).

sorted(Node, Kind) -> lists:sort(call(Node, erlang, nodes, [Kind])).

kinds(Node) ->
    [{Kind, sorted(Node, Kind)} || Kind <- [visible, hidden, connected, this, known, [this, visible], [], [hidden,
        known]]].

%% Who is listed, and with what.
listed(B, C) ->
    do("alone", fun() -> {node(), is_alive(), nodes(), nodes(connected), nodes(this)} end),
    do("ping", fun() -> connect(B) end),
    do("who watches the carrier", fun() ->
        [erlang:port_info(Port, monitored_by) || {_, Port} <- erlang:system_info(dist_ctrl)]
    end),
    do("lists here", fun() -> [{K, lists:sort(nodes(K))} || K <- [visible, hidden, connected, this, [this,
        visible]]] end),
    do("lists there", fun() -> [{K, L} || {K, L} <- kinds(B), K =/= known, K =/= [hidden, known]] end),
    do("the third is met", fun() ->
        connect(C),
        [wait(fun() -> lists:member(One, call(Other, erlang, nodes, [])) end) || {One, Other} <- [{B, C}, {C, B}]],
        [lists:sort([node() | nodes()]), sorted(B, visible), sorted(C, visible)]
    end),
    do("info", fun() -> lists:sort(nodes(visible, #{connection_id => false, node_type => true})) end),
    do("info of this", fun() -> nodes(this, #{connection_id => true, node_type => true}) end),
    do("connection ids", fun() ->
        [{N, is_integer(I)} || {N, #{connection_id := I}} <- lists:sort(nodes(visible,
            #{connection_id => true}))]
    end),
    do("no info", fun() -> lists:sort(nodes(visible, #{})) end),
    do("bad kinds", fun() ->
        [catch_error(fun() -> nodes(K) end) || K <- [foo, [foo], [visible | hidden], 1, {}, [[visible]]]] ++
            [catch_error(fun() -> nodes(visible, I) end) || I <- [foo, #{foo => true}, #{node_type => 1}, []]]
    end),
    do("ping itself", fun() -> {net_adm:ping(node()), net_kernel:connect_node(node()), nodes()} end),
    do("node/1", fun() -> [node(self()), node(call(B, erlang, self, [])), node(make_ref()), catch_error(fun() ->
        node(a) end)] end),
    do("connect again", fun() -> {net_kernel:connect_node(B), net_kernel:hidden_connect_node(B),
        lists:sort(nodes())} end).

%% Hidden ones first; this node is the last.
ordered(B, C) ->
    H = start(h, #{args => ["-hidden"]}),
    I = start(i, #{args => ["-hidden"]}),
    do("in order", fun() ->
        [connect(N) || N <- [H, B, I, C]],
        [{K, is_in_order(K)} ||
         K <- [connected, hidden, visible, [this, visible], [this, connected], [visible, hidden]]]
    end),
    [begin disconnect(N), stop(N) end || N <- [H, I]].

is_in_order(Kinds) ->
    All = nodes(Kinds, #{node_type => true}),
    {[Node || {Node, _} <- All] =:= nodes(Kinds), lists:usort([Type || {_, #{node_type := Type}} <- All]),
     [maps:get(Type, #{hidden => 1, visible => 2, this => 3}) || {_, #{node_type := Type}} <- All]}.

catch_error(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

told(B) ->
    do("disconnect", fun() -> {disconnect(B), erlang:disconnect_node(B), erlang:disconnect_node(node())} end),
    do("disconnect what is none", fun() ->
        [catch_error(fun() -> erlang:disconnect_node(N) end) || N <- [nobody@localhost, noname, 1, "a"]]
    end).

%% erlang:monitor_node/2,3: one message for each call, and none taken back too much.
monitors(B) ->
    do("monitor_node", fun() ->
        connect(B),
        [monitor_node(B, true) || _ <- [1, 2, 3]],
        monitor_node(B, false),
        disconnect(B),
        {lists:sort(got(2)), cluster:rest()}
    end),
    do("monitor_node of none", fun() ->
        {monitor_node(nobody@localhost, true), got(1), catch_error(fun() -> monitor_node(B, maybe) end),
         catch_error(fun() -> monitor_node(1, true) end), catch_error(fun() -> erlang:monitor_node(B, true,
             [foo]) end)}
    end),
    do("monitor_node connects", fun() ->
        monitor_node(B, true),
        wait(fun() -> lists:member(B, nodes()) end),
        monitor_node(B, false),
        disconnect(B),
        cluster:rest()
    end),
    do("monitor_node, passive", fun() ->
        {erlang:monitor_node(B, true, [allow_passive_connect]), cluster:is_soon(fun() -> lists:member(B, nodes()) end)}
    end),
    do("monitor_node of itself", fun() -> {monitor_node(node(), true), monitor_node(node(), false),
        cluster:rest()} end),
    do("taken back too often", fun() -> {monitor_node(B, false), monitor_node(B, false), cluster:rest()} end),
    do("taken back as it is lost", fun() ->
        There = call(B, erlang, spawn, [cluster, forever, []]),
        lists:usort(lists:append([taken_back(B, There) || _ <- lists:seq(1, cluster:deep(10, 100))]))
    end).

%% Who has taken it back hears nothing of it any more: the monitor of a process there says when all has come.
taken_back(B, There) ->
    connect(B),
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), watched(Self, B, There, N)} end) || N <- [1, 1, 2, 2]],
    [receive {Pid, ready} -> ok end || Pid <- Pids],
    erlang:disconnect_node(B),
    [receive {Pid, Told} -> Told end || Pid <- Pids].

watched(Self, B, There, N) ->
    [monitor_node(B, true) || _ <- lists:seq(1, N)],
    Monitor = monitor(process, There),
    Self ! {self(), ready},
    spin(fun() -> not lists:member(B, nodes(connected)) end),
    [monitor_node(B, false) || _ <- lists:seq(1, N)],
    nodedowns(B),
    receive {'DOWN', Monitor, _, _, Reason} -> {Reason, nodedowns(B)} end.

nodedowns(B) -> receive {nodedown, B} -> 1 + nodedowns(B) after 0 -> 0 end.

spin(Is) -> Is() orelse begin erlang:yield(), spin(Is) end.

%% What is told of that node: others come and go when global makes all know all.
of_node(D, Count) -> [receive M when element(2, M) =:= D -> M end || _ <- lists:seq(1, Count)].

net_kernel_monitors() ->
    do("monitor_nodes", fun() ->
        D = start(d),
        ok = net_kernel:monitor_nodes(true),
        ok = net_kernel:monitor_nodes(true),
        connect(D),
        Up = of_node(D, 2),
        disconnect(D),
        Down = of_node(D, 2),
        ok = net_kernel:monitor_nodes(false),
        connect(D),
        {Up, Down, [M || M <- cluster:rest(), element(2, M) =:= D]}
    end),
    [do(io_lib:format("monitor_nodes ~0p", [Options]), fun() -> monitor_nodes(Options) end) || Options <-
        [[], [nodedown_reason], [{node_type, visible}], [{node_type, hidden}], [{node_type, all}, nodedown_reason],
         #{}, #{nodedown_reason => true}, #{node_type => all}, #{node_type => hidden, nodedown_reason => true}]],
    do("monitor_nodes with ids", fun() ->
        D = start(d),
        ok = net_kernel:monitor_nodes(true, #{connection_id => true}),
        connect(D),
        [{nodeup, D, #{connection_id := Id}}] = of_node(D, 1),
        {D, #{connection_id := Id}} = lists:keyfind(D, 1, nodes(visible, #{connection_id => true})),
        stop(D),
        [{nodedown, D, #{connection_id := Id}}] = of_node(D, 1),
        is_integer(Id)
    end),
    do("monitor_nodes, wrong", fun() ->
        [catch_error(fun() -> net_kernel:monitor_nodes(A, O) end) || {A, O} <-
            [{true, [foo]}, {true, [{node_type, foo}]}, {maybe, []}, {true, #{foo => 1}}, {false, []}]]
    end).

%% What is told of a visible and of a hidden node that comes and is killed, is ended, is disconnected.
monitor_nodes(Options) ->
    ok = net_kernel:monitor_nodes(true, Options),
    ok = net_kernel:monitor_nodes(true, [{node_type, all}]),
    [begin
         D = start(d, #{args => Args}),
         pong = net_adm:ping(D),
         Count = case {node_type(Options), Args} of {visible, []} -> 2; {hidden, [_]} -> 2; {all, _} -> 2; _ -> 1 end,
         until(nodeup, D, Count),
         end_it(How, D),
         Told = until(nodedown, D, Count),
         How =:= disconnect andalso stop(D),
         {How, Args, Told}
     end || How <- [kill, disconnect], Args <- [[], ["-hidden"]]].

end_it(disconnect, D) -> erlang:disconnect_node(D);
end_it(kill, D) -> kill(D).

node_type(#{} = Options) -> maps:get(node_type, Options, visible);
node_type(Options) -> proplists:get_value(node_type, Options, visible).

%% The messages, when those of all subscriptions are there.
until(What, D, Count) ->
    Told = [receive M when element(1, M) =:= What, element(2, M) =:= D -> M end || _ <- lists:seq(1, Count)],
    sys:get_state(net_kernel),
    lists:sort(Told ++ [M || M <- cluster:rest(), element(2, M) =:= D]).

hidden() ->
    do("hidden", fun() ->
        D = start(d, #{args => ["-hidden"]}),
        connect(D),
        Kinds = [{K, lists:member(D, nodes(K))} || K <- [visible, hidden, connected, known]],
        There = [sorted(D, K) || K <- [visible, hidden, connected]],
        Info = nodes(hidden, #{node_type => true}),
        stop(D),
        {Kinds, There, Info}
    end),
    do("hidden by the call", fun() ->
        D = start(d),
        true = net_kernel:hidden_connect_node(D),
        Here = [lists:member(D, nodes(K)) || K <- [visible, hidden]],
        wait(fun() -> call(D, erlang, nodes, [connected]) =/= [] end),
        There = [sorted(D, K) || K <- [visible, hidden]],
        stop(D),
        {Here, There}
    end).

cookies(B) ->
    do("a cookie that is wrong here", fun() ->
        disconnect(B),
        erlang:set_cookie(B, wrong),
        R = {net_adm:ping(B), nodes(), erlang:get_cookie(), erlang:get_cookie(B)},
        cluster:wait_line(B, "Connection attempt from node"),
        erlang:set_cookie(B, among_ourselves),
        {R, net_adm:ping(B), disconnect(B)}
    end),
    do("a node with another", fun() ->
        D = start(d, #{cookie => "of_its_own"}),
        One = net_adm:ping(D),
        Two = call(D, net_adm, ping, [node()]),
        erlang:set_cookie(D, of_its_own),
        Three = net_adm:ping(D),
        disconnect(D),
        Four = call(D, net_adm, ping, [node()]),
        call(D, erlang, set_cookie, [node(), among_ourselves]),
        Five = call(D, net_adm, ping, [node()]),
        stop(D),
        erlang:set_cookie(D, among_ourselves),
        {One, Two, Three, Four, Five}
    end),
    do("of files", fun() ->
        D = start(d, #{cookie => false}),
        Length = length(atom_to_list(call(D, erlang, get_cookie, []))),
        erlang:set_cookie(D, call(D, erlang, get_cookie, [])),
        R = {Length, call(D, net_adm, ping, [node()]), net_adm:ping(D), stop(D)},
        erlang:set_cookie(D, among_ourselves),
        R
    end).

without_all() ->
    do("-connect_all false", fun() ->
        D = start(d, #{args => ["-connect_all", "false"]}),
        E = start(e),
        connect(E),
        connect(D),
        rpc:call(D, erlang, node, []),
        rpc:call(E, erlang, node, []),
        R = {sorted(D, visible), lists:member(D, call(E, erlang, nodes, []))},
        stop(D),
        stop(E),
        R
    end).

auto_connect() ->
    do("dist_auto_connect never", fun() ->
        D = start(d, #{args => ["-kernel", "dist_auto_connect", "never"]}),
        Here = node(),
        One = call(D, fun() -> {catch rpc:call(Here, erlang, node, []), net_adm:ping(Here), nodes()} end),
        Two = call(D, fun() -> {net_kernel:connect_node(Here), net_adm:ping(Here), nodes()} end),
        stop(D),
        {One, Two}
    end),
    do("dist_auto_connect once", fun() ->
        D = start(d, #{args => ["-kernel", "dist_auto_connect", "once"]}),
        E = start(e),
        One = call(D, net_adm, ping, [E]),
        call(D, erlang, disconnect_node, [E]),
        %% `global` of the other node, which hears late, may connect them once more.
        cluster:wait(fun() ->
            not lists:member(D, call(E, erlang, nodes, [])) orelse not is_boolean(call(D, erlang, disconnect_node, [E]))
        end),
        Two = call(D, net_adm, ping, [E]),
        Three = call(D, net_kernel, connect_node, [E]),
        Four = call(D, net_adm, ping, [E]),
        stop(D),
        stop(E),
        {One, Two, Three, Four}
    end).

nobody() ->
    do("names of none", fun() ->
        [{N, net_adm:ping(N), net_kernel:connect_node(N)} || N <- [nobody@localhost, 'b@no.such.host.invalid', nohost,
            '@localhost', 'b@', 'b@localhost@x', '']]
    end),
    do("sends to none", fun() ->
        [catch_error(fun() -> {name, N} ! hello end) || N <- [nobody@localhost, nohost, '']]
    end).

%% Both sides connect at the same time: one connection comes of it.
at_once(B) ->
    do("at once", fun() ->
        Here = node(),
        lists:usort([begin
            Self = self(),
            spawn_link(fun() -> Self ! {there, call(B, net_kernel, connect_node, [Here])} end),
            spawn_link(fun() -> Self ! {here, net_kernel:connect_node(B)} end),
            R = lists:sort(got(2)),
            Both = {nodes(), sorted(B, visible)},
            Node = rpc:call(B, erlang, node, []),
            disconnect(B),
            {R, Both, Node}
        end || _ <- lists:seq(1, cluster:deep(30, 300))])
    end),
    do("many at once", fun() ->
        D = start(d),
        E = start(e),
        All = [node(), D, E],
        Pairs = [{From, To} || From <- All, To <- All, From =/= To],
        %% `global` connects and disconnects, too, a while after: so each is tried until it is so.
        Are = fun(Count) ->
            [Count] =:= lists:usort([length(on(Node, erlang, nodes, [connected])) || Node <- All])
        end,
        R = [{cluster:is_soon(fun() ->
                  Tries = [spawn_monitor(fun() -> on(From, net_kernel, connect_node, [To]) end) || {From, To} <- Pairs],
                  [receive {'DOWN', M, process, P, _} -> ok end || {P, M} <- Tries],
                  Are(2)
              end),
              cluster:is_soon(fun() ->
                  [on(From, erlang, disconnect_node, [To]) || {From, To} <- Pairs],
                  Are(0)
              end)} || _ <- lists:seq(1, 5)],
        stop(D),
        stop(E),
        R
    end).

on(Node, M, F, A) when Node =:= node() -> apply(M, F, A);
on(Node, M, F, A) -> call(Node, M, F, A).

again(B) ->
    do("again and again", fun() ->
        Times = cluster:deep(50, 1000),
        All = [begin
            pong = net_adm:ping(B),
            R = {rpc:call(B, erlang, node, []), erlang:disconnect_node(B)},
            wait(fun() -> not lists:member(B, nodes()) end),
            R
        end || _ <- lists:seq(1, Times)],
        lists:usort(All)
    end).

%% Nodes that get their name late, from the other, or not at all.
names() ->
    do("net_kernel:start and stop", fun() ->
        D = start(d, #{name => false}),
        One = call(D, fun() -> {node(), is_alive(), nodes(), net_kernel:get_state(), node(self())} end),
        {Here, Cookie} = {node(), erlang:get_cookie()},
        Two = call(D, fun() ->
            {ok, _} = net_kernel:start(late@localhost, #{name_domain => shortnames}),
            erlang:set_cookie(Cookie),
            {node(), is_alive(), net_adm:ping(Here), nodes(), node(self()), net_kernel:get_state()}
        end),
        There = {lists:member(late@localhost, nodes()), rpc:call(late@localhost, erlang, node, [])},
        Three = call(D, fun() ->
            {net_kernel:stop(), cluster:is_soon(fun() -> not is_alive() end), node(), nodes(), net_kernel:stop()}
        end),
        wait(fun() -> not lists:member(late@localhost, nodes()) end),
        Four = {net_adm:ping(late@localhost)},
        Five = call(D, fun() ->
            {ok, _} = net_kernel:start([later@localhost, shortnames]),
            {node(), net_adm:ping(Here), net_kernel:start([x@localhost, shortnames])}
        end),
        stop(D),
        {One, Two, There, Three, Four, Five}
    end),
    do("a name given by the other", fun() ->
        D = start(d, #{name => "undefined"}),
        Here = node(),
        One = call(D, fun() -> {node(), is_alive(), nodes(), net_kernel:get_state()} end),
        {ok, Name} = call(D, fun() ->
            true = net_kernel:connect_node(Here),
            {ok, node()}
        end),
        Pid = rpc:call(Name, erlang, whereis, [init]),
        [_, Host] = string:split(atom_to_list(Name), "@"),
        Two = {Host =/= "", lists:member(Name, nodes(hidden)), node(Pid) =:= Name, rpc:call(Name, erlang, is_alive,
            [])},
        disconnect_named(D, Name),
        wait(fun() -> call(D, erlang, node, []) =:= nonode@nohost end), %% with its last connection it loses the name
        Three = call(D, erlang, is_alive, []),
        Again = call(D, fun() -> net_kernel:connect_node(Here) end),
        Four = {Again, call(D, erlang, node, []) =:= Name},
        stop(D),
        {One, Two, Three, Four}
    end).

%% Who monitors nodes hears that this one has got a name, and that it has none any more.
own_name() ->
    do("monitor_nodes tells of this node", fun() ->
        D = start(d, #{name => false}),
        All = [{first@localhost, []}, {second@localhost, [nodedown_reason, {node_type, all}]}, {third@localhost, #{}},
               {fourth@localhost, #{connection_id => true, node_type => visible, nodedown_reason => true}}],
        R = call(D, fun() -> [told_of_itself(Name, Options) || {Name, Options} <- All] end),
        stop(D),
        R
    end).

told_of_itself(Name, Options) ->
    ok = net_kernel:monitor_nodes(true, Options),
    {ok, _} = net_kernel:start(Name, #{name_domain => shortnames}),
    Up = got(1),
    ok = net_kernel:stop(),
    Down = got(1),
    ok = net_kernel:monitor_nodes(false, Options),
    {Up, Down}.

disconnect_named(D, Name) ->
    erlang:disconnect_node(Name),
    wait(fun() -> call(D, erlang, nodes, [connected]) =:= [] end).

listen_false() ->
    do("-dist_listen false", fun() ->
        D = start(d, #{args => ["-dist_listen", "false"]}),
        Here = node(),
        One = {net_adm:ping(D), call(D, fun() -> {node(), net_adm:ping(Here)} end)},
        Two = {lists:member(D, nodes(hidden)), rpc:call(D, erlang, node, [])},
        stop(D),
        {One, Two}
    end).

%% Identifiers of a node that is restarted name the earlier one.
identifiers(B) ->
    do("identifiers of an earlier node", fun() ->
        connect(B),
        Old = rpc:call(B, erlang, whereis, [init]),
        kill(B),
        B = start(b),
        connect(B),
        New = rpc:call(B, erlang, whereis, [init]),
        Ref = monitor(process, Old),
        Old ! hello,
        link(rpc:call(B, erlang, whereis, [kernel_sup])),
        process_flag(trap_exit, true),
        link(Old),
        {Old =:= New, Old == New, node(Old), lists:sort(got(2)) =:= lists:sort([{'DOWN', Ref, process, Old, noproc},
            {'EXIT', Old, noproc}])}
    end).
