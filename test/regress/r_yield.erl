%% erlang:yield/0 never returned: the function of that name in erlang.beam calls itself.
-module(r_yield).
-export([main/0]).

main() ->
    Self = self(),
    Ring = [spawn(fun() -> [erlang:yield() || _ <- lists:seq(1, 100)], Self ! self() end) || _ <- lists:seq(1, 10)],
    io:format("~p~n", [[receive P -> done end || P <- Ring]]),
    io:format("~p~n", [[erlang:yield(), apply(erlang, yield, []), (fun erlang:yield/0)()]]).
