%% Nodes whose connections are carried by processes (helpers/carrier_dist.erl): what goes through them is whole and in
%% order, large or small, and their end is the connection's, whatever is under way.
-module(c_carrier).
-export([main/0, echoes/0, counts/2, sends/3]).

-import(cluster, [call/2, call/4, deep/2, start/2, stop/1, wait/1]).

main() -> [carried(Options) || Options <- [#{}, #{handler => false}, #{size => true}]].

carried(Options) ->
    Args = ["-proto_dist", "carrier", "-kernel", "carrier", lists:flatten(io_lib:format("~0p", [Options]))],
    B = start(b, #{args => Args}),
    C = start(c, #{args => Args}),
    Do = fun(Name, Fun) -> cluster:do(io_lib:format("~0p ~s", [Options, Name]), fun() -> call(B, Fun) end) end,
    Do("connected", fun() ->
        up(C),
        {nodes(), [{Node, is_pid(Pid), node(Pid) =:= node()} || {Node, Pid} <- erlang:system_info(dist_ctrl)],
         rpc:call(C, erlang, node, [])}
    end),
    Do("there and back", fun() -> there_and_back(C) end),
    Do("in order", fun() -> in_order(C) end),
    Do("large ends", fun() -> large_ends(C) end),
    Do("disconnected under load", fun() ->
        [under_load(C, fun() -> erlang:disconnect_node(C) end) || _ <- lists:seq(1, deep(2, 5))]
    end),
    Do("its controller ends under load", fun() ->
        [under_load(C, fun() -> lose(carrier_dist:controller_of(C), How) end)
         || How <- [some_reason, kill | deep([], [kill])]]
    end),
    Do("the other's controller ends under load", fun() ->
        [under_load(C, fun() -> rpc:cast(C, erlang, apply, [fun end_all/0, []]) end)
         || _ <- lists:seq(1, deep(1, 2))]
    end),
    Do("afterwards", fun() -> up(C), [there_and_back(C), in_order(C)] end),
    [stop(Node) || Node <- [B, C]].

up(C) -> wait(fun() -> net_kernel:connect_node(C) end).

lose(none, _) -> ok;
lose(Pid, How) -> exit(Pid, How).

end_all() -> [exit(Pid, kill) || {_, Pid} <- erlang:system_info(dist_ctrl)].

%% --- what goes through ---------------------------------------------------------------------------------------------

there_and_back(C) ->
    Echoes = spawn(C, ?MODULE, echoes, []),
    [begin
         Term = term(Size),
         Echoes ! {self(), Term},
         receive {Echoes, Same} -> {Size, Same =:= Term} end
     end || Size <- [1, 100, 65536, 65537, 131072, 1000000, 5000000]].

echoes() -> receive {From, Term} -> From ! {self(), Term}, echoes() end.

term(Size) when Size < 1000 -> {Size, lists:seq(1, Size)};
term(Size) ->
    {Size, binary:copy(<<Size:32>>, Size div 8), lists:duplicate(Size div 16, 7),
     [list_to_atom("an_atom_" ++ integer_to_list(N)) || N <- lists:seq(1, 300)]}.

in_order(C) ->
    Counts = spawn(C, ?MODULE, counts, [self(), 8 * 500]),
    [spawn(?MODULE, sends, [Counts, Sender, 500]) || Sender <- lists:seq(1, 8)],
    receive {Counts, Said} -> Said end.

sends(To, Sender, Last) -> [To ! {Sender, N, data(Sender, N)} || N <- lists:seq(1, Last)].

data(Sender, N) when N rem 47 =:= 0 -> binary:copy(<<Sender, N:32>>, 30000);
data(_, N) when N rem 11 =:= 0 -> lists:seq(1, N);
data(_, N) -> list_to_atom("another_" ++ integer_to_list(N)).

counts(To, Left) -> counts(To, Left, #{}).

counts(To, 0, Last) -> To ! {self(), lists:sort(maps:to_list(Last))};
counts(To, Left, Last) ->
    receive
        {Sender, N, Data} ->
            case {maps:get(Sender, Last, 0) + 1, data(Sender, N)} of
                {N, Data} -> counts(To, Left - 1, Last#{Sender => N});
                {Other, _} -> To ! {self(), {wrong, Sender, Other, N}}
            end
    end.

large_ends(C) ->
    process_flag(trap_exit, true),
    Term = term(1000000),
    Linked = spawn_link(C, erlang, exit, [Term]),
    {Pid, Monitor} = spawn_monitor(C, erlang, exit, [Term]),
    {receive {'EXIT', Linked, Reason} -> Reason =:= Term end,
     receive {'DOWN', Monitor, process, Pid, Reason} -> Reason =:= Term end}.

%% --- its end -------------------------------------------------------------------------------------------------------

%% Who sends on connects again: all is told all the same. Who is monitored when the connection is lost, and who is not
%% reached any more, is not there for the same reason.
under_load(C, Lose) ->
    up(C),
    {Pid, Monitor} = spawn_monitor(C, cluster, forever, []),
    monitor_node(C, true),
    Loads = [spawn(fun() -> load(C, binary:copy(<<1>>, Size)) end) || Size <- [10, 200000, 300000]],
    timer:sleep(20),
    Lose(),
    Said = {receive {nodedown, C} -> nodedown end, receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end},
    [exit(Load, kill) || Load <- Loads],
    wait(fun() -> erlang:disconnect_node(C), nodes(connected) =:= [] end),
    Said.

load(C, Data) ->
    {nobody, C} ! Data,
    {nobody, C} ! [Data, Data],
    load(C, Data).
