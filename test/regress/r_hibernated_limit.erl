%% What has hibernated has a small heap, as a new process has, but is none: max_heap_size holds for the collection that
%% gives it a block to work in.
%% Not under torture: there are more collections.
-module(r_hibernated_limit).
-export([main/0, begin_with/1, woken/1]).

main() ->
    [io:format("~p: ~w~n", [Max, lives(Max)]) || Max <- [300, 400, 500, 600, 1000, 2000, 3000]].

lives(Max) ->
    Limit = #{size => Max, kill => true, error_logger => false},
    {P, M} = spawn_opt(?MODULE, begin_with, [80], [monitor, {max_heap_size, Limit}]),
    hibernates(P),
    P ! go,
    receive {'DOWN', M, process, P, Reason} -> Reason end.

hibernates(P) ->
    case process_info(P, current_function) of
        {current_function, {erlang, hibernate, 3}} -> ok;
        {current_function, _} -> erlang:yield(), hibernates(P);
        undefined -> ok
    end.

begin_with(N) -> erlang:hibernate(?MODULE, woken, [lists:seq(1, N)]).

woken(L) ->
    receive go -> ok end,
    garbage(20),
    exit({lives, length(L)}).

garbage(0) -> ok;
garbage(N) -> put(garbage, {N, N}), garbage(N - 1).
