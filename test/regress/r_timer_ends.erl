-module(r_timer_ends).
-export([main/0]).
%% When timers go: with the process that they are for, not with who set them; one for a name stays. Those of one tick
%% come in the order in which they were set. A message that takes long to copy comes as well.
main() ->
    io:format("nothing is left of timers of processes that ended: ~p~n", [left_by_the_dead() < 100]),
    io:format("nor of those that others had set for them: ~p~n", [left_by_others() < 100]),
    io:format("setter ended: ~p~n", [setter_ended()]),
    io:format("name handed on: ~p~n", [name_handed_on()]),
    io:format("for nobody: ~p~n", [for_nobody()]),
    io:format("in order: ~p~n", [lists:usort([in_order(T) || T <- [0, 1, 5, 270]])]),
    io:format("large: ~p~n", [[large(I) || I <- lists:seq(1, 20)]]).

%% Bytes for each.
left_by_the_dead() ->
    memory_for(20000, fun(I) -> ended(fun() -> erlang:start_timer(3600000, self(), {some, "data", I}) end) end).

left_by_others() ->
    memory_for(20000, fun(I) ->
        {P, R} = spawn_monitor(fun() -> receive stop -> ok end end),
        [erlang:send_after(3600000 + I, P, x) || _ <- [1, 2]],
        T = erlang:send_after(3600000, P, x),
        3600000 = max(3600000, erlang:cancel_timer(T)),
        P ! stop,
        receive {'DOWN', R, process, P, _} -> ok end
    end).

memory_for(N, Do) ->
    lists:foreach(Do, lists:seq(1, 100)),
    garbage_collect(), timer:sleep(300),
    Before = erlang:memory(total),
    lists:foreach(Do, lists:seq(1, N)),
    garbage_collect(),
    least(fun() -> (erlang:memory(total) - Before) / N end, 600).

%% Memory is given back in its time.
least(F, N) ->
    case F() of
        X when X < 100; N =:= 0 -> X;
        _ -> timer:sleep(100), least(F, N - 1)
    end.

ended(F) ->
    {P, R} = spawn_monitor(F),
    receive {'DOWN', R, process, P, _} -> ok end.

setter_ended() ->
    Self = self(),
    ended(fun() -> erlang:send_after(50, Self, it_came) end),
    receive it_came -> it_came after 60000 -> nothing end.

name_handed_on() ->
    Self = self(),
    ended(fun() -> register(r_timer_name, self()), Self ! {set, erlang:send_after(100, r_timer_name, it_came)} end),
    receive {set, _} -> ok end,
    register(r_timer_name, self()),
    Got = receive it_came -> it_came after 60000 -> nothing end,
    unregister(r_timer_name),
    Got.

for_nobody() ->
    P = spawn(fun() -> ok end),
    ended(fun() -> R = monitor(process, P), receive {'DOWN', R, _, _, _} -> ok end end),
    T1 = erlang:send_after(1000000, P, x),
    T2 = erlang:start_timer(1000000, P, x),
    {is_reference(T1), erlang:read_timer(T1), erlang:cancel_timer(T1), erlang:read_timer(T2), erlang:cancel_timer(T2)}.

%% Those that were set on one scheduler.
in_order(T) ->
    Free = process_flag(scheduler, 1),
    [erlang:send_after(T, self(), {n, I}) || I <- lists:seq(1, 100)],
    Got = [receive {n, I} -> I end || _ <- lists:seq(1, 100)],
    1 = process_flag(scheduler, Free),
    Got =:= lists:seq(1, 100).

large(I) ->
    L = lists:seq(1, 100000),
    spawn(fun() -> receive after 10 -> ok end end),
    erlang:send_after(20, self(), {I, L}),
    receive {I, L} -> I end.
