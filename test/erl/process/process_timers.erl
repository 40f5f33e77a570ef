-module(process_timers).
-export([main/0]).
-include("p.hrl").

main() ->
    process_flag(trap_exit, false),
    p(self, self()),
    T = erlang:start_timer(10, self(), {a, "message"}),
    p(timer, T),
    p(fired, flush(200)),
    p(cancel_late, erlang:cancel_timer(T)),
    p(read_late, erlang:read_timer(T)),
    S = erlang:send_after(100000, self(), never),
    p(read, between(erlang:read_timer(S), 99000, 100000)),
    p(cancel, between(erlang:cancel_timer(S), 99000, 100000)),
    p(cancel_again, erlang:cancel_timer(S)),
    options(),
    order(),
    names(),
    ends(),
    far(),
    many(),
    bad().

between(N, A, B) -> is_integer(N) andalso N >= A andalso N =< B.

options() ->
    A = erlang:send_after(100000, self(), x),
    p(async, erlang:cancel_timer(A, [{async, true}])),
    p(answer, [{X, is_integer(N)} || {X, _, N} <- flush(100)]),
    p(async_gone, erlang:cancel_timer(A, [{async, true}])),
    p(answer, flush(50)),
    B = erlang:send_after(100000, self(), x),
    p(no_info, erlang:cancel_timer(B, [{info, false}])),
    p(no_info_async, erlang:cancel_timer(B, [{info, false}, {async, true}])),
    p(nothing, flush(50)),
    C = erlang:send_after(100000, self(), x),
    p(read_async, erlang:read_timer(C, [{async, true}])),
    p(answer, [{X, is_integer(N)} || {X, _, N} <- flush(100)]),
    erlang:cancel_timer(C),
    Now = erlang:monotonic_time(millisecond),
    erlang:send_after(Now + 20, self(), absolute, [{abs, true}]),
    receive absolute -> p(abs, erlang:monotonic_time(millisecond) - Now >= 20) end,
    erlang:start_timer(Now - 10, self(), past, [{abs, true}]),
    p(past, [M || {timeout, _, M} <- flush(100)]).

order() ->
    [erlang:send_after(T, self(), T) || T <- [60, 20, 40, 0, 10, 30, 50]],
    p(order, flush(300)).

names() ->
    erlang:send_after(10, no_such_name_here, x),
    register(timer_name, self()),
    erlang:send_after(10, timer_name, by_name),
    p(by_name, flush(100)),
    unregister(timer_name).

ends() ->
    {P, R} = spawn_monitor(fun() -> receive go -> ok end end),
    T = erlang:send_after(100000, P, x),
    p(runs, is_integer(erlang:read_timer(T))),
    P ! go,
    receive {'DOWN', R, _, _, _} -> ok end,
    p(ended, eventually(fun() -> erlang:read_timer(T) =:= false end)).

far() ->
    Ts = [erlang:send_after(D, self(), x) || D <- [16#ffff, 16#ffffff, 16#ffffffff, 16#ffffffffff, 1 bsl 42]],
    p(far, [N || N <- [erlang:cancel_timer(T) || T <- Ts], is_integer(N), N > 60000] =/= []),
    p(none, flush(0)).

many() ->
    Self = self(),
    N = 5000,
    [erlang:send_after(I rem 300, Self, {tick, I}) || I <- lists:seq(1, N)],
    Cancel = [erlang:send_after(20000 + I rem 3000, Self, no) || I <- lists:seq(1, N)],
    p(cancelled, length([T || T <- Cancel, is_integer(erlang:cancel_timer(T))])),
    p(ticked, length([receive {tick, I} -> I end || I <- lists:seq(1, N)])),
    p(none, flush(50)).

bad() ->
    [f({start, T, same(D)}, fun() -> erlang:start_timer(T, D, x) end)
        || {T, D} <- [{-1, self()}, {a, self()}, {1.0, self()},
                                                                              {1, "x"}, {1, 1}, {1, {a, node()}}]],
    [f({opt, O}, fun() -> erlang:send_after(1, self(), x, O) end)
        || O <- [x, [x], [{abs, 1}], [{foo, true}], [{abs, true} | x]]],
    [f({cancel, same(X)}, fun() -> erlang:cancel_timer(X) end) || X <- [x, 1, self()]],
    [f({cancel, O}, fun() -> erlang:cancel_timer(make_ref(), O) end) || O <- [x, [x], [{async, 1}]]],
    [f({read, O}, fun() -> erlang:read_timer(make_ref(), O) end) || O <- [x, [{info, true}], [{async, x}]]],
    p(unknown, {erlang:cancel_timer(make_ref()), erlang:read_timer(make_ref())}).
