%% Who is killed while he runs ends where he looks at his signals, and his reason is that: demonitor/2 with `flush` and
%% port_close/1 looked, and he ran on, and could end by himself.
-module(r_killed_midway).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [Name, lists:usort([ends(Looks) || _ <- lists:seq(1, 100)])]) || {Name, Looks} <- looks()].

looks() ->
    [{demonitor, fun(_) -> demonitor(make_ref(), [flush]) end},
     {port_close, fun(Port) -> port_close(Port) end}].

%% Why he ended, and whether he went on.
ends(Looks) ->
    A = atomics:new(2, []),
    {P, M} = spawn_monitor(fun() ->
        Port = open_port({spawn, "cat"}, []),
        atomics:put(A, 1, 1),
        wait(A, 1, 2),
        Looks(Port),
        atomics:put(A, 2, 1),
        exit(by_himself)
    end),
    wait(A, 1, 1),
    exit(P, kill),
    atomics:put(A, 1, 2),
    receive {'DOWN', M, process, P, Why} -> {Why, atomics:get(A, 2)} end.

wait(A, At, Value) ->
    case atomics:get(A, At) of
        Value -> ok;
        _ -> wait(A, At, Value)
    end.
