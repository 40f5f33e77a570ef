%% Many processes that do to each other all that processes can, in no order; what is printed does not depend on it. Each
%% step may meet a process that has just ended. For the builds that look for races as much as for the answers.
-module(stress_processes).
-export([main/0]).

-define(WORKERS, 24).
-define(STEPS, 300).

main() ->
    process_flag(trap_exit, true),
    io:format("mixed: ~p~n", [mixed()]),
    io:format("names: ~p~n", [names()]),
    io:format("ends told: ~p~n", [ends_told()]),
    io:format("timers: ~p~n", [timers()]),
    io:format("asked: ~p~n", [asked()]),
    io:format("registered now: ~p~n", [[N || N <- [stress_a, stress_b, stress_c], whereis(N) =/= undefined]]).

%% Everybody knows some others; those that end are born again. All that counts is that all of them come through.
mixed() ->
    Main = self(),
    Table = ets:new(people, [public]),
    Pids = [spawn_monitor(fun() -> worker(Main, Table, I, ?STEPS) end) || I <- lists:seq(1, ?WORKERS)],
    Done = [receive {'DOWN', R, process, P, Reason} -> Reason end || {P, R} <- Pids],
    ets:delete(Table),
    flush(),
    lists:usort(Done).

worker(Main, Table, I, Steps) ->
    process_flag(trap_exit, true),
    ets:insert(Table, {I, self()}),
    rand:seed(exsss, I),
    steps(Table, I, Steps),
    unlink(Main).

steps(_, _, 0) -> ok;
steps(Table, I, N) ->
    Other = case ets:lookup(Table, rand:uniform(?WORKERS)) of [{_, P}] -> P; [] -> self() end,
    Mortal = spawn(fun mortal/0),
    ets:insert(Table, {I + ?WORKERS, Mortal}),
    Victim = case ets:lookup(Table, ?WORKERS + rand:uniform(?WORKERS)) of [{_, V}] -> V; [] -> Mortal end,
    step(rand:uniform(14), Other, Victim, N),
    drain(),
    steps(Table, I, N - 1).

step(1, Other, _, N) -> Other ! {hello, self(), lists:duplicate(N rem 50, N)};
step(2, _, Victim, _) -> Victim ! stop;
step(3, _, Victim, _) -> exit(Victim, kill);
step(4, _, Victim, _) -> exit(Victim, {some, reason, <<1:8000>>});
step(5, _, Victim, _) -> erlang:demonitor(monitor(process, Victim));
step(6, _, Victim, _) -> monitor(process, Victim), Victim ! stop;
step(7, _, Victim, _) -> catch link(Victim), unlink(Victim);
step(8, _, Victim, _) -> catch link(Victim), Victim ! stop;
step(9, Other, _, _) -> process_info(Other, [messages, memory, links, status, current_function]);
step(10, _, Victim, _) -> process_info(Victim, [registered_name, monitors, monitored_by, dictionary]);
step(11, _, Victim, _) -> erlang:garbage_collect(Victim);
step(12, _, Victim, _) ->
    try erlang:suspend_process(Victim), erlang:resume_process(Victim)
    catch error:Reason when Reason =:= badarg; Reason =:= exited -> gone % the latter when it ends meanwhile, on stock
    end;
step(13, Other, _, N) -> erlang:send_after(N rem 5, Other, {late, N});
step(14, Other, Victim, N) ->
    T = erlang:start_timer(1 + N rem 20, Victim, x),
    erlang:read_timer(T),
    Other ! {cancel, T}.

mortal() ->
    receive
        stop -> ok;
        {die, R} -> exit(R)
    after 200 -> ok
    end.

