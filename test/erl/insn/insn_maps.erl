-module(insn_maps).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(build, fun() -> #{a => id(1), b => id(2), id(c) => 3} end),
    t(dup_keys, fun() -> K = id(k), #{K => 1, k => 2} end),
    t(update, fun() -> (id(#{a => 1, b => 2}))#{a => 3, c => 4} end),
    t(exact, fun() -> (id(#{a => 1, b => 2}))#{a := 3, b := id(4)} end),
    t(exact_missing, fun() -> (id(#{a => 1}))#{z := 3} end),
    t(exact_missing_large, fun() -> (large(100))#{z := 3} end),
    t(not_map, fun() -> (id([]))#{z => 3} end),
    t(not_map_exact, fun() -> (id(12))#{z := 3} end),
    t(match, fun() -> #{a := A, b := B} = id(#{a => 1, b => 2, c => 3}), {A, B} end),
    t(match_fail, fun() -> #{a := _, z := _} = id(#{a => 1, b => 2, c => 3}) end),
    t(match_var_key, fun() -> K = id(b), #{K := V} = id(#{a => 1, b => 2}), V end),
    t(match_nested, fun() -> #{a := #{b := [H | _]}} = id(#{a => #{b => [7]}}), H end),
    t(match_float_key, fun() -> case id(#{1.0 => f, 1 => i}) of #{1 := A, 1.0 := B} -> {A, B} end end),
    t(clauses, fun() -> [c(X) || X <- [#{}, #{a => 1}, #{a => 2, b => 1}, #{b => x}, [], {}]] end),
    t(has, fun() -> case id(#{a => 1, b => 2}) of #{a := _} -> yes; _ -> no end end),
    t(guard, fun() -> case id(#{a => 1}) of M when map_get(a, M) =:= 1, is_map_key(a, M), map_size(M) =:= 1 -> yes; _ -> no end end),
    t(guard_fail, fun() -> case id(x) of M when map_get(a, M) =:= 1 -> yes; _ -> no end end),
    t(sizes, fun() -> [map_size(large(N)) || N <- [0, 1, 31, 32, 33, 34, 100, 1000]] end),
    t(grow, fun() -> [maps:get(N div 2, large(N)) || N <- [1, 31, 32, 33, 34, 100, 1000]] end),
    t(shrink, fun() -> lists:sort(maps:to_list(lists:foldl(fun maps:remove/2, large(40), lists:seq(1, 10)))) end),
    t(equal, fun() -> lists:foldl(fun maps:remove/2, large(40), lists:seq(20, 40)) =:= large(19) end),
    t(equal_large, fun() -> large(500) =:= lists:foldl(fun(K, M) -> M#{K => K * K} end, #{}, lists:reverse(lists:seq(1, 500))) end),
    t(compare, fun() -> lists:sort(id([#{a => 1, b => 2}, #{a => 1}, #{}, #{1 => a}, #{1.0 => a}, #{a => 0.5, c => 1}, #{b => 1}])) end),
    t(eq_num, fun() -> {id(#{a => 1}) == #{a => 1.0}, id(#{1 => a}) == #{1.0 => a}, id(#{a => 1}) =:= #{a => 1.0}} end),
    t(large_keys, fun() -> M = maps:from_list([{{K, float(K), [K], <<K:20>>}, K} || K <- lists:seq(1, 200)]), lists:sum([maps:get({K, float(K), [K], <<K:20>>}, M) || K <- lists:seq(1, 200)]) end),
    t(merge, fun() -> lists:sort(maps:to_list(maps:merge(large(20), maps:from_list([{K, x} || K <- lists:seq(15, 25)])))) end),
    t(merge_large, fun() -> map_size(maps:merge(large(50), maps:from_list([{K, x} || K <- lists:seq(40, 90)]))) end),
    t(fold, fun() -> maps:fold(fun(K, V, A) -> K + V + A end, 0, large(77)) end),
    t(iter, fun() -> I = maps:iterator(large(60)), length(walk(maps:next(I))) end),
    t(map, fun() -> lists:sort(maps:to_list(maps:map(fun(K, V) -> K + V end, large(35)))) end),
    t(filter, fun() -> lists:sort(maps:keys(maps:filter(fun(K, _) -> K rem 7 =:= 0 end, large(100)))) end),
    t(with, fun() -> maps:with([1, 2, x], large(3)) end),
    t(without, fun() -> maps:without([1, 2, x], large(3)) end),
    t(take, fun() -> {maps:take(a, #{a => 1, b => 2}), maps:take(c, #{a => 1})} end),
    t(find, fun() -> {maps:find(a, #{a => 1}), maps:find(b, #{a => 1}), maps:find(50, large(100))} end),
    t(update_missing, fun() -> maps:update(a, 1, id(#{})) end),
    t(get_missing, fun() -> maps:get(a, id(#{})) end),
    t(groups, fun() -> maps:groups_from_list(fun(X) -> X rem 3 end, lists:seq(1, 10)) end),
    t(from_keys, fun() -> maps:from_keys([a, b, a], 0) end),
    t(hash_collide, fun() -> M = maps:from_list([{N * 65536, N} || N <- lists:seq(1, 3000)]), lists:sum([maps:get(N * 65536, M) || N <- lists:seq(1, 3000)]) end),
    t(print, fun() -> io_lib:format("~p ~w", [#{a => [1], "s" => <<"b">>}, #{x => #{y => 1}}]) end).

walk(none) -> [];
walk({K, V, I}) -> [{K, V} | walk(maps:next(I))].
c(#{a := 1}) -> one;
c(#{a := N, b := _}) when N > 1 -> {two, N};
c(#{b := V}) -> {b, V};
c(#{}) -> map;
c(_) -> other.
large(N) -> maps:from_list([{K, K * K} || K <- lists:seq(1, N)]).
