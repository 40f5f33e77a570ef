%% Signals between two processes are in order, and so is what they ask: who has sent a kill is told that the process is
%% not alive, also when that is busy just then with all that was sent before.
-module(r_alive_after_kill).
-export([main/0]).

main() ->
    persistent_term:put(?MODULE, lists:seq(1, 300000)),
    io:format("~p~n", [lists:usort([one(N) || N <- lists:seq(1, 60)])]).

%% It is busy while messages come, and then takes them all at once, with the kill behind them.
one(N) ->
    Pid = spawn(fun() -> receive go -> erlang:phash2(persistent_term:get(?MODULE)) end, receive never -> ok end end),
    Pid ! go,
    [Pid ! {message, I} || I <- lists:seq(1, 30000)],
    exit(Pid, kill),
    spin(N * 1500),
    is_process_alive(Pid).

spin(0) -> ok;
spin(N) -> spin(N - 1).
