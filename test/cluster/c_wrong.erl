%% A peer that answers what makes no sense, or in the name of others: at most the connection ends, and whoever had a tie
%% over it hears so.
-module(c_wrong).
-export([main/0, monitor_of/2, object_of/2]).

-import(cluster, [do/2, call/2, call/4, start/1, wait/1]).

-define(ODD, odd@localhost).

main() ->
    B = start(b),
    ends_without_reason(B),
    answers_for_another(B),
    answers_otherwise(B),
    never_brought_up(B),
    has_no_creation(B),
    ends_for_another(B),
    asks_oddly(B),
    says_more(B).

peer(B) ->
    Peer = raw_peer:connect(B, ?ODD, maps:keys(raw_peer:all()) -- [name_me, published]),
    wait(fun() -> lists:member(?ODD, call(B, erlang, nodes, [connected])) end),
    Peer.

end_peer(B, Peer) ->
    raw_peer:close(Peer),
    cluster:forgets(B, ?ODD).

%% By a process there.
monitor_of(Pid, Self) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, process, Pid, Reason} -> Self ! {heard, Reason} end.

%% The next of that operation; others are of the node's own servers.
next_of(Peer, Operation) ->
    case raw_peer:next(Peer) of
        {Control} when element(1, Control) =:= Operation -> Control;
        {Control, _} when element(1, Control) =:= Operation -> Control;
        Other when tuple_size(Other) =< 2, element(1, Other) =/= error -> next_of(Peer, Operation)
    end.

heard(B, Function, Do) ->
    Peer = peer(B),
    Pid = raw_peer:pid(?ODD, 5),
    Self = self(),
    Runs = spawn_link(fun() -> Self ! {called, call(B, fun() ->
        Here = self(),
        spawn(?MODULE, Function, [Pid, Here]),
        receive {heard, Reason} -> Reason end
    end)} end),
    Do(Peer, Pid),
    Said = receive {called, Reason} -> Reason after 20000 -> nothing end,
    unlink(Runs),
    end_peer(B, Peer),
    Said.

%% Without the payload that has to follow.
ends_without_reason(B) ->
    do("an end without a reason", fun() ->
        heard(B, monitor_of, fun(Peer, Pid) ->
            {19, To, Pid, Ref} = next_of(Peer, 19),
            raw_peer:tell(Peer, {28, Pid, To, Ref})
        end)
    end).

%% Whose monitor it is does hear of the right answer.
answers_for_another(B) ->
    do("told to another", fun() ->
        heard(B, monitor_of, fun(Peer, Pid) ->
            {19, To, Pid, Ref} = next_of(Peer, 19),
            raw_peer:tell(Peer, {28, Pid, call(B, erlang, whereis, [init]), Ref}, wrong),
            raw_peer:tell(Peer, {28, Pid, To, Ref}, right)
        end)
    end).

%% Who is told to be gone is no atom, though the peer says one: stock makes a name of that, viv says whom it was.
answers_otherwise(B) ->
    do("told of an atom", fun() ->
        heard(B, object_of, fun(Peer, Pid) ->
            {19, To, Pid, Ref} = next_of(Peer, 19),
            raw_peer:tell(Peer, {28, an_atom, To, Ref}, over)
        end)
    end).

object_of(Pid, Self) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, process, Object, Reason} -> Self ! {heard, {is_atom(Object), Reason}} end.

%% Nodes that are told to no epmd (jinterface's) say 0.
has_no_creation(B) ->
    do("no creation", fun() ->
        Peer = raw_peer:connect(B, ?ODD, maps:keys(raw_peer:all()) -- [name_me, published], 0),
        wait(fun() -> lists:member(?ODD, call(B, erlang, nodes, [connected])) end),
        From = raw_peer:pid(?ODD, 7, 0),
        Self = self(),
        Pid = call(B, fun() -> spawn(fun() -> linked(Self) end) end),
        raw_peer:tell(Peer, {22, From, Pid}, From),
        {1, Pid, From} = next_of(Peer, 1),
        raw_peer:tell(Peer, {24, From, Pid}, over),
        Said = receive {heard, Heard} -> Heard end,
        end_peer(B, Peer),
        Said =:= {'EXIT', From, over}
    end).

linked(Self) ->
    process_flag(trap_exit, true),
    receive From -> link(From) end,
    receive Heard -> Self ! {heard, Heard} end.

%% By exit/2 of a process that is a third node's.
ends_for_another(B) ->
    Third = raw_peer:pid(third@localhost, 5),
    Token = {1, 2, 3, Third, 4},
    Ways = [{"exit", [{8, Third, to, why}]}, {"payload", [{26, Third, to}, why]},
            {"traced", [{18, Third, to, Token, why}]}, {"traced payload", [{27, Third, to, Token}, why]}],
    [do(["ended for another, ", Name], fun() ->
         Peer = peer(B),
         Pid = call(B, fun() -> spawn(cluster, forever, []) end),
         raw_peer:tell_at_once(Peer, [[setelement(3, Control, Pid) | Reason]]),
         wait(fun() -> not lists:member(?ODD, call(B, erlang, nodes, [connected])) end),
         end_peer(B, Peer),
         {call(B, erlang, is_process_alive, [Pid]), call(B, erlang, exit, [Pid, kill])}
     end) || {Name, [Control | Reason]} <- Ways].

%% For a process, with options that a node's own requests do not have.
asks_oddly(B) ->
    Ways = [[monitor], [{monitor, []}], [{monitor, [{tag, mine}]}], [monitor, {monitor, []}], [link, {monitor, []}],
            [{monitor, x}], [{monitor, [x | y]}]],
    Peer = peer(B),
    [do(io_lib:format("asks with ~p", [Options]), fun() ->
         Ref = raw_peer:reference(?ODD, 100 + N),
         From = raw_peer:pid(?ODD, 6),
         raw_peer:tell(Peer, {29, Ref, From, From, {erlang, nodes, 0}, Options}, []),
         {31, Ref, From, Flags, Result} = next_of(Peer, 31),
         {Flags, case is_pid(Result) of true -> pid; false -> Result end}
     end) || {N, Options} <- lists:zip(lists:seq(1, length(Ways)), Ways)],
    end_peer(B, Peer).

%% What stands behind something malformed is not taken.
says_more(B) ->
    do("more behind what is malformed", fun() ->
        Peer = peer(B),
        Self = self(),
        Takes = call(B, fun() -> spawn(fun() -> [receive {took, M} -> Self ! {took, M} end || _ <- [1, 2]] end) end),
        From = raw_peer:pid(?ODD, 7),
        raw_peer:tell_at_once(Peer, [[{2, '', Takes}, {took, first}], [{77, From}], [{2, '', Takes}, {took, more}]]),
        Said = receive {took, M} -> M after 10000 -> nothing end,
        end_peer(B, Peer),
        call(B, erlang, exit, [Takes, kill]),
        {Said, receive {took, More} -> More after 100 -> nothing end}
    end).

%% An attempt that fails leaves none behind that others wait for.
never_brought_up(B) ->
    do("never brought up", fun() ->
        call(B, fun() ->
            Dead = spawn(fun() -> ok end),
            wait_for(fun() -> not is_process_alive(Dead) end),
            Made = erts_internal:create_dist_channel('nobody@nowhere', Dead, {16#D07DF7FBD bor 1 bsl 34, 5}),
            monitor_node('nobody@nowhere', true),
            {Made, receive {nodedown, Node} -> Node after 20000 -> nothing end}
        end)
    end).

wait_for(Fun) -> Fun() orelse wait_for(Fun).
