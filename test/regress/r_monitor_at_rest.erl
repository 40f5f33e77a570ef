%% Monitors of processes that rest are set and removed without waking them: nobody can tell.
-module(r_monitor_at_rest).
-export([main/0, waits/1]).

main() ->
    seen_at_once(),
    [told_of(Flags) || Flags <- [[procs], ['receive', procs, exiting]]],
    told_of_all(),
    suspended(),
    hibernated(),
    in_a_dirty_call(),
    behind_messages(),
    io:format("~w~n", [lists:usort([ends() || _ <- lists:seq(1, 300)])]),
    [storm(Targets, 20, 300) || Targets <- [1, 5]],
    ok.

waits(Count) ->
    receive
        stop -> ok;
        {exit, Reason} -> exit(Reason);
        {From, count} -> From ! {self(), Count}, waits(Count);
        _ -> waits(Count + 1)
    end.

start() ->
    P = spawn(?MODULE, waits, [0]),
    settle(P),
    P.
%% It rests.
settle(P) ->
    case process_info(P, status) of
        {status, waiting} -> receive after 1 -> ok end;
        _ -> erlang:yield(), settle(P)
    end.

watchers(P) ->
    {monitored_by, By} = process_info(P, monitored_by),
    By.

seen_at_once() ->
    P = start(),
    register(at_rest, P),
    Ms = [monitor(process, P), monitor(process, at_rest), monitor(process, P, [{alias, demonitor}]),
          monitor(process, P, [{tag, gone}]), monitor(process, {at_rest, node()})],
    io:format("~w ~w~n", [watchers(P) =:= [self() || _ <- Ms], lists:sort([Name || {process, Name} <- own(), is_tuple(Name)])]),
    [true = demonitor(M) || M <- [hd(Ms), hd(Ms)]],
    io:format("~w ~w~n", [length(watchers(P)), demonitor(lists:nth(2, Ms), [info])]),
    {Other, M} = spawn_monitor(fun() -> monitor(process, P), receive stop -> ok end end),
    settle(Other),
    io:format("~w~n", [watchers(P) -- [self(), self(), self(), Other]]),
    Other ! stop,
    receive {'DOWN', M, _, _, normal} -> ok end,
    until(fun() -> watchers(P) =:= [self(), self(), self()] end),
    exit(P, bye),
    io:format("~p~n", [lists:sort([receive
                                       {Tag, Ref, process, What, Why} when What =:= P; is_tuple(What) ->
                                           {Tag, number(Ref, Ms), is_pid(What), Why}
                                   end || _ <- [3, 4, 5]])]),
    receive Any -> io:format("~p~n", [Any]) after 0 -> ok end.

own() -> element(2, process_info(self(), monitors)).
number(X, [X | _]) -> 1;
number(X, [_ | Rest]) -> 1 + number(X, Rest).
until(Fun) -> case Fun() of true -> ok; false -> receive after 1 -> until(Fun) end end.

%% Who traces it hears the same.
told_of(Flags) ->
    P = start(),
    erlang:trace(P, true, Flags),
    M = monitor(process, P),
    [true] = lists:usort([demonitor(monitor(process, P)) || _ <- lists:seq(1, 10)]),
    1 = length(watchers(P)),
    P ! {self(), count},
    receive {P, 0} -> ok end,
    settle(P),
    demonitor(M),
    [] = watchers(P),
    erlang:trace(P, false, [all]),
    D = erlang:trace_delivered(P),
    receive {trace_delivered, P, D} -> ok end,
    exit(P, kill),
    io:format("~w: ~w~n", [Flags, kinds()]).

kinds() ->
    receive
        {trace, _, Kind, _} -> [Kind | kinds()];
        {trace, _, Kind, _, _} -> [Kind | kinds()]
    after 0 -> []
    end.

told_of_all() ->
    P = start(),
    Q = spawn(fun() -> receive _ -> ok end end),
    erlang:trace(existing_processes, true, [procs]),
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, _, _, normal} -> ok end,
    erlang:trace(existing_processes, false, [procs]),
    D = erlang:trace_delivered(all),
    receive {trace_delivered, all, D} -> ok end,
    io:format("~w~n", [[Kind || {trace, Pid, Kind, _} <- flush(), Pid =:= P]]),
    Q ! stop.

flush() -> receive M -> [M | flush()] after 0 -> [] end.

