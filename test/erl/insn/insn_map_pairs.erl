%% One pair is put to a small map: before, between and behind the others, in place of one, and one too many.
-module(insn_map_pairs).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(orders, fun() -> [lists:foldl(fun(K, M) -> M#{K => {K}} end, #{}, Ks) || Ks <- permutations([a, b, 3, "s", 4.5])] end),
    t(between, fun() -> [(id(#{b => 1, d => 2, f => 3}))#{K => new} || K <- [a, b, c, d, e, f, g, 1, {x}, "x", 1.5]] end),
    t(known, fun() -> M = id(#{b => 1, d => 2}), [M#{a => x}, M#{b => x}, M#{c => x}, M#{e => x}, M#{a => x, c => y, e => z}, M] end),
    t(empty, fun() -> (id(#{}))#{id(a) => 1} end),
    t(large, fun() -> [begin M = maps:from_list([{2 * J, J} || J <- lists:seq(1, N)]), P = M#{K => x}, {map_size(P), P =:= maps:put(K, x, M), maps:get(K, P), erlang:phash2(P)} end
                       || N <- [1, 15, 30, 31, 32, 33], K <- [0, 1, 16, 31, 33, 63, 64, 65, 100]] end),
    t(zeros, fun() -> [begin M = (id(#{A => 1, x => 2}))#{B => 3}, {maps:to_list(M), maps:to_list(maps:put(B, 4, M))} end || A <- zeros(), B <- zeros()] end),
    t(put, fun() -> [maps:put(K, v, #{b => 1, "d" => 2}) || K <- [a, b, c, "d", "e", 0, 1 bsl 70]] end),
    t(orders_same, fun() -> Maps = [lists:foldl(fun(K, M) -> M#{K => K} end, #{}, Ks) || Ks <- permutations([1, a, {b}, "c", <<"d">>])],
                            {length(lists:usort(Maps)), [io_lib:format("~w", [M]) || M <- lists:usort(Maps)]} end),
    t(collected, fun() -> length([N || N <- lists:seq(1, 50000), #{b := B} <- [(id(#{a => N, c => [N]}))#{b => {N}}], B =:= {N}]) end).

zeros() -> [0, 0.0, -1.0 * id(0.0)].
permutations([]) -> [[]];
permutations(L) -> [[X | P] || X <- L, P <- permutations(L -- [X])].
