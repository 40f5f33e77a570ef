%% A block that a deep stack fills, or what lives where each collection is a major one, but for a few words: the process
%% goes on to build garbage, and its block grows, though nothing else does. It stayed as it was, and was collected
%% whenever the few words were used up.
%% Not under torture: there are more collections.
-module(r_heap_tight).
-export([main/0, deep/2]).

main() ->
    [io:format("stack ~p: ~w~n", [N, run([], fun() -> deep(N, fun build/0) end)]) || N <- [2400, 2500, 6600, 196300]],
    [io:format("stack ~p, all major: ~w~n", [N, run([{fullsweep_after, 0}], fun() -> deep(N, fun build/0) end)])
     || N <- [2400, 6600, 196300]],
    [io:format("list ~p, all major: ~w~n", [N, run([{fullsweep_after, 0}], fun() -> kept(lists:seq(1, N)) end)])
     || N <- [1250, 60700, 60740, 98310]].

run(Options, F) ->
    {P, M} = spawn_opt(F, [monitor | Options]),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

deep(0, F) -> exit(F());
deep(N, F) -> [?MODULE:deep(N - 1, F)].

kept(L) -> Is = build(), length(L) > 0 andalso exit(Is).

%% Collected once for a hundred words at most.
build() ->
    garbage_collect(),
    Before = collections(),
    garbage(10000),
    Is = roomy() andalso collections() - Before < 600,
    case Is of true -> roomy; false -> tight end.

garbage(0) -> ok;
garbage(N) -> put(garbage, {N, N, N, N}), garbage(N - 1).

collections() ->
    {garbage_collection, L} = process_info(self(), garbage_collection),
    proplists:get_value(minor_gcs, L).

%% A quarter at least of what is there is free, or garbage.
roomy() ->
    {garbage_collection_info, L} = process_info(self(), garbage_collection_info),
    [Block, Stack, Recent] = [proplists:get_value(K, L) || K <- [heap_block_size, stack_size, recent_size]],
    4 * (Stack + Recent) < 3 * Block + 200.
