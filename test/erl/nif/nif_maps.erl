%% Maps through the native interface.
-module(nif_maps).
-export([main/0]).
-nifs([size/1, new_map/0, value/2, put/3, update/3, without/2, walk/2, steps/3, from_arrays/2, grow/1]).
-compile({no_auto_import, [size/1, put/3]}).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_maps"), 0),
    Large = maps:from_list([{N, -N} || N <- lists:seq(1, 100)]),
    Maps = [#{}, #{a => 1}, #{a => 1, 1.0 => b, "c" => []}, maps:from_list([{N, N} || N <- lists:seq(1, 32)]), Large],
    NoMaps = [a, [], {}, 1],
    check(size, fun size/1, [[M] || M <- Maps ++ NoMaps]),
    t(new_map, fun new_map/0),
    Keys = [a, 1, 1.0, "c", 33, 100, make],
    check(value, fun value/2, [[M, K] || M <- Maps ++ NoMaps, K <- Keys]),
    t(put, fun() -> [[compare(put(M, K, new), maps:put(K, new, M)) || K <- Keys] || M <- Maps] end),
    t(update, fun() -> [[update(M, K, new) =:= {ok, M#{K => new}} || K <- Keys] || M <- Maps] end),
    t(without, fun() -> [[compare(without(M, K), maps:remove(K, M)) || K <- Keys] || M <- Maps] end),
    check(put, fun put/3, [[M, k, v] || M <- NoMaps]),
    check(update, fun update/3, [[M, k, v] || M <- NoMaps ++ [#{}, #{a => 1}]]),
    check(without, fun without/2, [[M, k] || M <- NoMaps ++ [#{}, #{a => 1}]]),
    check(from_arrays, fun from_arrays/2,
          [[{}, {}], [{a}, {1}], [{b, a, c}, {1, 2, 3}], [{a, a}, {1, 2}], [{1, 1.0}, {a, b}], [{b, a, b}, {1, 2, 3}]]),
    Many = list_to_tuple(lists:seq(1, 100)),
    t(from_many, fun() -> from_arrays(Many, Many) =:= {ok, maps:from_list([{N, N} || N <- lists:seq(1, 100)])} end),
    t(from_many_with_a_double, fun() ->
                                      Found = from_arrays(erlang:append_element(Many, 7), erlang:append_element(Many, x)),
                                      case Found of {ok, #{7 := Seven} = M} -> {map_size(M), Seven}; no -> no end
                                  end),
    t(walks, fun() ->
                 [begin
                      {Forth, End1} = walk(M, 0),
                      {Back, End2} = walk(M, 1),
                      {lists:sort(Forth) =:= lists:sort(maps:to_list(M)), Back =:= lists:reverse(Forth), End1, End2}
                  end || M <- Maps]
             end),
    t(small_walk, fun() -> walk(#{a => 1, b => 2, c => 3}, 0) end),
    check(walk, fun walk/2, [[M, 0] || M <- NoMaps]),
    check(steps, fun steps/3,
          [[M, L, S] || M <- [#{}, #{a => 1}, #{a => 1, b => 2}], L <- [0, 1],
                        S <- [[n, n, n, n, p, p, p, p, p], [p, p, n, n, n], [n, p, n, p]]]),
    t(large_steps, fun() -> [steps(Large, L, [n, n, p, p, p, n, n]) || L <- [0, 1]] end),
    t(grow, fun() -> [begin M = grow(N), {map_size(M), erlang:phash2(M)} end || N <- [0, 1, 32, 33, 66, 1000, 20000]] end).

compare({ok, Map}, Map) -> same;
compare(A, B) -> {A, B}.

size(_) -> erlang:nif_error(not_loaded).
new_map() -> erlang:nif_error(not_loaded).
value(_, _) -> erlang:nif_error(not_loaded).
put(_, _, _) -> erlang:nif_error(not_loaded).
update(_, _, _) -> erlang:nif_error(not_loaded).
without(_, _) -> erlang:nif_error(not_loaded).
walk(_, _) -> erlang:nif_error(not_loaded).
steps(_, _, _) -> erlang:nif_error(not_loaded).
from_arrays(_, _) -> erlang:nif_error(not_loaded).
grow(_) -> erlang:nif_error(not_loaded).
