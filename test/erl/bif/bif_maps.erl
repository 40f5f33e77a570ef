-module(bif_maps).
-export([main/0]).
-include("c.hrl").

main() ->
    Large = maps:from_list([{I, I * I} || I <- lists:seq(1, 100)]),
    Maps = [#{}, #{a => 1}, #{1 => a, 1.0 => b}, Large, a, []],
    Keys = [a, 1, 1.0, 50, [], 0.0, -0.0],
    [pairs(maps, F, Keys, Maps) || F <- [find, get, is_key, remove, take]],
    [c(maps, F, [K, v, M]) || F <- [put, update], K <- Keys, M <- Maps],
    [each(maps, F, [M || M <- Maps, M =/= Large]) || F <- [keys, values, to_list, size]],
    [io:format("~w ~0p~n", [F, lists:sort(maps:F(Large))]) || F <- [keys, values, to_list]],
    [c(maps, merge, [A, B]) || A <- Maps, B <- Maps],
    each(maps, from_list, [[], [{a, 1}], [{a, 1}, {a, 2}], [{a, 1} | b], [a], [{a, 1, 2}], a, [{1, a}, {1.0, b}],
                           [{I rem 50, I} || I <- lists:seq(1, 200)], [{I, I} || I <- lists:seq(1, 33)]]),
    pairs(maps, from_keys, [[], [a, b, a], [a | b], a, lists:seq(1, 100)], [v, []]),
    each(erts_internal, map_to_tuple_keys, [#{}, #{b => 1, a => 2, 1 => 3}, Large, x]),
    [c(erts_internal, map_next, [P, M, A]) || P <- [0, 1, -1, a, 1.0], M <- [#{}, #{a => 1, b => 2}, x],
                                             A <- [iterator, [], [z], foo]],
    sizes(),
    iterate().

%% Maps of every size around the change of form, built and taken apart in several orders.
sizes() ->
    [begin
         L = [{{k, I rem 7, I}, I} || I <- lists:seq(1, N)],
         A = maps:from_list(L),
         B = lists:foldl(fun({K, V}, M) -> M#{K => V} end, #{}, lists:reverse(L)),
         C = maps:merge(maps:from_list(lists:sublist(L, N div 2)), maps:from_list(lists:nthtail(N div 2, L))),
         D = lists:foldl(fun(I, M) -> maps:remove({extra, I}, M) end,
                         lists:foldl(fun(I, M) -> M#{{extra, I} => I} end, A, lists:seq(1, 40)), lists:seq(1, 40)),
         io:format("~w ~w ~w~n", [N, [map_size(X) || X <- [A, B, C, D]],
                                  {A =:= B, A =:= C, A =:= D, erlang:phash2(A), lists:sort(maps:to_list(D)) =:= lists:sort(L)}])
     end || N <- lists:seq(0, 40) ++ [64, 100, 1000, 10000]],
    ok.

iterate() ->
    [begin
         M = maps:from_list([{I, -I} || I <- lists:seq(1, N)]),
         L = walk(maps:next(maps:iterator(M)), []),
         io:format("~w ~w ~w ~w~n", [N, length(L), lists:sort(L) =:= lists:sort(maps:to_list(M)), maps:fold(fun(K, V, S) -> S + 2 * K + V end, 0, M)])
     end || N <- [0, 1, 5, 32, 33, 40, 100, 1000, 5000]],
    ok.

walk(none, L) -> L;
walk({K, V, I}, L) -> walk(maps:next(I), [{K, V} | L]).
