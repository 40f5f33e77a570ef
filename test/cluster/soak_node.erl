%% What a node of test/cluster/soak does: cases with other nodes, until it is told to be calm. Commands are terms, lines
%% of its standard input; what it answers begins with @@, what is wrong with !!.
%%
%% Each case is a process of its own, which begins with an empty mailbox: whatever comes must be something that it waits
%% for, once. Connections come and go at any time, so nearly all may also end with noconnection, and whoever waits,
%% waits long (CLUSTER_PATIENCE, in seconds).
-module(soak_node).
-export([start/0, life/2, partner/3, exit_echo/2, echo/1]).

-define(LONG, (list_to_integer(os:getenv("CLUSTER_PATIENCE", "90")) * 1000)).
-define(WORKERS, 12).
-define(ATOMS, 3000). % more than a connection's cache holds
-define(GROUP, soak_group).

%% --- commands ------------------------------------------------------------------------------------------------------

start() -> spawn(fun prepare/0).

prepare() ->
    logger:set_primary_config(level, none),
    _ = [an_atom(N) || N <- lists:seq(1, ?ATOMS)],
    spawn(fun keep_pg/0),
    register(soak_server, spawn(fun server/0)),
    register(soak_sink, spawn(fun() -> sink(#{}) end)),
    {ok, Modules} = application:get_key(kernel, modules),
    [code:ensure_loaded(Module) || Module <- [rand, timer, io_lib_pretty, epp, string, unicode_util | Modules]],
    put(workers, []),
    say("ready", []),
    commands().

%% The stock runtime may bring up a connection before it has told of the end of the one before it: what comes over the
%% new one is heard first then. Its pg ends where that happens at either side; where all nodes are viv it must not.
stock_is_there() -> os:getenv("SOAK_STOCK") =/= false.

keep_pg() ->
    {ok, Pid} = pg:start(pg),
    Ref = monitor(process, Pid),
    receive
        {'DOWN', Ref, _, _, {{badkey, ?GROUP}, [{erlang, map_get, _, _}, {pg, _, _, _} | _]} = Why} ->
            stock_is_there() orelse wrong({pg_ends, Why});
        {'DOWN', Ref, _, _, Why} -> wrong({pg_ends, Why})
    end,
    keep_pg().

say(Format, Arguments) -> io:format("@@ " ++ Format ++ "~n", Arguments).

wrong(What) -> io:format("!! ~s ~0p~n", [node(), What]).

commands() ->
    case io:get_line("") of
        eof -> halt(0, [{flush, false}]);
        Line ->
            {ok, Tokens, _} = erl_scan:string(Line),
            {ok, Command} = erl_parse:parse_term(Tokens),
            command(Command),
            commands()
    end.

command({go, Others, Seed}) ->
    put(workers, [spawn_monitor(fun() -> worker(Others, {Seed, N, erlang:phash2(node())}) end)
                  || N <- lists:seq(1, ?WORKERS)]),
    say("goes", []);
command(calm) ->
    [Pid ! calm || {Pid, _} <- get(workers)],
    Done = [receive {'DOWN', M, _, _, {done, Counts}} -> Counts end || {_, M} <- get(workers)],
    put(workers, []),
    _ = [pg:leave(?GROUP, Pid) || Pid <- pg:get_local_members(?GROUP)],
    say("done ~0p", [lists:foldl(fun add_counts/2, #{}, Done)]);
command({disconnect, Node}) -> say("~p", [erlang:disconnect_node(Node)]);
command({connect, Node}) -> say("~p", [net_kernel:connect_node(Node)]);
command(part) -> [erlang:disconnect_node(Node) || Node <- nodes(connected)], say("~p", [nodes(connected)]);
command(nodes) -> say("~p", [lists:sort(nodes())]);
command(join) -> ok = pg:join(?GROUP, whereis(soak_server)), say("ok", []);
command({name, Name}) -> say("~p", [global:re_register_name(Name, whereis(soak_server))]);
command(known) ->
    Members = lists:sort([node(Pid) || Pid <- pg:get_members(?GROUP)]),
    Names = lists:sort([Name || Name <- global:registered_names(), is_pid(global:whereis_name(Name))]),
    say("~0p", [{Members, Names}]);
command(begun) -> say_figures(); % streams of others may come already
command(rest) -> soak_sink ! forget, say_figures().

say_figures() ->
    [garbage_collect(Pid) || Pid <- processes()],
    say("~0p", [figures()]).

add_counts(Some, All) -> maps:fold(fun(K, N, Sums) -> maps:update_with(K, fun(M) -> M + N end, N, Sums) end, All, Some).

%% [{Name, Number}]; memory by type where the runtime tells.
figures() ->
    [{processes, length(processes())}, {ports, length(erlang:ports())}, {atoms, erlang:system_info(atom_count)}
     | case is_stock() of
           true -> [];
           false -> [{Type, Blocks} || {Type, _, Blocks} <- viv_memory_map:sums(),
                                       lists:member(Type, [link, signal, node, distribution, fragment, magic, timer])]
       end].

%% --- workers -------------------------------------------------------------------------------------------------------

cases() ->
    [{monitored, fun monitored/1}, {linked, fun linked/1}, {left, fun left/1}, {relinked, fun relinked/1},
     {exits, fun exits/1}, {requested, fun requested/1}, {erpc, fun erpcs/1}, {rpc, fun rpcs/1}, {called, fun called/1},
     {streamed, fun streamed/1}, {streamed_more, fun streamed/1}, {node, fun node_watched/1}, {global, fun globals/1},
     {pg, fun groups/1}, {noise, fun noise/1}, {large, fun large/1}].

worker(Others, Seed) ->
    process_flag(priority, high),
    rand:seed(exsss, Seed),
    work(Others, #{}).

work(Others, Counts) ->
    receive
        calm -> exit({done, Counts})
    after 0 ->
        {Name, Case} = any(cases()),
        run_case(Name, Case, any(Others), rand:uniform(1 bsl 50)),
        work(Others, maps:update_with(Name, fun(N) -> N + 1 end, 1, Counts))
    end.

run_case(Name, Case, Node, Seed) ->
    {Pid, Monitor} = spawn_monitor(fun() -> rand:seed(exsss, Seed), Case(Node) end),
    receive
        {'DOWN', Monitor, _, _, normal} -> ok;
        {'DOWN', Monitor, _, _, Reason} -> wrong({Name, Node, Reason})
    after 3 * ?LONG ->
        wrong({hangs, Name, Node, process_info(Pid, [current_stacktrace, messages])}),
        exit(Pid, kill),
        receive {'DOWN', Monitor, _, _, _} -> ok end
    end.

any(List) -> lists:nth(rand:uniform(length(List)), List).
one_in(N) -> rand:uniform(N) =:= 1.
an_atom(N) -> list_to_atom("soak " ++ integer_to_list(N)).
pause(Milliseconds) -> receive after Milliseconds -> ok end.

%% Nothing comes any more.
quiet() -> quiet([]).

%% But some of these, once each.
quiet(Perhaps) ->
    receive
        Any ->
            lists:member(Any, Perhaps) orelse exit({unexpected, Any}),
            quiet(lists:delete(Any, Perhaps))
    after rand:uniform(500) -> ok
    end.

%% But who says that he is up, once; some other time, too, where the machine or the network is slow.
quiet_but([], Perhaps) -> quiet(Perhaps);
quiet_but([Tag], Perhaps) ->
    receive
        {up, Tag, _} -> quiet(Perhaps);
        Any ->
            lists:member(Any, Perhaps) orelse exit({unexpected, Any}),
            quiet_but([Tag], lists:delete(Any, Perhaps))
    after rand:uniform(500) -> ok
    end.

%% A reason that there always may be, or one of these.
is_known(Reason, Reasons) -> lists:member(Reason, [noproc, noconnection | Reasons]) orelse exit({reason, Reason}).

down(Ref, Reasons) ->
    receive {'DOWN', Ref, process, _, Reason} -> is_known(Reason, Reasons) after ?LONG -> exit({no_down, Ref}) end.

exit_of(Pid, Reasons) ->
    receive {'EXIT', Pid, Reason} -> is_known(Reason, Reasons) after ?LONG -> exit({no_exit, Pid}) end.

a_term() ->
    any([hello, {1, "two", <<3>>}, an_atom(rand:uniform(?ATOMS)), lists:seq(1, rand:uniform(500)), self(), make_ref(),
         #{a => 1, self() => [x]}, binary:copy(<<7>>, rand:uniform(100000)), 1 bsl 100, fun lists:map/2,
         [an_atom(rand:uniform(?ATOMS)) || _ <- lists:seq(1, rand:uniform(300))]]).

%% --- on the other node ---------------------------------------------------------------------------------------------

life(Milliseconds, Reason) -> pause(Milliseconds), exit(Reason).

%% Linked to From: ends by itself, or hears of his end, once.
partner(From, Milliseconds, Reason) ->
    process_flag(trap_exit, true),
    receive
        {'EXIT', From, _} -> receive Any -> wrong({partner_unexpected, Any}) after rand:uniform(500) -> ok end
    after Milliseconds -> Reason =:= never andalso wrong({partner_hears_nothing, From}), exit(Reason)
    end.

exit_echo(From, Tag) ->
    process_flag(trap_exit, true),
    From ! {up, Tag, self()},
    receive {'EXIT', From, Reason} -> From ! {told, Reason} after ?LONG -> ok end.

echo(Term) -> Term.

server() ->
    receive
        {call, Alias, Term} -> Alias ! {Alias, Term};
        _ -> ok
    end,
    server().

%% Last: #{Sender => his last number}. Each stream is one sender's, who sends all of it in order; what is lost is lost
%% with the connection.
sink(Last) ->
    receive
        forget -> sink(#{});
        {part, From, N, Hash, Data} ->
            Before = maps:get(From, Last, {0, 0}),
            N > element(1, Before) orelse wrong({order, From, Before, N}),
            erlang:phash2(Data) =:= Hash orelse wrong({damaged, From, N}),
            sink(Last#{From => {N, element(2, Before) + 1}});
        {last, From, Alias} ->
            Alias ! {Alias, maps:get(From, Last, {0, 0})},
            sink(maps:remove(From, Last));
        Other -> wrong({sink, Other}), sink(Last)
    end.

%% --- cases ---------------------------------------------------------------------------------------------------------

monitored(Node) ->
    Milliseconds = rand:uniform(1500),
    Pid = spawn(Node, ?MODULE, life, [Milliseconds, {bye, Milliseconds}]),
    Refs = [monitor(process, Pid) || _ <- lists:seq(1, rand:uniform(3))],
    {Given, Kept} = lists:partition(fun(_) -> one_in(4) end, Refs),
    pause(any([0, 100, 1500])),
    [demonitor(Ref, [flush]) || Ref <- Given],
    [down(Ref, [{bye, Milliseconds}]) || Ref <- Kept],
    quiet().

linked(Node) ->
    process_flag(trap_exit, true),
    Pid = spawn_link(Node, ?MODULE, partner, [self(), rand:uniform(1500), {bye, self()}]),
    exit_of(Pid, [{bye, self()}]),
    quiet().

%% This side ends first; the other has to hear so.
left(Node) ->
    process_flag(trap_exit, true),
    Self = self(),
    Middle = spawn_link(fun() ->
        [spawn_link(Node, ?MODULE, partner, [self(), ?LONG, never]) || _ <- lists:seq(1, rand:uniform(5))],
        pause(rand:uniform(1000)),
        exit({end_of, Self})
    end),
    exit_of(Middle, [{end_of, Self}]),
    quiet().

relinked(Node) ->
    process_flag(trap_exit, true),
    Milliseconds = rand:uniform(1500),
    Pid = spawn(Node, ?MODULE, life, [Milliseconds, {bye, Milliseconds}]),
    [begin link(Pid), pause(any([0, 0, 50])), unlink_flush(Pid) end || _ <- lists:seq(1, rand:uniform(10))],
    case one_in(2) of
        true -> link(Pid), is_forgotten(Pid) orelse exit_of(Pid, [{bye, Milliseconds}]);
        false -> pause(Milliseconds)
    end,
    quiet().

%% The stock runtime forgets a link that is made while the unlink before it is not acknowledged, if who links has to
%% wait for a busy connection (c_ties): neither is it among his links, nor is its end told.
is_forgotten(Pid) -> is_stock() andalso not is_linked(Pid) andalso not is_told(Pid).
is_linked(Pid) -> {links, Links} = process_info(self(), links), lists:member(Pid, Links).
is_told(Pid) ->
    {messages, Messages} = process_info(self(), messages),
    lists:any(fun({'EXIT', From, _}) -> From =:= Pid; (_) -> false end, Messages).

unlink_flush(Pid) ->
    unlink(Pid),
    receive {'EXIT', Pid, _} -> ok after 0 -> ok end.

%% When the connection is lost before it is known which process was spawned, Pid is none, and who was spawned all the
%% same says so by the next connection: what tells that it is of this attempt is the tag.
exits(Node) ->
    Tag = make_ref(),
    {Pid, Ref} = spawn_monitor(Node, ?MODULE, exit_echo, [self(), Tag]),
    Late = receive {up, Tag, Pid} -> exit(Pid, {bye, Ref}), [] after 1000 -> exit(Pid, kill), [Tag] end,
    down(Ref, [normal, killed]),
    quiet_but(Late, [{told, {bye, Ref}}]). % perhaps by the next connection

requested(Node) ->
    process_flag(trap_exit, true),
    Options = any([[], [monitor], [link], [monitor, link]]),
    Milliseconds = rand:uniform(1000),
    Ref = spawn_request(Node, ?MODULE, life, [Milliseconds, {bye, Milliseconds}], Options),
    receive
        {spawn_reply, Ref, ok, Pid} ->
            [down(Ref, [{bye, Milliseconds}]) || lists:member(monitor, Options)],
            [exit_of(Pid, [{bye, Milliseconds}]) || lists:member(link, Options)];
        {spawn_reply, Ref, error, Reason} -> is_known(Reason, [])
    after ?LONG -> exit({no_reply, Ref})
    end,
    quiet().

erpcs(Node) ->
    Term = a_term(),
    try erpc:call(Node, ?MODULE, echo, [Term], ?LONG) of
        Term -> quiet();
        Other -> exit({other, Other})
    catch error:{erpc, noconnection} -> quiet()
    end.

rpcs(Node) ->
    case rpc:call(Node, erlang, node, [], ?LONG) of
        Node -> quiet();
        {badrpc, nodedown} -> quiet()
    end.

%% As gen_server:call: an answer, or the end of the server; not both, and once.
called(Node) ->
    Term = a_term(),
    Ref = monitor(process, {soak_server, Node}, [{alias, reply_demonitor}]),
    {soak_server, Node} ! {call, Ref, Term},
    receive
        {Ref, Term} -> ok;
        {'DOWN', Ref, process, {soak_server, Node}, Reason} -> is_known(Reason, [])
    after ?LONG -> exit(no_answer)
    end,
    quiet().

%% While the sink's end is not told the connection is one and the same: nothing is missing.
streamed(Node) ->
    Count = rand:uniform(200),
    Most = any([10, 1000, 100000, 300000]),
    Watch = monitor(process, {soak_sink, Node}),
    [{soak_sink, Node} ! part(N, binary:copy(<<N>>, rand:uniform(Most))) || N <- lists:seq(1, Count)],
    Ref = monitor(process, {soak_sink, Node}, [{alias, reply_demonitor}]),
    {soak_sink, Node} ! {last, self(), Ref},
    receive
        {Ref, Told} ->
            receive
                {'DOWN', Watch, _, _, Reason} -> is_known(Reason, []) % noproc: of a node that has just begun
            after 0 -> Told =:= {Count, Count} orelse told_late(Watch, {missing, Count, Told})
            end;
        {'DOWN', Ref, process, _, Why} -> is_known(Why, [])
    after ?LONG -> exit(no_answer)
    end,
    demonitor(Watch, [flush]),
    quiet().

%% The connection has gone all the same: that must be heard, and on viv it is heard before what the next one brings.
told_late(Watch, Missing) ->
    receive {'DOWN', Watch, _, _, Reason} -> is_known(Reason, [])
    after ?LONG -> exit(Missing)
    end,
    is_stock() orelse exit({told_late, Missing}).

is_stock() -> code:which(viv_memory_map) =:= non_existing.

part(N, Data) -> {part, self(), N, erlang:phash2(Data), Data}.

node_watched(Node) ->
    erlang:monitor_node(Node, true),
    pause(rand:uniform(2000)),
    until_down(Node),
    quiet().

until_down(Node) ->
    erlang:disconnect_node(Node),
    receive {nodedown, Node} -> ok after 100 -> until_down(Node) end.

%% What becomes of names while nodes are cut off is global's matter: it may take long, and is ended then.
globals(Node) ->
    Name = {soak, self()},
    {Pid, Ref} = spawn_monitor(fun() ->
        global:register_name(Name, self()),
        catch global:send(Name, hello),
        global:trans({?MODULE, self()}, fun() -> ok end, [node(), Node], 1),
        global:unregister_name(Name)
    end),
    receive {'DOWN', Ref, _, _, _} -> ok
    after 5000 -> exit(Pid, kill), receive {'DOWN', Ref, _, _, _} -> ok end
    end,
    quiet().

%% Who keeps pg says why it has ended.
groups(_) ->
    Pg = whereis(pg),
    try join_and_leave()
    catch exit:Why -> (Pg =:= undefined orelse whereis(pg) =/= Pg) orelse exit(Why)
    end.

join_and_leave() ->
    ok = pg:join(?GROUP, self()),
    Members = pg:get_members(?GROUP),
    lists:member(self(), Members) orelse exit(no_member),
    [Pid ! {from, self()} || Pid <- Members, Pid =/= self()],
    pause(rand:uniform(200)),
    ok = pg:leave(?GROUP, self()).

%% To who is not there.
noise(Node) ->
    Pid = spawn(Node, ?MODULE, life, [0, normal]),
    [begin
         Pid ! {I, a_term()},
         {no_such, Node} ! I,
         erlang:send_nosuspend({no_such, Node}, a_term()),
         erlang:send(Pid, I, [noconnect]),
         catch group_leader(group_leader(), Pid), % badarg, where the node was not reached and Pid is a dead one here
         exit(Pid, a_reason)
     end || I <- lists:seq(1, rand:uniform(50))],
    quiet().

large(Node) ->
    Data = {self(), binary:copy(<<1, 2, 3>>, rand:uniform(1 bsl 20)), lists:seq(1, rand:uniform(100000))},
    Ref = monitor(process, {soak_server, Node}, [{alias, reply_demonitor}]),
    {soak_server, Node} ! {call, Ref, Data},
    receive
        {Ref, Answer} -> Answer =:= Data orelse exit(damaged);
        {'DOWN', Ref, process, _, Reason} -> is_known(Reason, [])
    after ?LONG -> exit(no_answer)
    end,
    quiet().
