%% Processes wait for the permission to change patterns while messages keep coming to them, so that they ask again and
%% again; some are killed, suspended and resumed meanwhile. Where a waiter stands was read without its lock.
-module(r_permission_among_messages).
-export([main/0, f/1]).

main() ->
    io:format("~p~n", [lists:usort(lists:append([one_round() || _ <- [1, 2]]))]),
    io:format("~p~n", [erlang:trace_info({?MODULE, f, 1}, traced)]).

one_round() ->
    Pids = [spawn_monitor(fun() -> change(20), exit(done) end) || _ <- [1, 2, 3, 4]],
    Doomed = [spawn_monitor(fun() -> change(1000000) end) || _ <- [1, 2]],
    Noise = [spawn(fun() -> noise([P || {P, _} <- Pids ++ Doomed]) end) || _ <- [1, 2]],
    [begin
         erlang:suspend_process(P),
         erlang:resume_process(P)
     end || {P, _} <- Doomed, _ <- lists:seq(1, 20)],
    [exit(P, kill) || {P, _} <- Doomed],
    Ends = [receive {'DOWN', M, process, P, R} -> R end || {P, M} <- Pids ++ Doomed],
    [exit(P, kill) || P <- Noise],
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    Ends.

change(0) -> ok;
change(N) ->
    1 = erlang:trace_pattern({?MODULE, f, 1}, N rem 2 =:= 0, [local]),
    receive noise -> ok after 0 -> ok end,
    change(N - 1).

noise(Pids) ->
    [P ! noise || P <- Pids],
    erlang:yield(),
    noise(Pids).

f(X) -> X.
