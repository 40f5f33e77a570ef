%% In which order a process hears that a connection is lost: links as they were made, then monitors of processes, of
%% names and of the node and requests to spawn as they were made, and last what it hears as one who monitors all nodes.
%% What was undone and made anew comes last of its kind.
-module(c_order).
-export([main/0, serve/0]).

-import(cluster, [do/2, call/4, start/1, connect/1, disconnect/1]).

main() ->
    B = start(b),
    do("one of each", fun() -> hears(B, [{link, 1}, {monitor, 2}, node, {name, 3}, {monitor, 1}, {link, 2}]) end),
    do("turned", fun() -> hears(B, [{name, 3}, {monitor, 1}, node, {monitor, 2}, {link, 2}, node, {link, 1}]) end),
    do("anew", fun() ->
        hears(B, [{link, 1}, {link, 2}, {link, 3}, {unlink, 1}, {link, 1}, {monitor, 1}, {monitor, 2}, {demonitor, 1},
                  node, {monitor, 3}, {monitor, 1}, no_node, node, {name, 2}, {name, 1}, {unname, 2}, {name, 2}])
    end),
    do("from there", fun() -> hears(B, [{linked, 3}, {link, 1}, {linked, 2}, {monitor, 1}, {linked, 1}]) end),
    do("asked for", fun() -> hears(B, [{monitor, 1}, request, {monitor, 2}, node, request, {name, 1}]) end),
    do("spawned", fun() -> hears(B, [{link, 1}, spawn_link, {link, 2}, {monitor, 1}, spawn_monitor, {monitor, 2}]) end),
    [do("drawn " ++ integer_to_list(Seed), fun() -> hears(B, drawn(Seed)) end) || Seed <- lists:seq(1, 25)].

drawn(Seed) ->
    rand:seed(exsss, Seed),
    [draw(rand:uniform(10), rand:uniform(5)) || _ <- lists:seq(1, 40)].

draw(1, _) -> node;
draw(2, _) -> no_node;
draw(3, N) -> {unlink, N};
draw(4, N) -> {demonitor, N};
draw(5, N) -> {unname, N};
draw(6, N) -> {name, N};
draw(7, N) -> {linked, N};
draw(8, N) -> {link, N};
draw(_, N) -> {monitor, N}.

hears(B, Steps) ->
    process_flag(trap_exit, true),
    connect(B),
    Pids = [call(B, erlang, spawn, [?MODULE, serve, []]) || _ <- lists:seq(1, 5)],
    [ask(Pid, fun() -> register(name(N), self()) end) || {N, Pid} <- enumerated(Pids)],
    net_kernel:monitor_nodes(true),
    Made = lists:foldl(fun(Step, Before) -> step(B, Pids, Step, Before) end, #{}, Steps),
    [receive {spawn_reply, Reference, ok, _} -> ok end || Reference <- maps:get(requests, Made, [])],
    disconnect(B),
    Told = [named(What, Pids) || What <- told()],
    net_kernel:monitor_nodes(false),
    [call(B, erlang, exit, [Pid, kill]) || Pid <- Pids],
    Told.

%% Made: the monitors that there are, and requests to spawn. Who is asked has heard of the step before.
step(B, Pids, Step, Made) ->
    After = do_step(B, Pids, Step, Made),
    [ask(Pid, fun() -> ok end) || Pid <- Pids],
    After.

do_step(B, _, node, Made) -> monitor_node(B, true), Made;
do_step(B, _, no_node, Made) -> monitor_node(B, false), Made;
do_step(B, _, spawn_link, Made) -> spawn_link(B, ?MODULE, serve, []), Made;
do_step(B, _, spawn_monitor, Made) -> spawn_monitor(B, ?MODULE, serve, []), Made;
do_step(B, _, request, Made) -> made(Made, requests, spawn_request(B, ?MODULE, serve, [], [monitor]));
do_step(_, Pids, {link, N}, Made) -> link(lists:nth(N, Pids)), Made;
do_step(_, Pids, {unlink, N}, Made) -> unlink(lists:nth(N, Pids)), Made;
do_step(_, Pids, {linked, N}, Made) -> Self = self(), ask(lists:nth(N, Pids), fun() -> link(Self) end), Made;
do_step(_, Pids, {monitor, N}, Made) -> made(Made, {pid, N}, monitor(process, lists:nth(N, Pids)));
do_step(B, _, {name, N}, Made) -> made(Made, {name, N}, monitor(process, {name(N), B}));
do_step(_, _, {demonitor, N}, Made) -> undone(Made, {pid, N});
do_step(_, _, {unname, N}, Made) -> undone(Made, {name, N}).

made(Made, Key, Monitor) -> Made#{Key => [Monitor | maps:get(Key, Made, [])]}.

undone(Made, Key) ->
    case maps:get(Key, Made, []) of
        [] -> Made;
        [Monitor | Others] -> demonitor(Monitor), Made#{Key => Others}
    end.

%% `global` of either node may connect them once more, as it hears late of the connection that goes.
told() ->
    receive
        {nodeup, _} -> told();
        M -> [M | told()]
    after 500 -> []
    end.

ask(Pid, Fun) ->
    Pid ! {self(), Fun},
    receive {Pid, Answer} -> Answer end.

serve() ->
    process_flag(trap_exit, true),
    receive
        {Pid, Fun} -> Pid ! {self(), Fun()}, serve();
        _ -> serve()
    end.

name(N) -> list_to_atom("name" ++ integer_to_list(N)).

enumerated(L) -> lists:zip(lists:seq(1, length(L)), L).

named({'EXIT', Pid, noconnection}, Pids) -> {link, number(Pid, Pids)};
named({'DOWN', _, process, {Name, _}, noconnection}, _) -> Name;
named({'DOWN', _, process, Pid, noconnection}, Pids) -> {monitor, number(Pid, Pids)};
named({nodedown, _}, _) -> nodedown;
named(Other, _) -> Other.

number(Pid, Pids) -> length(lists:takewhile(fun(P) -> P =/= Pid end, Pids)) + 1.
