%% Links, monitors and exit signals between nodes: who is told what, once, whichever side began, and when the
%% connection
%% is lost.
-module(c_links).
-export([main/0, obey/1, wait_for_end/0]).

-import(cluster, [do/2, call/2, call/4, start/1, got/1, rest/0, wait/1, disconnect/1, connect/1, deep/2]).

main() ->
    B = start(b),
    connect(B),
    reasons(B),
    link_and_unlink(B),
    nobody(B),
    exits(B),
    monitors(B),
    names(B),
    info(B),
    lost(B),
    not_connected(B),
    many(B),
    mixed(B).

%% A process there that does what it is told, and says what came of it. It traps exits if told to.
servant(B) -> servant(B, false).
servant(B, Trap) ->
    Self = self(),
    call(B, erlang, spawn, [?MODULE, obey, [Self]]) ! {Self, trap, fun() -> process_flag(trap_exit, Trap) end},
    receive {Pid, trap, _} -> Pid end.

obey(Master) ->
    receive
        {Master, Ref, Fun} -> Master ! {self(), Ref, try Fun() catch C:R -> {C, R} end}, obey(Master);
        {Master, 'exit', Class, Reason} -> erlang:Class(Reason);
        Other -> put(got, [Other | case get(got) of undefined -> []; L -> L end]), obey(Master)
    end.

tell(Pid, Fun) ->
    Ref = make_ref(),
    Pid ! {self(), Ref, Fun},
    receive {Pid, Ref, Answer} -> Answer after 90000 -> waited_too_long end.

heard(Pid) -> tell(Pid, fun() -> lists:reverse(case erase(got) of undefined -> []; L -> L end) end).

end_it(Pid, Reason) -> Pid ! {self(), 'exit', 'exit', Reason}.

wait_for_end() -> receive stop -> ok end.

