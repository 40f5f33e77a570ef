%% No more than one word of stack is taken for each call that call_time measures: what fits into a heap of limited size
%% does so while it is measured.
%% Not under torture: collections at every chance find the block nearly full, and take a larger one, before it is.
-module(r_trace_call_time_heap).
-export([main/0, deep/2]).

main() ->
    io:format("~0p~n", [[limited(N, Kind) || N <- [1000, 4000], Kind <- [call_time, none]]]).

deep(0, _) -> [];
deep(N, X) -> [N | deep(id(N) - 1, X)].

id(X) -> X.

limited(N, Kind) ->
    Kind =:= call_time andalso erlang:trace_pattern({?MODULE, deep, 2}, true, [call_time]),
    Limit = #{size => 10000, kill => true, error_logger => false},
    {P, M} = spawn_opt(fun() -> receive go -> ok end, exit({done, length(deep(N, x))}) end, [monitor, {max_heap_size, Limit}]),
    erlang:trace(P, true, [call]),
    P ! go,
    Reason = receive {'DOWN', M, _, _, R} -> R end,
    erlang:trace_pattern({?MODULE, deep, 2}, false, [call_time]),
    {N, Kind, Reason}.
