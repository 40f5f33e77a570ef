%% trace:system/3 of OTP 28: each session hears of what is slow or large by its own limits. Answered by OTP 29.
-module(r_trace_system).
-export([main/0]).

main() ->
    refused(), limits(), heaps(), queues(), ended().

show(What, Term) -> io:format("~p: ~0p~n", [What, Term]).

reason(F) ->
    try F() catch
        Class:Reason:Trace ->
            [{M, N, As, Info}, {Caller, CN, _, _} | _] = Trace,
            {Class, Reason, {M, N, tl(As), Info}, {Caller, CN}}
    end.

refused() ->
    S = trace:session_create(one, self(), []),
    Values = [{long_gc, -1}, {long_gc, true}, {long_gc, 1 bsl 70}, {long_schedule, a}, {large_heap, -1},
              {busy_port, 1}, {busy_dist_port, x}, {long_message_queue, {1, 1}}, {long_message_queue, {-1, 1}},
              {long_message_queue, {3, 2}}, {long_message_queue, {0, 0}}, {long_message_queue, x},
              {long_message_queue, {1, 2, 3}}, {other, true}, {other, false}, {1, true}],
    [show(Value, reason(fun() -> trace:system(S, E, V) end)) || {E, V} = Value <- Values],
    [show(session, reason(fun() -> trace:system(X, long_gc, 1) end)) || X <- [x, {make_ref(), {a, 1}}, {one, a}]],
    M = trace:session_create(module, {erl_tracer, x}, []),
    show(no_process, reason(fun() -> trace:system(M, long_gc, 1) end)),
    true = trace:session_destroy(S),
    show(destroyed, reason(fun() -> trace:system(S, long_gc, 1) end)).

limits() ->
    S = trace:session_create(two, self(), []),
    Set = fun(E, V) -> ok = trace:system(S, E, V), element(2, trace:info(S, system, all)) end,
    show(none, trace:info(S, system, all)),
    [show(Value, Set(E, V)) || {E, V} = Value <- [
        {long_gc, 0}, {long_schedule, 0}, {large_heap, 0}, {busy_port, true}, {busy_dist_port, true},
        {long_gc, 1 bsl 40}, {large_heap, 1 bsl 40}, {long_schedule, 1 bsl 40}, {long_message_queue, {0, 1 bsl 40}},
        {long_message_queue, {2, 1 bsl 40}}, {long_gc, false}, {long_gc, false}, {large_heap, false},
        {busy_port, false}, {busy_dist_port, false}, {long_message_queue, false}, {long_schedule, false}]],
    show(others, erlang:system_monitor()),
    true = trace:session_destroy(S).

%% A tracer that keeps what it is told until it is asked what that was of one process, of which it waits for N events.
tracer() -> spawn(fun() -> keep([]) end).
keep(Told) ->
    receive
        {monitor, P, What, Info} -> keep([{P, What, Info} | Told]);
        {From, P, N} -> answer(From, P, N, lists:reverse(Told))
    end.
answer(From, P, N, Told) ->
    case [Event || {Q, _, _} = Event <- Told, Q =:= P] of
        Events when length(Events) >= N -> From ! {self(), Events}, keep([]);
        _ -> receive {monitor, Q, What, Info} -> answer(From, P, N, Told ++ [{Q, What, Info}]) end
    end.
tells(Tracer, P, N) ->
    Tracer ! {self(), P, N},
    receive {Tracer, Told} -> Told end.

heaps() ->
    [T1, T2, T3] = Tracers = [tracer() || _ <- [1, 2, 3]],
    [S1, S2] = [trace:session_create(three, T, []) || T <- [T1, T2]],
    trace:system(S1, large_heap, 100000),
    trace:system(S2, large_heap, 100000000),
    erlang:system_monitor(T3, [{large_heap, 100000}]),
    Grow = fun() ->
        {P, M} = spawn_monitor(fun() -> exit(length(grow(200000))) end),
        receive {'DOWN', M, _, P, 200000} -> P end
    end,
    P = Grow(),
    Of = fun(Q, T) -> lists:usort([What || {_, What, [_ | _]} <- tells(T, Q, 0)]) end,
    show(one_of_two, [Of(P, T) || T <- Tracers]),
    trace:system(S1, large_heap, false),
    trace:system(S2, large_heap, 50000),
    erlang:system_monitor(undefined),
    P2 = Grow(),
    show(the_other, [Of(P2, T) || T <- Tracers]),
    [true = trace:session_destroy(S) || S <- [S1, S2]],
    P3 = Grow(),
    show(none, [Of(P3, T) || T <- Tracers]).

grow(N) ->
    L = lists:seq(1, N),
    true = garbage_collect(),
    L.

%% Two sessions with limits of their own, and one that comes when the queue is long already.
queues() ->
    [T1, T2, T3] = [tracer() || _ <- [1, 2, 3]],
    [S1, S2, S3] = [trace:session_create(four, T, []) || T <- [T1, T2, T3]],
    trace:system(S1, long_message_queue, {2, 4}),
    trace:system(S2, long_message_queue, {0, 6}),
    P = spawn(fun waits/0),
    Send = fun(N) ->
        [P ! message || _ <- lists:seq(1, N)],
        until(fun() -> process_info(P, message_queue_len) =:= {message_queue_len, N} end)
    end,
    Of = fun(T, N) -> [Long || {_, long_message_queue, Long} <- tells(T, P, N)] end,
    Send(8),
    show(long, [Of(T, 1) || T <- [T1, T2]]),
    trace:system(S3, long_message_queue, {1, 3}),
    P ! {take, 7},
    show(short, [Of(T, N) || {T, N} <- [{T1, 1}, {T2, 0}]]),
    P ! {take, 2},
    show(empty, [Of(T, N) || {T, N} <- [{T1, 0}, {T2, 1}]]),
    true = trace:session_destroy(S1),
    trace:system(S2, long_message_queue, {0, 2}),
    Send(5),
    show(again, [Of(T, N) || {T, N} <- [{T1, 0}, {T2, 1}]]),
    [true = trace:session_destroy(S) || S <- [S2, S3]],
    P ! {take, 6},
    show(over, Of(T2, 0)),
    exit(P, kill).

waits() ->
    receive {take, N} -> [receive message -> ok after 0 -> ok end || _ <- lists:seq(1, N)] end,
    waits().

until(F) ->
    case F() of
        true -> ok;
        false -> erlang:yield(), until(F)
    end.

%% A tracer that is no more.
ended() ->
    T = tracer(),
    S = trace:session_create(five, T, []),
    ok = trace:system(S, large_heap, 100000),
    M = monitor(process, T),
    exit(T, kill),
    receive {'DOWN', M, _, _, _} -> ok end,
    show(told_to_nobody, length(grow(200000))),
    show(set_for_nobody, trace:system(S, long_gc, 1000)),
    true = trace:session_destroy(S).