reasons() ->
    [normal, kill, killed, shutdown, {shutdown, x}, foo, {a, [tuple], <<"of things">>}, self(), make_ref(),
        noconnection, noproc,
     #{a => 1}, binary:copy(<<"large">>, 200000), lists:duplicate(300, fun lists:map/2)].

short(Term) ->
    case erts_debug:flat_size(Term) of
        _ when is_tuple(Term) -> list_to_tuple([short(T) || T <- tuple_to_list(Term)]);
        N when N > 500 -> {large, erlang:phash2(Term)};
        _ when is_binary(Term), byte_size(Term) > 100 -> {large, erlang:phash2(Term)};
        _ -> Term
    end.

%% Each reason, told to links and monitors, both ways.
reasons(B) ->
    [do(io_lib:format("ends for ~0p", [short(Reason)]), fun() ->
        process_flag(trap_exit, true),
        One = servant(B),
        link(One),
        Monitor = monitor(process, One),
        end_it(One, Reason),
        Here = lists:sort(got(2)),
        Two = servant(B, true),
        Self = self(),
        {Pid, _} = spawn_monitor(fun() -> link(Two), Self ! linked, receive go -> exit(Reason) end end),
        [linked] = got(1),
        There = tell(Two, fun() -> monitor(process, Pid), ok end),
        Pid ! go,
        [{'DOWN', _, process, Pid, Reason}] = got(1),
        wait(fun() -> tell(Two, fun() -> length(get(got)) end) =:= 2 end),
        Right = lists:all(fun({'EXIT', P, R}) -> P =:= Pid andalso R =:= Reason;
                             ({'DOWN', _, process, P, R}) -> P =:= Pid andalso R =:= Reason end, heard(Two)),
        {[short(M) || M <- Here], Here =:= lists:sort([{'EXIT', One, Reason}, {'DOWN', Monitor, process, One,
            Reason}]),
         There, Right}
    end) || Reason <- reasons()],
    do("ends by an error", fun() ->
        process_flag(trap_exit, true),
        [begin
             P = servant(B),
             link(P),
             P ! {self(), 'exit', Class, Reason},
             [{'EXIT', P, R}] = got(1),
             R
         end || {Class, Reason} <- [{error, foo}, {throw, bar}, {error, {badmatch, 1}}]]
    end),
    do("takes who is linked along", fun() ->
        P = servant(B),
        Self = self(),
        {Pid, Monitor} = spawn_monitor(fun() -> link(P), Self ! linked, receive after infinity -> ok end end),
        [linked] = got(1),
        end_it(P, foo),
        [{'DOWN', Monitor, process, Pid, R}] = got(1),
        R
    end),
    do("a normal end takes nobody along", fun() ->
        P = servant(B),
        Q = servant(B),
        link(P),
        link(Q),
        M = monitor(process, P),
        end_it(P, normal),
        [{'DOWN', M, process, P, R}] = got(1),
        {R, tell(Q, fun() -> alive end)}
    end).

linked(P) -> tell(P, fun() -> element(2, process_info(self(), links)) end).

link_and_unlink(B) ->
    do("linked from here", fun() ->
        P = servant(B),
        A = linked(P),
        link(P),
        L1 = {linked(P) =:= [self()], process_info(self(), links) =:= {links, [P]}},
        link(P),
        L2 = linked(P) =:= [self()],
        unlink(P),
        L3 = {linked(P), process_info(self(), links)},
        unlink(P),
        {A, L1, L2, L3, linked(P)}
    end),
    do("linked from there", fun() ->
        P = servant(B),
        Self = self(),
        tell(P, fun() -> link(Self) end),
        L1 = process_info(self(), links) =:= {links, [P]},
        tell(P, fun() -> unlink(Self) end),
        {L1, process_info(self(), links), linked(P)}
    end),
    do("linked from both sides, undone from one", fun() ->
        [begin
             P = servant(B),
             Self = self(),
             Link = fun(here) -> link(P); (there) -> tell(P, fun() -> link(Self) end) end,
             Unlink = fun(here) -> unlink(P); (there) -> tell(P, fun() -> unlink(Self) end) end,
             [Link(W) || W <- Begin],
             Unlink(End),
             tell(P, fun() -> ok end),
             R = {Begin, End, linked(P), process_info(self(), links)},
             Link(hd(Begin)),
             Again = {linked(P) =:= [self()], process_info(self(), links) =:= {links, [P]}},
             Unlink(hd(Begin)),
             {R, Again, linked(P)}
         end || Begin <- [[here], [there], [here, there], [there, here], [here, here, there]], End <- [here, there]]
    end),
    do("unlinked and linked at once", fun() ->
        process_flag(trap_exit, true),
        P = servant(B),
        [begin link(P), unlink(P) end || _ <- lists:seq(1, 500)],
        L1 = linked(P),
        [begin unlink(P), link(P) end || _ <- lists:seq(1, 500)],
        L2 = linked(P) =:= [self()],
        end_it(P, over),
        {L1, L2, [R || {'EXIT', Q, R} <- got(1), Q =:= P], process_info(self(), links), rest()}
    end),
    do("both link and unlink at once", fun() ->
        process_flag(trap_exit, true),
        Self = self(),
        Ps = [servant(B) || _ <- lists:seq(1, 20)],
        R = [begin
             Ref = make_ref(),
             P ! {Self, Ref, fun() -> [begin link(Self), unlink(Self) end || _ <- lists:seq(1, 100)],
                 unlink(Self) end},
             [begin link(P), unlink(P) end || _ <- lists:seq(1, 100)],
             unlink(P),
             receive {P, Ref, _} -> ok end,
             Before = linked(P),
             link(P),
             {Before, linked(P) =:= [Self]}
         end || P <- Ps],
        [end_it(P, over) || P <- Ps],
        {lists:usort(R), lists:sort(got(20)) =:= lists:sort([{'EXIT', P, over} || P <- Ps]), process_info(self(),
            links), rest()}
    end),
    do("no word after unlink", fun() ->
        process_flag(trap_exit, true),
        lists:usort([begin
             P = servant(B),
             link(P),
             M = monitor(process, P),
             end_it(P, over),
             unlink(P),
             receive {'EXIT', P, over} -> ok after 0 -> ok end,
             receive {'DOWN', M, _, _, over} -> ok end,
             receive {'EXIT', P, R} -> {came, R} after 0 -> none end
         end || _ <- lists:seq(1, 50)])
    end).

nobody(B) ->
    do("links to nobody", fun() ->
        process_flag(trap_exit, true),
        P = servant(B),
        Dead = tell(P, fun() -> {Q, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> Q end end),
        link(Dead),
        [{'EXIT', Dead, R}] = got(1),
        {R, unlink(Dead), process_info(self(), links)}
    end),
    do("links to nobody, not trapped", fun() ->
        P = servant(B),
        Dead = tell(P, fun() -> {Q, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> Q end end),
        {_, M} = spawn_monitor(fun() -> link(Dead), receive after infinity -> ok end end),
        [{'DOWN', M, _, _, R}] = got(1),
        R
    end),
    do("monitors of nobody", fun() ->
        P = servant(B),
        Dead = tell(P, fun() -> {Q, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> Q end end),
        M1 = monitor(process, Dead),
        [{'DOWN', M1, process, Dead, R1}] = got(1),
        M2 = monitor(process, {nobody_of_this_name, B}),
        [{'DOWN', M2, process, N, R2}] = got(1),
        {R1, N, R2, demonitor(M1), demonitor(M2)}
    end).

exits(B) ->
    [do(io_lib:format("exit/2 with ~0p", [short(Reason)]), fun() ->
        P = servant(B),
        M = monitor(process, P),
        Q = servant(B, true),
        exit(P, Reason),
        exit(Q, Reason),
        case Reason of
            normal -> {tell(P, fun() -> alive end), heard(Q) =:= [{'EXIT', self(), normal}]};
            kill ->
                MQ = monitor(process, Q),
                [{'DOWN', _, process, _, R1}, {'DOWN', _, process, _, R2}] = got(2),
                {R1, lists:member(R2, [killed, noproc]), is_reference(MQ)};
            _ ->
                [{'DOWN', M, process, P, R}] = got(1),
                {R =:= Reason, heard(Q) =:= [{'EXIT', self(), Reason}]}
        end
    end) || Reason <- reasons()],
    do("exit/2 from there", fun() ->
        process_flag(trap_exit, true),
        P = servant(B),
        Self = self(),
        tell(P, fun() -> exit(Self, foo), exit(Self, normal), exit(Self, {a, self()}) end),
        [{R, F =:= P} || {'EXIT', F, R} <- got(2) ++ rest()] =:= [{foo, true}, {normal, true}, {{a, P}, true}]
    end),
    do("killed from there", fun() ->
        P = servant(B),
        [begin
             {Pid, M} = spawn_monitor(fun() -> process_flag(trap_exit, Trap), receive after infinity -> ok end end),
             tell(P, fun() -> exit(Pid, kill) end),
             [{'DOWN', M, process, Pid, R}] = got(1),
             R
         end || Trap <- [true, false]]
    end),
    do("exit/2 to names is wrong", fun() -> [try exit(X, a) catch C:R -> {C, R} end || X <- [{a, B}, B, 1]] end).

monitors(B) ->
    do("monitored and not", fun() ->
        P = servant(B),
        Ms = [monitor(process, P) || _ <- [1, 2, 3]],
        true = demonitor(hd(Ms)),
        end_it(P, foo),
        L = got(2),
        {[M || {'DOWN', M, process, _, foo} <- L] -- tl(Ms), rest(), demonitor(hd(Ms)), demonitor(lists:last(Ms),
            [info, flush]),
         demonitor(hd(Ms), [info])}
    end),
    do("demonitor, options", fun() ->
        P = servant(B),
        M = monitor(process, P),
        I1 = demonitor(M, [info]),
        I2 = demonitor(M, [info]),
        N = monitor(process, P),
        end_it(P, foo),
        wait(fun() -> process_info(self(), message_queue_len) =:= {message_queue_len, 1} end),
        {I1, I2, demonitor(N, [flush, info]), rest()}
    end),
    do("tags", fun() ->
        P = servant(B),
        M1 = monitor(process, P, [{tag, {my, tag}}]),
        M2 = monitor(process, P, [{tag, self()}, {alias, demonitor}]),
        M3 = monitor(process, {nobody_of_this_name, B}, [{tag, named}]),
        [{named, M3, process, N, R}] = got(1),
        end_it(P, foo),
        Self = self(),
        {N, R, lists:sort(got(2)) =:= lists:sort([{{my, tag}, M1, process, P, foo}, {Self, M2, process, P, foo}])}
    end),
    do("monitored from there", fun() ->
        P = servant(B),
        {Pid, _} = spawn_monitor(fun wait_for_end/0),
        M = tell(P, fun() -> monitor(process, Pid) end),
        M2 = tell(P, fun() -> monitor(process, Pid) end),
        tell(P, fun() -> demonitor(M2) end),
        By = process_info(Pid, monitored_by),
        Pid ! stop,
        got(1),
        wait(fun() -> tell(P, fun() -> get(got) =/= undefined end) end),
        {By =:= {monitored_by, [self(), P]} orelse By =:= {monitored_by, [P, self()]},
         heard(P) =:= [{'DOWN', M, process, Pid, normal}], tell(P, fun() -> demonitor(M) end)}
    end),
    do("many monitors, taken back at once", fun() ->
        P = servant(B),
        lists:usort([begin M = monitor(process, P), demonitor(M, [flush, info]) end || _ <- lists:seq(1, 1000)] ++
            [tell(P, fun() -> process_info(self(), monitored_by) end)])
    end).

names(B) ->
    do("monitors by name", fun() ->
        P = servant(B),
        tell(P, fun() -> register(named, self()) end),
        M = monitor(process, {named, B}),
        Of = process_info(self(), monitors),
        end_it(P, foo),
        {Of, got(1) =:= [{'DOWN', M, process, {named, B}, foo}]}
    end),
    do("monitors by name from there", fun() ->
        P = servant(B),
        Here = node(),
        {Pid, _} = spawn_monitor(fun() -> register(named_here, self()), wait_for_end() end),
        wait(fun() -> whereis(named_here) =:= Pid end),
        M = tell(P, fun() -> monitor(process, {named_here, Here}) end),
        Pid ! stop,
        got(1),
        wait(fun() -> tell(P, fun() -> get(got) =/= undefined end) end),
        heard(P) =:= [{'DOWN', M, process, {named_here, Here}, normal}]
    end).

info(B) ->
    do("what is told of links and monitors", fun() ->
        P = servant(B),
        Self = self(),
        link(P),
        monitor(process, P),
        monitor(process, {some_name, B}),
        tell(P, fun() -> monitor(process, Self) end),
        got(1),
        There = tell(P, fun() -> [process_info(self(), I) || I <- [links, monitors, monitored_by, group_leader]] end),
        {process_info(self(), links) =:= {links, [P]}, process_info(self(), monitors) =:= {monitors, [{process, P}]},
         process_info(self(), monitored_by) =:= {monitored_by, [P]},
         There =:= [{links, [Self]}, {monitors, [{process, Self}]}, {monitored_by, [Self]}, lists:last(There)],
         node(element(2, lists:last(There)))}
    end),
    do("what is not told", fun() ->
        P = servant(B),
        [try F() catch C:R -> {C, R} end || F <- [fun() -> process_info(P) end, fun() -> process_info(P, links) end,
            fun() -> is_process_alive(P) end, fun() -> garbage_collect(P) end, fun() -> suspend_process(P) end,
            fun() -> erlang:process_display(P, backtrace) end, fun() -> register(foo, P) end,
            fun() -> erlang:check_process_code(P, lists) end]]
    end),
    do("group leaders", fun() ->
        P = servant(B),
        Old = tell(P, fun() -> group_leader() end),
        group_leader(self(), P),
        One = {node(Old), tell(P, fun() -> group_leader() end) =:= self()},
        group_leader(Old, self()),
        {One, group_leader() =:= Old, process_info(self(), group_leader) =:= {group_leader, Old}}
    end).

suspend_process(P) -> erlang:suspend_process(P).

%% The connection goes: each tie is told of once.
lost(B) ->
    do("the connection is lost", fun() ->
        process_flag(trap_exit, true),
        P = servant(B, true),
        Self = self(),
        link(P),
        M1 = monitor(process, P),
        M2 = monitor(process, P, [{tag, tagged}]),
        M3 = monitor(process, {kernel_sup, B}),
        monitor_node(B, true),
        M = tell(P, fun() -> monitor(process, Self) end),
        disconnect(B),
        Here = lists:sort(got(5)),
        Rest = rest(),
        Links = process_info(self(), [links, monitors, monitored_by]),
        connect(B),
        There = lists:sort(heard(P)) =:= lists:sort([{'EXIT', Self, noconnection}, {'DOWN', M, process, Self,
            noconnection}]),
        {Here =:= lists:sort([{'EXIT', P, noconnection}, {'DOWN', M1, process, P, noconnection}, {tagged, M2,
            process, P, noconnection},
            {'DOWN', M3, process, {kernel_sup, B}, noconnection}, {nodedown, B}]), Rest, Links, There, linked(P)}
    end),
    do("not trapped", fun() ->
        P = servant(B),
        {Pid, M} = spawn_monitor(fun() -> link(P), wait_for_end() end),
        wait(fun() -> linked(P) =:= [Pid] end),
        MP = monitor(process, P),
        disconnect(B),
        L = lists:sort(got(2)),
        connect(B),
        {L =:= lists:sort([{'DOWN', M, process, Pid, noconnection}, {'DOWN', MP, process, P, noconnection}]),
         cluster:is_soon(fun() -> not call(B, erlang, is_process_alive, [P]) end)}
    end),
    do("links that were undone", fun() ->
        process_flag(trap_exit, true),
        P = servant(B, true),
        link(P),
        unlink(P),
        M = monitor(process, P),
        demonitor(M),
        Q = monitor(process, P),
        disconnect(B),
        R = got(1) =:= [{'DOWN', Q, process, P, noconnection}],
        connect(B),
        {R, rest(), heard(P)}
    end),
    do("a node is killed", fun() ->
        process_flag(trap_exit, true),
        D = start(d),
        connect(D),
        P = servant(D),
        link(P),
        M = monitor(process, P),
        cluster:kill(D),
        lists:sort(got(2)) =:= lists:sort([{'EXIT', P, noconnection}, {'DOWN', M, process, P, noconnection}])
    end).

%% Ties to who cannot be reached, or is not yet.
not_connected(B) ->
    do("a link connects", fun() ->
        process_flag(trap_exit, true),
        P = servant(B),
        disconnect(B),
        link(P),
        wait(fun() -> call(B, erlang, process_info, [P, links]) =:= {links, [self()]} end),
        exit(P, over),
        [{'EXIT', P, R}] = got(1),
        {R, lists:member(B, nodes())}
    end),
    do("a monitor connects", fun() ->
        P = servant(B),
        disconnect(B),
        M = monitor(process, P),
        exit(P, over),
        [{'DOWN', M, process, P, R}] = got(1),
        {R, lists:member(B, nodes())}
    end),
    do("to a node that is none", fun() ->
        process_flag(trap_exit, true),
        D = start(d),
        P = call(D, erlang, self, []),
        cluster:kill(D),
        link(P),
        M = monitor(process, P),
        N = monitor(process, {name, D}),
        exit(P, foo),
        unlink(P),
        group_leader(self(), P),
        L = got(2),
        {lists:member({'DOWN', M, process, P, noconnection}, L ++ rest()),
         lists:member({'DOWN', N, process, {name, D}, noconnection}, L)}
    end).

many(B) ->
    do("many ties are lost at once", fun() ->
        process_flag(trap_exit, true),
        Count = deep(2000, 10000),
        Ps = call(B, fun() -> [spawn(?MODULE, wait_for_end, []) || _ <- lists:seq(1, Count)] end),
        [link(P) || P <- Ps],
        Ms = [{P, monitor(process, P)} || P <- Ps],
        wait(fun() -> call(B, fun() -> lists:all(fun(P) -> element(2, process_info(P, links)) =/= [] end,
            Ps) end) end),
        disconnect(B),
        L = lists:sort(got(2 * Count)),
        connect(B),
        Gone = cluster:is_soon(fun() -> not call(B, fun() -> lists:any(fun is_process_alive/1, Ps) end) end),
        {L =:= lists:sort([{'EXIT', P, noconnection} || P <- Ps] ++ [{'DOWN', M, process, P, noconnection} || {P,
            M} <- Ms]),
         rest(), Gone}
    end),
    do("many processes are linked to one", fun() ->
        Count = deep(2000, 10000),
        P = servant(B),
        Self = self(),
        Pids = [spawn(fun() -> link(P), Self ! linked, wait_for_end() end) || _ <- lists:seq(1, Count)],
        got(Count),
        Ms = [monitor(process, Pid) || Pid <- Pids],
        wait(fun() -> length(linked(P)) =:= Count end),
        end_it(P, over),
        L = got(Count),
        {length([R || {'DOWN', _, process, _, over = R} <- L]), length(Ms)}
    end),
    do("one ends with many there", fun() ->
        Count = deep(2000, 10000),
        Self = self(),
        {Pid, _} = spawn_monitor(fun wait_for_end/0),
        Ps = call(B, fun() -> [spawn(fun() -> link(Pid), Self ! linked, wait_for_end() end) || _ <- lists:seq(1,
            Count)] end),
        got(Count),
        wait(fun() -> length(element(2, process_info(Pid, links))) =:= Count end),
        exit(Pid, over),
        got(1),
        wait(fun() -> call(B, fun() -> not lists:any(fun is_process_alive/1, Ps) end) end),
        all_gone
    end).

%% Random links, monitors and ends between processes of both nodes: all that should end does.
mixed(B) ->
    do("at random", fun() ->
        rand:seed(exsss, 12),
        Self = self(),
        Start = fun() -> spawn(fun Loop() -> receive {Self, F} -> F(), Loop(); _ -> Loop() end end) end,
        lists:usort([begin
            Ps = [Start() || _ <- lists:seq(1, 10)] ++ call(B, fun() -> [Start() || _ <- lists:seq(1, 10)] end),
            Pick = fun() -> lists:nth(rand:uniform(20), Ps) end,
            [begin
                 Q = Pick(),
                 Pick() ! {Self, case rand:uniform(4) of
                     1 -> fun() -> unlink(Q) end;
                     2 -> fun() -> demonitor(monitor(process, Q)) end;
                     _ -> fun() -> link(Q) end
                 end}
             end || _ <- lists:seq(1, 200)],
            Ring = lists:zip(Ps, tl(Ps) ++ [hd(Ps)]),
            [P ! {Self, fun() -> link(Q), Self ! linked end} || {P, Q} <- Ring],
            got(20),
            [monitor(process, P) || P <- Ps],
            exit(hd(Ps), over),
            lists:usort([R || {'DOWN', _, _, _, R} <- got(20)]) -- [noproc]
        end || _ <- lists:seq(1, 20)])
    end).
