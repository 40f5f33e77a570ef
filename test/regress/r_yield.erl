%% erlang:yield/0 never returned: the function of that name in erlang.beam calls itself. And others run before it
%% returns, not at the next call.
-module(r_yield).
-export([main/0]).

main() ->
    Self = self(),
    Ring = [spawn(fun() -> [erlang:yield() || _ <- lists:seq(1, 100)], Self ! self() end) || _ <- lists:seq(1, 10)],
    io:format("~p~n", [[receive P -> done end || P <- Ring]]),
    io:format("~p~n", [[erlang:yield(), apply(erlang, yield, []), (fun erlang:yield/0)()]]),
    Seen = atomics:new(1, []),
    One = erlang:system_flag(schedulers_online, 1),
    io:format("~p~n", [[others_have_run(Seen, Yield) || Yield <- [called, last, applied, fun erlang:yield/0]]]),
    erlang:system_flag(schedulers_online, One).

others_have_run(Seen, Yield) ->
    atomics:put(Seen, 1, 0),
    spawn(fun() -> atomics:put(Seen, 1, 1) end),
    true = yield(Yield),
    atomics:get(Seen, 1).

yield(called) -> Yielded = erlang:yield(), Yielded;
yield(last) -> erlang:yield();
yield(applied) -> apply(erlang, yield, []);
yield(F) -> F().