%% One that is suspended looks at its messages when a monitor comes: they are told then.
suspended() ->
    P = start(),
    erlang:trace(P, true, ['receive']),
    true = erlang:suspend_process(P),
    P ! one,
    P ! two,
    receive {trace, P, _, _} = Early -> io:format("~w~n", [element(3, Early)]) after 50 -> io:format("nothing yet~n") end,
    M = monitor(process, P),
    [receive {trace, P, 'receive', What} -> io:format("~w~n", [What]) end || _ <- [1, 2]],
    P ! three,
    demonitor(M),
    receive {trace, P, 'receive', Third} -> io:format("~w~n", [Third]) end,
    erlang:trace(P, false, [all]),
    M2 = monitor(process, P),
    io:format("~w ~w~n", [process_info(P, status), length(watchers(P))]),
    true = erlang:resume_process(P),
    P ! {self(), count},
    receive {P, 3} -> ok end,
    P ! stop,
    receive {'DOWN', M2, _, _, normal} -> ok end.

hibernated() ->
    P = spawn(fun() -> erlang:hibernate(?MODULE, waits, [0]) end),
    until(fun() -> process_info(P, current_function) =:= {current_function, {erlang, hibernate, 3}} end),
    M = monitor(process, P),
    receive after 20 -> ok end,
    io:format("~w~n", [[process_info(P, current_function), length(watchers(P))]]),
    demonitor(M),
    receive after 20 -> ok end,
    io:format("~w~n", [[process_info(P, current_function), length(watchers(P))]]),
    P ! stop.

in_a_dirty_call() ->
    P = spawn(fun() -> erts_debug:dirty_io(wait, 200), waits(0) end),
    receive after 50 -> ok end,
    M = monitor(process, P),
    M2 = monitor(process, P),
    demonitor(M),
    1 = length(watchers(P)),
    P ! {exit, late},
    receive {'DOWN', M2, _, _, Why} -> io:format("~w~n", [Why]) end.

%% What was sent before it was monitored was handled before.
behind_messages() ->
    P = start(),
    io:format("~w~n", [lists:usort([begin
                                        [P ! N || _ <- lists:seq(1, N rem 3)],
                                        M = monitor(process, P),
                                        {_, Len} = process_info(P, message_queue_len),
                                        demonitor(M),
                                        Len >= 0
                                    end || N <- lists:seq(1, 2000)])]),
    P ! {self(), count},
    receive {P, Count} -> io:format("~w~n", [Count]) end,
    Q = start(),
    erlang:trace(Q, true, ['receive']),
    exit(Q, normal),
    M2 = monitor(process, Q),
    Q ! stop,
    receive {'DOWN', M2, _, _, normal} -> ok end,
    _ = flush(),
    P ! stop.

%% It ends when it is monitored: one DOWN for each, by the reason, or because it is gone.
ends() ->
    P = start(),
    Me = self(),
    Helpers = [spawn_monitor(fun() ->
                   receive go -> ok end,
                   Ms = [monitor(process, P) || _ <- lists:seq(1, 5)],
                   [receive {'DOWN', M, process, P, Why} when Why =:= bye; Why =:= noproc -> ok end || M <- Ms],
                   receive {'DOWN', _, _, P, _} = Again -> Me ! Again after 0 -> ok end
               end) || _ <- [1, 2, 3]],
    [H ! go || {H, _} <- Helpers],
    exit(P, bye),
    [receive {'DOWN', M, _, _, Why} -> Why end || {_, M} <- Helpers].

%% Many that come and go, and those that they watch rest and run by turns. Nobody is left behind.
storm(Targets, Clients, Rounds) ->
    Ts = list_to_tuple([start() || _ <- lists:seq(1, Targets)]),
    Cs = [spawn_monitor(fun() -> client(Ts, C, Rounds) end) || C <- lists:seq(1, Clients)],
    [receive {'DOWN', M, _, _, Why} -> done = Why end || {_, M} <- Cs],
    [until(fun() -> watchers(T) =:= [] end) || T <- tuple_to_list(Ts)],
    Counts = [begin
                  M = monitor(process, T),
                  T ! {self(), count},
                  receive {T, N} -> T ! stop, receive {'DOWN', M, _, _, normal} -> N end end
              end || T <- tuple_to_list(Ts)],
    io:format("~w ~w~n", [Targets, lists:sum(Counts)]).

client(_, _, 0) -> exit(done);
client(Ts, C, N) ->
    T = element(1 + (C + N) rem tuple_size(Ts), Ts),
    M = monitor(process, T),
    N rem 4 =:= 0 andalso (T ! x),
    N rem 7 =:= 0 andalso begin
        {_, M2} = spawn_monitor(fun() -> monitor(process, T), monitor(process, T) end),
        receive {'DOWN', M2, _, _, normal} -> ok end
    end,
    N rem 3 =:= 0 orelse demonitor(M, [flush]),
    client(Ts, C, N - 1).
