%% A new process has little room, and gets its block when it needs it: that is no collection, and nobody is told one.
%% Not under torture: there are more collections.
-module(r_first_block).
-export([main/0]).

main() ->
    [io:format("~p words: ~p~n", [2 * N, told(N)]) || N <- [1, 20, 50, 80]],
    io:format("~p words: begins with ~p~n", [10000, hd(told(5000))]),
    {Before, _, _} = statistics(garbage_collection),
    [alone(80) || _ <- lists:seq(1, 1000)],
    {After, _, _} = statistics(garbage_collection),
    io:format("a collection for each process: ~p~n", [After - Before >= 1000]).

told(N) ->
    {P, M} = spawn_monitor(fun() -> receive go -> ok end, length(lists:seq(1, N)) end),
    erlang:trace(P, true, [garbage_collection]),
    P ! go,
    receive {'DOWN', M, _, _, normal} -> ok end,
    D = erlang:trace_delivered(P),
    receive {trace_delivered, P, D} -> events(P) end.

events(P) ->
    receive {trace, P, Event, _} -> [Event | events(P)] after 0 -> [] end.

alone(N) ->
    {_, M} = spawn_monitor(fun() -> length(lists:seq(1, N)) end),
    receive {'DOWN', M, _, _, normal} -> ok end.
