%% net_kernel:monitor_nodes/1,2: a process hears of a node by its subscriptions in the order in which they came, by each
%% as often as it counts; one that counts more keeps its place, one that was taken back comes last when it comes again.
%% This node itself is given a name and loses it. Not under leaks: what this node was called once stays.
-module(r_monitor_nodes_order).
-export([main/0]).

-define(OPTIONS, [[], #{}, [nodedown_reason], [{node_type, all}], #{connection_id => true}, [{node_type, visible}],
                  #{node_type => all, nodedown_reason => true}, [{node_type, hidden}], [{node_type, hidden}, nodedown_reason],
                  #{node_type => visible, connection_id => true}]).

main() ->
    [order(Name, Steps) || {Name, Steps} <- [
        {"one of each", [{true, N} || N <- lists:seq(1, 10)]},
        {"turned", [{true, N} || N <- lists:seq(10, 1, -1)]},
        {"more of the first", [{true, 6}, {true, 1}, {true, 3}, {true, 6}, {true, 1}, {true, 6}]},
        {"off", [{true, 3}, {true, 3}, {true, 1}, {true, 6}, {false, 3}, {false, 2}, {false, 3}]},
        {"off and on", [{true, 3}, {true, 1}, {true, 3}, {true, 6}, {false, 3}, {true, 3}, {true, 5}, {true, 1}]},
        {"all off", [{true, 1}, {true, 2}, {true, 1}, {false, 2}, {false, 1}, {false, 1}]}]],
    random(40),
    many(3000).

order(Name, Steps) ->
    Said = [net_kernel:monitor_nodes(On, lists:nth(N, ?OPTIONS)) || {On, N} <- Steps],
    io:format("~s ~p~n", [Name, lists:usort(Said)]),
    Kernel = up(),
    Up = heard(0),
    io:format("  up ~0p~n", [Up]),
    exit(Kernel, kill),
    io:format("  down ~0p~n", [heard(length(Up))]),
    nameless(),
    all_off().

all_off() -> [net_kernel:monitor_nodes(false, Options) || Options <- ?OPTIONS].

up() ->
    Kernel = spawn(fun() -> receive never -> ok end end),
    register(net_kernel, Kernel),
    true = erlang:setnode(a@b, 5),
    Kernel.

%% The end of who had the name may be told before that.
nameless() ->
    case node() of
        nonode@nohost -> ok;
        _ -> erlang:yield(), nameless()
    end.

%% So many at least.
heard(0) -> receive M -> [M | heard(0)] after 0 -> [] end;
heard(Count) -> receive M -> [M | heard(Count - 1)] end.

%% What a model says: a list in which each keeps its place.
random(0) -> ok;
random(Seed) ->
    rand:seed(exsss, Seed),
    Model = lists:foldl(fun(_, Before) -> step(rand:uniform(10), rand:uniform(4) > 1, Before) end, [], lists:seq(1, 40)),
    Kernel = up(),
    Expected = [nodeup || {N, Count} <- Model, N =/= 8, N =/= 9, _ <- lists:seq(1, Count)],
    Heard = heard(0),
    io:format("~p: ~p ~0p ~p~n", [Seed, length(Heard) =:= length(Expected), Model, erlang:phash2(Heard)]),
    exit(Kernel, kill),
    io:format("~p~n", [erlang:phash2(heard(length(Heard)))]),
    nameless(),
    all_off(),
    random(Seed - 1).

step(N, On, Before) ->
    net_kernel:monitor_nodes(On, lists:nth(N, ?OPTIONS)),
    case {On, lists:keyfind(N, 1, Before)} of
        {true, false} -> Before ++ [{N, 1}];
        {true, {N, Count}} -> lists:keyreplace(N, 1, Before, {N, Count + 1});
        {false, _} -> lists:keydelete(N, 1, Before)
    end.

%% Every third ends before, and every third takes it back.
many(Count) ->
    Me = self(),
    All = [{I rem 3, spawn_monitor(fun() -> subscriber(Me, I rem 3) end)} || I <- lists:seq(1, Count)],
    [receive {Pid, ready} -> ok end || {_, {Pid, _}} <- All],
    [exit(Pid, kill) || {1, {Pid, _}} <- All],
    [receive {'DOWN', Monitor, _, _, _} -> ok end || {1, {_, Monitor}} <- All],
    exit(up(), kill),
    nameless(),
    Said = [begin Pid ! say, receive {Pid, Heard} -> {Kind, Heard} end end || {Kind, {Pid, _}} <- All, Kind =/= 1],
    io:format("~0p~n", [[{What, length([W || W <- Said, W =:= What])} || What <- lists:usort(Said)]]).

subscriber(Main, Kind) ->
    [net_kernel:monitor_nodes(true, lists:nth(N, ?OPTIONS)) || N <- [1, 3, 1, 7]],
    [net_kernel:monitor_nodes(false, lists:nth(N, ?OPTIONS)) || Kind =:= 2, N <- [1, 7]],
    Main ! {self(), ready},
    receive say -> Main ! {self(), heard(if Kind =:= 2 -> 2; true -> 8 end)} end.
