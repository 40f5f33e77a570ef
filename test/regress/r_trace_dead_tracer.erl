%% Nothing is charged to a process whose tracer has ended. All flags go when the process next runs.
-module(r_trace_dead_tracer).
-export([main/0, down/2]).

main() ->
    io:format("~0p~n", [[dead(Kind) || Kind <- [call_time, call_count]]]),
    [io:format("~0p: ~0p~n", [Flags, left(Flags)])
     || Flags <- [[call], [procs, arity], [set_on_spawn], [silent, timestamp], [monotonic_timestamp], [return_to],
                  [garbage_collection], [set_on_first_link, strict_monotonic_timestamp]]],
    ok.

down(0, _) -> ok;
down(N, X) -> down(N - 1, X).

dead(Kind) ->
    Main = self(),
    P = spawn(fun() -> served(Main) end),
    {T, M} = spawn_monitor(fun() -> erlang:trace(P, true, [call]), Main ! traced, receive stop -> ok end end),
    receive traced -> ok end,
    1 = erlang:trace_pattern({?MODULE, down, 2}, true, [Kind]),
    run(P, fun() -> down(10, x) end),
    Alive = calls(Kind),
    T ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    erlang:trace_pattern({?MODULE, down, 2}, restart, [Kind]),
    run(P, fun() -> down(10, x) end),
    Dead = calls(Kind),
    1 = erlang:trace_pattern({?MODULE, down, 2}, false, [Kind]),
    {Alive, Dead, erlang:trace_info(P, flags)}.

%% What another who traces it then adds his flags to: before it has run, and after.
left(Flags) ->
    Main = self(),
    [begin
        P = spawn(fun() -> served(Main) end),
        run(P, fun() -> ok end),
        {T, M} = spawn_monitor(fun() -> erlang:trace(P, true, Flags), Main ! traced, receive stop -> ok end end),
        receive traced -> ok end,
        T ! stop,
        receive {'DOWN', M, _, _, _} -> ok end,
        [run(P, fun() -> ok end) || Runs],
        1 = erlang:trace(P, true, [send]),
        Left = erlang:trace_info(P, flags),
        exit(P, kill),
        Left
     end || Runs <- [false, true]].

calls(Kind) ->
    case erlang:trace_info({?MODULE, down, 2}, Kind) of
        {call_time, L} -> [N || {_, N, _, _} <- L];
        {call_count, N} -> N
    end.

served(Main) -> receive {run, F} -> F(), Main ! {self(), done}, served(Main) end.

run(P, F) -> P ! {run, F}, receive {P, done} -> ok end.
