%% processes/0 tells who is there at one moment, though it takes long with many processes, and others run meanwhile:
%% of a chain of processes, each of which makes the next when the one before has ended, and ends, it meets one or two; of
%% those that are made one after the other has ended, one at most. It was a walk through the table, which met none of the
%% former, now and then, or more of the latter.
-module(r_processes_moment).
-export([main/0]).

-define(FILLERS, 30000).
-define(ROUNDS, 300).

main() ->
    Fillers = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, ?FILLERS)],
    Chain = start(fun(Ends) -> spawn(fun() -> chain(Ends, spawn(fun() -> ok end)) end) end),
    one_after_the_other("each makes the next, and ends", Chain, fun(N) -> N =:= 1 orelse N =:= 2 end),
    Turns = start(fun(Ends) -> spawn(fun() -> in_turns(Ends) end) end),
    one_after_the_other("each begins when the one before has ended", Turns, fun(N) -> N =< 2 end), % and who makes them
    [Pid ! stop || Pid <- Fillers],
    ok.

start(Begin) ->
    Before = maps:from_keys(processes(), there),
    Ends = atomics:new(1, []),
    Begin(Ends),
    {Before, Ends}.

one_after_the_other(What, {Before, Ends}, IsRight) ->
    Wrong = [N || _ <- lists:seq(1, ?ROUNDS), N <- [newer(Before)], not IsRight(N)],
    atomics:put(Ends, 1, 1),
    gone(Before),
    io:format("~s: ~p~n", [What, Wrong]).

newer(Before) -> length([Pid || Pid <- processes(), not is_map_key(Pid, Before)]).

gone(Before) -> newer(Before) =:= 0 orelse begin timer:sleep(1), gone(Before) end.

chain(Ends, Before) ->
    Monitor = monitor(process, Before),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Me = self(),
    case atomics:get(Ends, 1) of
        0 -> spawn(fun() -> chain(Ends, Me) end);
        1 -> ok
    end.

in_turns(Ends) ->
    {_, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    atomics:get(Ends, 1) =:= 0 andalso in_turns(Ends).
