%% Nothing is charged to a process whose tracer has ended, and no more than one word of stack is taken for each call that
%% call_time measures: what fits into a heap of limited size does so while it is measured. All flags go when the process
%% next runs.
%% Not under torture: each collection needs two blocks, which is more than the limit allows.
-module(r_trace_dead_tracer).
-export([main/0, down/2, deep/2]).

main() ->
    io:format("~0p~n", [[dead(Kind) || Kind <- [call_time, call_count]]]),
    [io:format("~0p: ~0p~n", [Flags, left(Flags)])
     || Flags <- [[call], [procs, arity], [set_on_spawn], [silent, timestamp], [monotonic_timestamp], [return_to],
                  [garbage_collection], [set_on_first_link, strict_monotonic_timestamp]]],
    io:format("~0p~n", [[limited(N, Kind) || N <- [1000, 4000], Kind <- [call_time, none]]]).

down(0, _) -> ok;
down(N, X) -> down(N - 1, X).

deep(0, _) -> [];
deep(N, X) -> [N | deep(id(N) - 1, X)].

id(X) -> X.

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

limited(N, Kind) ->
    Kind =:= call_time andalso erlang:trace_pattern({?MODULE, deep, 2}, true, [call_time]),
    Limit = #{size => 10000, kill => true, error_logger => false},
    {P, M} = spawn_opt(fun() -> receive go -> ok end, exit({done, length(deep(N, x))}) end, [monitor, {max_heap_size, Limit}]),
    erlang:trace(P, true, [call]),
    P ! go,
    Reason = receive {'DOWN', M, _, _, R} -> R end,
    erlang:trace_pattern({?MODULE, deep, 2}, false, [call_time]),
    {N, Kind, Reason}.
