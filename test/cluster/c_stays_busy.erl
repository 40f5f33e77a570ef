%% A connection that was full stays busy until much of what waits has gone: nobody passes those who wait meanwhile. Who
%% ends waits for it, too, between those whom he tells.
-module(c_stays_busy).
-export([main/0]).

-import(cluster, [do/2, call/2, call/4, start/2, wait/1]).

-define(SLOW, slow@localhost).
-define(SLOW_TOO, slow_too@localhost).
-define(PART, 100000).
-define(LINK, 1).
-define(MONITOR, 19).
-define(DOWN, 28). % with a payload
-define(WATCHERS, 40).

main() ->
    B = start(b, #{args => ["+zdbbl", "16384"]}),
    do("who comes does not pass who waits", fun() -> nobody_passes(B) end),
    do("who waits goes on", fun() -> goes_on(B) end),
    do("who ends tells one after the other", fun() -> ends_in_turns(B) end),
    do("who has the port does not wait for it", fun() -> owners_end(B, [?SLOW]) end),
    do("nor for each other", fun() -> owners_end(B, [?SLOW, ?SLOW_TOO]) end).

%% It reads what it is told to, and no more.
peer(B) -> peer(B, ?SLOW).

peer(B, Name) ->
    {S, _, _} = Peer = raw_peer:connect(B, Name, maps:keys(raw_peer:all()) -- [name_me, published]),
    ok = inet:setopts(S, [{recbuf, 20000}]),
    wait(fun() -> lists:member(Name, call(B, erlang, nodes, [connected])) end),
    Peer.

end_peer(B, Peer) -> end_peer(B, ?SLOW, Peer).

end_peer(B, Name, Peer) ->
    raw_peer:close(Peer),
    cluster:forgets(B, Name).

full(B) -> full(B, ?SLOW).
full(B, Name) -> call(B, fun() -> fill(Name, 0) end).

%% Until the system takes no more for a while.
fill(_, 25) -> ok;
fill(Name, Times) ->
    case try_to_send(Name, binary:copy(<<1>>, ?PART)) of
        ok -> fill(Name, 0);
        nosuspend -> timer:sleep(20), fill(Name, Times + 1)
    end.

try_to_send(Name, Data) -> erlang:send({nobody, Name}, Data, [nosuspend]).

takes_one(B) -> call(B, fun() -> try_to_send(?SLOW, one) end) =:= ok.

read({S, _, _}) -> {ok, _} = gen_tcp:recv(S, ?PART, 90000), timer:sleep(5).

read_until_free(B, Peer) ->
    case takes_one(B) of
        true -> ok;
        false -> read(Peer), read_until_free(B, Peer)
    end.

%% Free is when those who waited go on, and not before.
nobody_passes(B) ->
    Peer = peer(B),
    full(B),
    Waiting = [waiting(B, N) || N <- lists:seq(1, 20)],
    read_until_free(B, Peer),
    timer:sleep(200),
    Left = [suspended || Pid <- Waiting, status(B, Pid) =:= {status, suspended}],
    end_peer(B, Peer),
    Left.

waiting(B, N) ->
    Self = self(),
    Pid = call(B, fun() -> spawn(fun() -> {nobody, ?SLOW} ! N, Self ! {went_on, N} end) end),
    wait(fun() -> status(B, Pid) =:= {status, suspended} end),
    Pid.

status(B, Pid) -> call(B, erlang, process_info, [Pid, status]).

goes_on(B) ->
    Peer = peer(B),
    full(B),
    Numbers = lists:seq(1, 20),
    [waiting(B, N) || N <- Numbers],
    Reader = spawn_link(fun() -> receive go -> read_all(Peer) end end),
    ok = gen_tcp:controlling_process(element(1, Peer), Reader),
    Reader ! go,
    Went = [receive {went_on, N} -> N end || N <- Numbers],
    unlink(Reader),
    exit(Reader, kill),
    end_peer(B, Peer),
    length(Went).

read_all({S, _, _} = Peer) ->
    case gen_tcp:recv(S, 0, 90000) of
        {ok, _} -> read_all(Peer);
        {error, _} -> ok
    end.

%% Its reason, 1.5 MB of bytes, for forty of that node is more than may wait.
ends_in_turns(B) ->
    Peer = peer(B),
    Victim = call(B, fun() -> spawn(fun() -> receive stop -> exit(lists:duplicate(300000, 1000)) end end) end),
    [raw_peer:tell(Peer, {?MONITOR, raw_peer:pid(?SLOW, N), Victim, raw_peer:reference(?SLOW, N)})
     || N <- lists:seq(1, ?WATCHERS)],
    wait(fun() -> watchers(B, Victim) =:= ?WATCHERS end),
    Self = self(),
    call(B, fun() -> spawn(fun() -> hears_of_busy(Self) end) end),
    receive listens -> Victim ! stop end,
    Busy = receive {busy, Pid} -> Pid =:= Victim end,
    Reader = spawn_link(fun() -> receive go -> Self ! {told, downs(Peer, 0)} end end),
    ok = gen_tcp:controlling_process(element(1, Peer), Reader),
    Reader ! go,
    Told = receive {told, Count} -> Count end,
    end_peer(B, Peer),
    {Busy, Told}.

watchers(B, Pid) ->
    {monitored_by, By} = call(B, erlang, process_info, [Pid, monitored_by]),
    length(By).

hears_of_busy(To) ->
    erlang:system_monitor(self(), [busy_dist_port]),
    To ! listens,
    receive {monitor, Pid, busy_dist_port, _} -> To ! {busy, Pid} end.

downs(_, ?WATCHERS) -> ?WATCHERS;
downs(Peer, Count) ->
    case raw_peer:next(Peer) of
        {Control, _} when element(1, Control) =:= ?DOWN -> downs(Peer, Count + 1);
        _ -> downs(Peer, Count)
    end.

%% Each is linked to one of the next node, of all in a ring; its port closes when it has told so.
owners_end(B, Names) ->
    Peers = [{Name, peer(B, Name), owner(B, Name)} || Name <- Names],
    [linked(B, Peer, Owner) || {Peer, {_, _, Owner}} <- lists:zip(Peers, tl(Peers) ++ [hd(Peers)])],
    [full(B, Name) || Name <- Names],
    [exit(Owner, kill) || {_, _, Owner} <- Peers],
    wait(fun() -> Names -- call(B, erlang, nodes, [connected]) =:= Names end),
    [end_peer(B, Name, Peer) || {Name, Peer, _} <- Peers],
    gone.

owner(B, Name) ->
    {Name, Port} = lists:keyfind(Name, 1, call(B, erlang, system_info, [dist_ctrl])),
    {connected, Owner} = call(B, erlang, port_info, [Port, connected]),
    Owner.

linked(B, {Name, Peer, _}, Owner) ->
    Far = raw_peer:pid(Name, 1),
    raw_peer:tell(Peer, {?LINK, Far, Owner}),
    wait(fun() -> {links, All} = call(B, erlang, process_info, [Owner, links]), lists:member(Far, All) end).