drain() ->
    receive
        {cancel, T} -> erlang:read_timer(T), erlang:cancel_timer(T), drain();
        _ -> drain()
    after 0 -> ok
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% A name is somebody's or nobody's: who registers himself finds himself, until he gives it up or ends.
names() ->
    Names = [stress_a, stress_b, stress_c],
    Pids = [spawn_monitor(fun() -> rand:seed(exsss, I), exit({names, namer(Names, 400, 0)}) end) || I <- lists:seq(1, 12)],
    lists:usort([receive {'DOWN', R, process, P, {names, Wrong}} -> Wrong end || {P, R} <- Pids]).

namer(_, 0, Wrong) -> Wrong;
namer(Names, N, Wrong) ->
    Name = lists:nth(rand:uniform(3), Names),
    New = try register(Name, self()) of
              true ->
                  Mine = whereis(Name) =:= self() andalso process_info(self(), registered_name) =:= {registered_name, Name},
                  unregister(Name),
                  if Mine -> 0; true -> 1 end
          catch error:badarg -> 0
          end,
    %% One that ends with the name, to make way for whoever comes next.
    spawn(fun() -> catch register(Name, self()) end),
    erlang:yield(),
    namer(Names, N - 1, Wrong + New).

%% Everybody who watches hears each end once, with its reason.
ends_told() ->
    Main = self(),
    lists:usort([begin
        Subject = spawn(fun() -> receive {go, R} -> exit(R) end end),
        Watchers = [spawn(fun() -> watch(Main, Subject, K) end) || K <- lists:seq(1, 20)],
        [receive {ready, W} -> ok end || W <- Watchers],
        Subject ! {go, {reason, I}},
        lists:usort([receive {heard, W, What} -> What =:= lists:duplicate(2, {reason, I}) end || W <- Watchers])
    end || I <- lists:seq(1, 30)]).

watch(Main, Subject, K) ->
    process_flag(trap_exit, true),
    link(Subject),
    Ref = monitor(process, Subject),
    if K rem 2 =:= 0 -> erlang:demonitor(monitor(process, Subject), [flush]); true -> ok end,
    Main ! {ready, self()},
    Heard = [receive {'DOWN', Ref, _, _, R} -> R; {'EXIT', Subject, R} -> R end || _ <- [1, 2]],
    receive Other -> Main ! {heard, self(), Other} after 0 -> Main ! {heard, self(), Heard} end.

%% Each timer fires once or was cancelled; who cancels and who reads are others than who is told.
timers() ->
    Main = self(),
    Setters = [spawn(fun() -> Main ! {set, self(), [erlang:start_timer(K rem 7, Main, {I, K}) || K <- lists:seq(1, 200)]} end)
               || I <- lists:seq(1, 8)],
    Cancelled = lists:sum([receive
        {set, S, Timers} ->
            spawn(fun() -> [erlang:read_timer(T) || T <- Timers] end),
            length([T || {N, T} <- lists:zip(lists:seq(1, 200), Timers), N rem 3 =:= 0,
                         is_integer(erlang:cancel_timer(T))])
    end || S <- Setters]),
    Fired = take_timeouts(8 * 200 - Cancelled, 0),
    {Fired + Cancelled, receive {timeout, _, _} -> more after 20 -> no_more end}.

take_timeouts(0, N) -> N;
take_timeouts(Left, N) -> receive {timeout, _, _} -> take_timeouts(Left - 1, N + 1) end.

%% Answers to requests, from processes that run, wait, or end.
asked() ->
    Busy = [spawn_link(fun Loop() -> receive stop -> ok after 0 -> lists:seq(1, 100), Loop() end end) || _ <- lists:seq(1, 4)],
    Answers = [begin
        P = lists:nth(1 + I rem 4, Busy),
        true = erlang:garbage_collect(P),
        {status, _} = process_info(P, status),
        async = erlang:garbage_collect(P, [{async, I}]),
        receive {garbage_collect, I, true} -> ok end,
        true = erlang:suspend_process(P),
        {status, suspended} = process_info(P, status),
        true = erlang:resume_process(P),
        ok
    end || I <- lists:seq(1, 60)],
    [begin unlink(P), P ! stop end || P <- Busy],
    lists:usort(Answers).
