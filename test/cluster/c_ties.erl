%% A peer that ties itself to processes around the moment when they end, and counts what it is told: of each link that
%% it has not undone it hears once, of each that it has undone it gets the acknowledgement, of each monitor that it has
%% kept it hears once, and each request to spawn has one answer.
%%
%% What the peer keeps of a link is what the protocol says: the number of an unlink that is not acknowledged, or
%% `active`. Source: ERTS User's Guide, "Distribution Protocol", "New Link Protocol".
-module(c_ties).
-export([main/0, life/1, links_anew/1]).

-import(cluster, [do/2, call/2, call/4, start/1, wait/1, deep/2]).

-define(ODD, odd@localhost).
-define(LONG, 90000).
-define(LINK, 1).
-define(SEND, 2).
-define(MONITOR, 19).
-define(DEMONITOR, 20).
-define(EXIT, 24).
-define(DOWN, 28).
-define(SPAWN, 29).
-define(SPAWNED, 31).
-define(UNLINK, 35).
-define(ACK, 36).

main() ->
    B = start(b),
    [rounds(B, What, Waits) || What <- [links, monitors, spawns], Waits <- [never, sometimes]],
    do("linked anew while the connection is busy", fun() -> linked_anew(B) end).

rounds(B, What, Waits) ->
    do(io_lib:format("~p, and the peer waits ~p", [What, Waits]), fun() ->
        Peer = peer(B),
        rand:seed(exsss, {1, 2, 3}),
        put(ties, #{}),
        [a_round(Peer, B, What, Waits) || _ <- lists:seq(1, deep(15, 150))],
        end_peer(B, Peer),
        case get(wrong) of undefined -> all_is_told; Wrong -> Wrong end
    end).

%% --- the peer ------------------------------------------------------------------------------------------------------

peer(B) ->
    Self = self(),
    Reader = spawn_link(fun() ->
        Peer = raw_peer:connect(B, ?ODD, maps:keys(raw_peer:all()) -- [name_me, published]),
        Self ! {self(), Peer},
        receive read -> read(Peer, Self) end
    end),
    Peer = receive {Reader, P} -> P end,
    wait(fun() -> lists:member(?ODD, call(B, erlang, nodes, [connected])) end),
    ok = gen_tcp:controlling_process(element(1, Peer), Reader),
    Reader ! read,
    Peer.

read(Peer, Self) ->
    case raw_peer:next(Peer) of
        {error, _} -> Self ! over;
        Said when is_tuple(element(1, Said)) -> Self ! {said, element(1, Said)}, read(Peer, Self)
    end.

end_peer(B, Peer) ->
    ok = gen_tcp:shutdown(element(1, Peer), write),
    receive over -> ok end,
    raw_peer:close(Peer),
    cluster:forgets(B, ?ODD).

number() -> N = case get(number) of undefined -> 100; M -> M + 1 end, put(number, N), N.
far() -> raw_peer:pid(?ODD, number()).
reference() -> raw_peer:reference(?ODD, number()).

%% --- what it does --------------------------------------------------------------------------------------------------

%% Ends when it is told to, or some time before.
life(none) -> receive stop -> exit(bye) end;
life(Microseconds) -> spin(erlang:monotonic_time(microsecond) + Microseconds).

spin(End) ->
    case erlang:monotonic_time(microsecond) >= End of
        true -> exit(bye);
        false -> receive stop -> exit(bye) after 0 -> spin(End) end
    end.

any(List) -> lists:nth(rand:uniform(length(List)), List).
a_life() -> any([none, 0, rand:uniform(100), rand:uniform(2000)]).

a_round(Peer, B, What, Waits) ->
    Fars = [far(), far(), far()],
    Pids = begin_round(Peer, B, What, hd(Fars), [a_life() || _ <- lists:seq(1, 10)]),
    Ties = [{any(Pids), any([tie, tie, tie, tie, tie, tie, stop])} || _ <- lists:seq(1, 150)],
    Steps = [fun() -> step(Kind, What, Pid, any(Fars)) end || {Pid, Kind} <- Ties ++ [{Pid, stop} || Pid <- Pids]],
    in_batches(Peer, Steps, Waits),
    all_told(),
    New = far(), % ties itself to those who have ended
    [raw_peer:tell_at_once(Peer, step(tie, What, Pid, New)) || Pid <- Pids],
    all_told().

%% Some packets come at once; between them it hears what was said to it, or does not.
in_batches(_, [], _) -> ok;
in_batches(Peer, Steps, Waits) ->
    Most = case Waits of never -> 50; sometimes -> 3 end,
    {Now, Later} = lists:split(min(rand:uniform(Most), length(Steps)), Steps),
    raw_peer:tell_at_once(Peer, lists:append([Step() || Step <- Now])),
    Waits =:= sometimes andalso pause(),
    in_batches(Peer, Later, Waits).

pause() -> receive after any([0, 0, 0, 1]) -> hear_all() end.

begin_round(Peer, B, spawns, Far, Lives) ->
    Init = call(B, erlang, whereis, [init]),
    Asked = [{reference(), any([[], [link], [monitor], [link, monitor]])} || _ <- Lives],
    raw_peer:tell_at_once(Peer, [[{?SPAWN, Ref, Far, Init, {?MODULE, life, 1}, Options}, [Life]]
                                 || {{Ref, Options}, Life} <- lists:zip(Asked, Lives)]),
    [spawned(Ref, Options, Far) || {Ref, Options} <- Asked];
begin_round(_, B, _, _, Lives) -> call(B, fun() -> [spawn(?MODULE, life, [Life]) || Life <- Lives] end).

%% What is told of it comes after the answer.
spawned(Ref, Options, Far) ->
    receive
        {said, {?SPAWNED, Ref, Far, Flags, Pid}} ->
            Flags =:= lists:sum([case Option of link -> 1; monitor -> 2 end || Option <- Options])
                orelse wrong({flags, Flags, Options}),
            [set_linked({Pid, Far}) || lists:member(link, Options)],
            [put_tie(Ref, {Pid, Far}) || lists:member(monitor, Options)],
            Pid
    after ?LONG -> exit({not_answered, Options})
    end.

step(stop, _, Pid, _) -> [[{?SEND, '', Pid}, stop]];
step(tie, spawns, Pid, Far) -> step(tie, any([links, monitors]), Pid, Far);
step(tie, links, Pid, Far) -> link_or_unlink({Pid, Far}, maps:get({Pid, Far}, get(ties), none));
step(tie, monitors, Pid, Far) ->
    Mine = [Ref || {Ref, Tie} <- maps:to_list(get(ties)), Tie =:= {Pid, Far}],
    case Mine =:= [] orelse rand:uniform(2) =:= 1 of
        true -> monitor_it(reference(), Pid, Far);
        false -> demonitor_it(any(Mine), Pid, Far)
    end.

link_or_unlink({Pid, Far} = Key, active) ->
    Id = number(),
    put({acknowledges, Id}, Key),
    put_tie(Key, Id),
    [[{?UNLINK, Id, Far, Pid}]];
link_or_unlink({Pid, Far} = Key, _) ->
    set_linked(Key),
    [[{?LINK, Far, Pid}]].

monitor_it(Ref, Pid, Far) ->
    put_tie(Ref, {Pid, Far}),
    [[{?MONITOR, Far, Pid, Ref}]].

demonitor_it(Ref, Pid, Far) ->
    drop_tie(Ref),
    put({given_up, Ref}, Far),
    [[{?DEMONITOR, Far, Pid, Ref}]].

%% --- what it hears -------------------------------------------------------------------------------------------------

put_tie(Key, State) -> put(ties, (get(ties))#{Key => State}).
drop_tie(Key) -> put(ties, maps:remove(Key, get(ties))).
set_linked(Key) -> put_tie(Key, active), put({links, Key}, links(Key) + 1).
links(Key) -> case get({links, Key}) of undefined -> 0; N -> N end.

wrong(What) -> put(wrong, [What | case get(wrong) of undefined -> []; Others -> Others end]).

hear_all() -> receive {said, Said} -> hear(Said), hear_all() after 0 -> ok end.

%% One that comes twice, or of a link that was undone, breaks nothing; but no more come than links were made.
hear({?EXIT, Pid, Far}) ->
    Key = {Pid, Far},
    drop_tie(Key),
    case links(Key) of 0 -> wrong({exit_of_nothing, Key}); N -> put({links, Key}, N - 1) end;
hear({?ACK, Id, Pid, Far}) ->
    Key = {Pid, Far},
    erase({acknowledges, Id}) =:= Key orelse wrong({acknowledges_nothing, Id, Key}),
    maps:get(Key, get(ties), none) =:= Id andalso drop_tie(Key);
hear({?DOWN, _, Far, Ref}) ->
    case maps:get(Ref, get(ties), none) of
        {_, Far} -> drop_tie(Ref);
        none -> erase({given_up, Ref}) =:= Far orelse wrong({down_of_nothing, Ref})
    end;
hear({?SPAWNED, Ref, _, _, _}) -> wrong({answered_twice, Ref});
hear(_) -> ok. % the node's own servers

all_told() ->
    hear_all(),
    Kept = [Tie || {_, State} = Tie <- maps:to_list(get(ties)), not is_integer(State)],
    Unlinks = [Id || {{acknowledges, Id}, _} <- get()],
    case Kept =:= [] andalso Unlinks =:= [] of
        true -> ok;
        false ->
            receive {said, Said} -> hear(Said), all_told()
            after ?LONG -> exit({not_told, Kept, Unlinks})
            end
    end.

%% --- a busy connection ---------------------------------------------------------------------------------------------

%% The peer has not acknowledged the unlink, nor taken anything since, when the process links anew, and so has to wait.
%% The stock runtime (OTP 25) forgets the link then: it is not among those that the process has, and its end not told.
linked_anew(B) ->
    Peer = raw_peer:connect(B, ?ODD, maps:keys(raw_peer:all()) -- [name_me, published]),
    wait(fun() -> lists:member(?ODD, call(B, erlang, nodes, [connected])) end),
    Far = far(),
    Self = self(),
    Pid = call(B, fun() -> spawn(?MODULE, links_anew, [Far]) end),
    {?LINK, Pid, Far} = next_of(Peer, ?LINK),
    {?UNLINK, Id, Pid, Far} = next_of(Peer, ?UNLINK),
    call(B, cluster, fill, [?ODD, binary:copy(<<1>>, 20000)]),
    Asks = fun() -> Pid ! {go, self()}, receive {Pid, Said} -> Said end end,
    Asked = spawn_link(fun() -> Self ! {self(), call(B, Asks)} end),
    wait(fun() -> waits_or_is_linked(call(B, erlang, process_info, [Pid, [status, links]])) end),
    {?LINK, Pid, Far} = next_of(Peer, ?LINK),
    raw_peer:tell(Peer, {?ACK, Id, Far, Pid}),
    raw_peer:tell(Peer, {?EXIT, Far, Pid}, bye),
    Heard = receive {Asked, Reason} -> Reason after ?LONG -> nothing end,
    raw_peer:close(Peer),
    cluster:forgets(B, ?ODD),
    case Heard =:= bye orelse {Heard, call(B, code, which, [viv_memory_map])} =:= {not_linked, non_existing} of
        true -> as_it_must;
        false -> Heard
    end.

%% What fills a connection may go on, so that it is not busy after all; then nothing is lost on either runtime.
waits_or_is_linked([{status, suspended}, _]) -> true;
waits_or_is_linked([_, {links, Links}]) -> Links =/= [].

%% The next of that operation; others are of the node's own servers, and what fills the connection.
next_of(Peer, Operation) ->
    case raw_peer:next(Peer) of
        {error, _} = Error -> exit(Error);
        Said when element(1, element(1, Said)) =:= Operation -> element(1, Said);
        _ -> next_of(Peer, Operation)
    end.

links_anew(Far) ->
    process_flag(trap_exit, true),
    link(Far),
    unlink(Far),
    receive {go, Asks} -> ok end,
    link(Far),
    {links, Links} = process_info(self(), links),
    Asks ! {self(), receive {'EXIT', Far, Reason} -> Reason
                    after case lists:member(Far, Links) of true -> ?LONG; false -> 0 end -> not_linked
                    end}.
