%% A connection is lost, and wanted again while the loss is still being told: what belongs to the new one is not
%% ended by the old one's end.
-module(c_anew).
-export([main/0, sleep/0, linked_to/2]).

-import(cluster, [do/2, call/2, call/4, start/1, is_soon/1, connect/1, deep/2]).

main() ->
    B = start(b),
    watched_again(B),
    linked_again(B).

sleep() -> process_flag(trap_exit, true), receive stop -> ok end.

linked_to(Pid, Other) -> {links, Links} = process_info(Pid, links), lists:member(Other, Links).

%% Who hears that the node is down monitors it anew: he hears so once for each connection.
watched_again(B) ->
    do("watched again", fun() ->
        connect(B),
        Self = self(),
        First = spawn_link(fun() -> watcher(Self, B) end),
        receive {First, ready} -> ok end,
        Others = [spawn_link(fun() -> subscriber(Self) end) || _ <- lists:seq(1, 3000)],
        [receive {Pid, ready} -> ok end || Pid <- Others],
        [watch_one(First, B) || _ <- lists:seq(1, deep(5, 50))]
    end).

watch_one(First, B) ->
    erlang:disconnect_node(B),
    receive {First, again} -> ok end,
    connect(B),
    First ! {self(), tell},
    receive {First, Said} -> Said end.

subscriber(Self) ->
    ok = net_kernel:monitor_nodes(true),
    Self ! {self(), ready},
    deaf().

deaf() -> receive _ -> deaf() end.

watcher(Self, B) ->
    ok = net_kernel:monitor_nodes(true),
    Self ! {self(), ready},
    watch(Self, B).

watch(Self, B) ->
    receive {nodedown, B} -> ok end,
    monitor_node(B, true),
    Self ! {self(), again},
    receive {Self, tell} -> ok end,
    %% what was told in error came before the node was up
    receive {nodeup, B} -> ok end,
    Self ! {self(), receive {nodedown, B} -> told_of_the_old_one after 0 -> not_told end},
    monitor_node(B, false),
    watch(Self, B).

%% Who hears that the node is down undoes his link, and makes it anew.
linked_again(B) ->
    do("linked again", fun() ->
        process_flag(trap_exit, true),
        There = call(B, erlang, spawn, [?MODULE, sleep, []]),
        connect(B),
        [spawn_link(fun() -> process_flag(trap_exit, true), link(There), deaf() end) || _ <- lists:seq(1, 3000)],
        [link_one(B, There) || _ <- lists:seq(1, deep(5, 50))]
    end).

%% `global` may connect them once more, or at the same time: a connection that is lost takes the link, and the round
%% begins again. Who watches the node hears of that.
link_one(B, There) ->
    connect(B),
    link(There),
    monitor_node(B, true),
    erlang:disconnect_node(B),
    receive {nodedown, B} -> ok end,
    unlink(There),
    receive {'EXIT', There, _} -> ok after 0 -> ok end,
    monitor_node(B, true), %% before the link: that may be made by a later connection, which is not lost with this one
    link(There),
    connect(B),
    Self = self(),
    Is = is_soon(fun() -> is_lost(B) orelse call(B, ?MODULE, linked_to, [There, Self]) end),
    Lost = is_lost(B),
    monitor_node(B, false),
    Heard = receive {'EXIT', There, Reason} -> Reason after 0 -> nothing end,
    case Lost of
        true -> receive {nodedown, B} -> link_one(B, There) end;
        false -> {Heard, linked_to(Self, There), Is}
    end.

is_lost(B) ->
    {messages, Messages} = process_info(self(), messages),
    lists:member({nodedown, B}, Messages).
