%% A node is lost that thousands of processes monitor: each hears so as often as it does, and no more, also when others
%% end or take it back while they are told, and the node is connected anew. The other node is a process that carries
%% the connection and answers nothing. Not under leaks: what this node was called once stays.
-module(r_node_watchers).
-export([main/0]).

-define(GHOST, ghost@b).
-define(MANY, 6000).

main() ->
    Kernel = spawn(fun() -> receive never -> ok end end),
    register(net_kernel, Kernel),
    true = erlang:setnode(a@b, 5),
    Mandatory = element(3, erts_internal:get_dflags()),
    First = connect(Mandatory),
    io:format("~p ~p~n", [node(), nodes()]),
    Watchers = [begin_of(fun() -> monitors(1 + I rem 3) end, fun watches/1) || I <- lists:seq(1, ?MANY)],
    Tied = [begin_of(fun ties/0, fun tied/1) || _ <- lists:seq(1, 20)],
    Taking = [begin_of(fun() -> monitors(1) end, fun takes_back/1) || _ <- lists:seq(1, 500)],
    Dying = [begin_of(fun() -> monitors(1) end, fun(_) -> receive never -> ok end end) || _ <- lists:seq(1, 500)],
    begin_of(fun() -> net_kernel:monitor_nodes(true) end, fun(_) -> begins(Taking, Dying) end),
    exit(First, kill),
    [receive {'DOWN', _, process, Pid, killed} -> ok end || Pid <- Dying],
    Second = connect(Mandatory), %% when all have been told
    io:format("watchers: ~p~n", [answers(Watchers)]),
    io:format("tied: ~p~n", [answers(Tied)]),
    io:format("taken back: ~p~n", [answers(Taking)]),
    [Pid ! anew || Pid <- Watchers],
    [receive {Pid, watches} -> ok end || Pid <- Watchers],
    exit(Second, kill),
    _ = connect(Mandatory),
    io:format("anew: ~p~n", [answers(Watchers)]),
    exit(Kernel, kill),
    nameless().

%% The connection: whoever carries it ends somewhat before.
lost() ->
    case nodes() of
        [] -> ok;
        _ -> erlang:yield(), lost()
    end.

nameless() ->
    case {node(), nodes()} of
        {nonode@nohost, []} -> ok;
        _ -> erlang:yield(), nameless()
    end.

connect(Abilities) ->
    lost(),
    Me = self(),
    Pid = spawn(fun() ->
        erts_internal:new_connection(?GHOST),
        {_, _} = erlang:setnode(?GHOST, self(), {Abilities bor 1, 77}),
        Me ! {self(), is_up},
        receive never -> ok end
    end),
    receive {Pid, is_up} -> Pid end.

%% When it has prepared itself.
begin_of(Prepare, Then) ->
    Me = self(),
    {Pid, _} = spawn_monitor(fun() ->
        put(main, Me),
        Prepared = Prepare(),
        answer(ready),
        Then(Prepared)
    end),
    receive {Pid, ready} -> Pid end.

monitors(Times) ->
    [monitor_node(?GHOST, true) || _ <- lists:seq(1, Times)],
    Times.

told(0) -> ok;
told(Times) -> receive {nodedown, ?GHOST} -> told(Times - 1) end.

more() -> receive {nodedown, ?GHOST} -> 1 + more() after 0 -> 0 end.

%% What it hears at all, once the next connection is up.
watches(Times) ->
    told(Times),
    receive asked -> answer({times, Times, more, more()}) end,
    receive anew -> monitors(1) end,
    answer(watches),
    told(1),
    receive asked -> answer({again, more, more()}) end.

ties() ->
    process_flag(trap_exit, true),
    Far = binary_to_term(<<131, 88, 119, 7, "ghost@b", 9:32, 0:32, 77:32>>),
    net_kernel:monitor_nodes(true),
    lists:foreach(fun(_) ->
        monitors(1),
        monitor(process, Far),
        monitor(process, {name, ?GHOST})
    end, [1, 2, 3]),
    link(Far).

%% What it hears, by kind; one message of it is that the next connection is up.
tied(true) ->
    receive asked -> ok end,
    First = [receive M -> kind(M) end || _ <- lists:seq(1, 12)],
    Kinds = First ++ rest(),
    answer([{Kind, length([K || K <- Kinds, K =:= Kind])} || Kind <- lists:usort(Kinds)]).

rest() -> receive M -> [kind(M) | rest()] after 0 -> [] end.

kind({'EXIT', Pid, Reason}) -> {link, node(Pid), Reason};
kind({'DOWN', _, process, {Name, Node}, Reason}) -> {name, Name, Node, Reason};
kind({'DOWN', _, process, Pid, Reason}) -> {process, node(Pid), Reason};
kind(Other) -> Other.

%% Nothing is told after it was taken back.
takes_back(1) ->
    receive take_back -> monitor_node(?GHOST, false) end,
    Before = more(),
    receive asked -> answer({Before =< 1, after_that, more()}) end.

begins(Taking, Dying) ->
    receive {nodedown, ?GHOST} -> ok end,
    [begin exit(D, kill), T ! take_back end || {D, T} <- lists:zip(Dying, Taking)].

answer(What) -> get(main) ! {self(), What}.

%% Each once, with how many have said it.
answers(Pids) ->
    [Pid ! asked || Pid <- Pids],
    All = [receive {Pid, What} -> What end || Pid <- Pids],
    [{What, length([W || W <- All, W =:= What])} || What <- lists:usort(All)].
