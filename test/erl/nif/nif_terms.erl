%% Terms through the native interface: questions, reading, making, comparing, hashing, copying.
-module(nif_terms).
-export([main/0]).
-nifs([questions/1, type/1, numbers/1, limits/0, no_float/2, atom_text/2, atoms/1, long_atom/2, get_string/2, strings/0,
       lists/1, make_lists/0, make_tuples/0, get_tuple/1, compare/2, hash/1, phash2_salted/1, refs/0, copies/1,
       big_env/1, to_binary/1, from_binary/2]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_terms"), 0),
    Terms = terms(),
    One = [[T] || T <- Terms],
    check(questions, fun questions/1, One),
    check(type, fun type/1, One),
    check(numbers, fun numbers/1, One ++ [[N] || N <- integers()]),
    t(limits, fun limits/0),
    check(no_float, fun no_float/2, [[1, 1], [1, -1], [1, 0]]),
    check(atom_text, fun atom_text/2,
          [[A, L] || A <- ['', a, abc, 'with space', list_to_atom([228, 255]), list_to_atom([955])], L <- [0, 1, 3, 4, 300]]
          ++ [["abc", 10], [1, 10], [<<"a">>, 10]]),
    check(atoms, fun atoms/1, [[<<>>], [<<"true">>], [<<"nif_terms">>], [<<228, 255>>], [<<"never seen before">>],
                               [<<"never seen before">>], [binary:copy(<<"x">>, 255)]]),
    check(long_atom, fun long_atom/2, [[L, W] || L <- [254, 255, 256, 300], W <- [0, 1]]),
    check(get_string, fun get_string/2,
          [[S, L] || S <- ["", "a", "abc", [255, 228], [0, 1], [256], [a], abc, [$a | $b], "abcdefghij", <<"abc">>],
                     L <- [0, 1, 3, 4, 11]]),
    t(strings, fun strings/0),
    check(lists, fun lists/1, [[[]], [[1]], [[1, 2, 3]], [[1 | 2]], [[1, 2 | 3]], [a], [{1}], [lists:seq(1, 1000)]]),
    t(make_lists, fun make_lists/0),
    t(make_tuples, fun make_tuples/0),
    check(get_tuple, fun get_tuple/1, [[{}], [{1}], [{a, {b}, "c"}], [[1]], [a], [list_to_tuple(lists:seq(1, 500))]]),
    check(compare, fun compare/2, [[A, B] || A <- comparable(), B <- comparable()]),
    check(hash, fun hash/1, One ++ [[N] || N <- integers()]),
    t(internal_hash_of_equals, fun() -> [lists:last(hash(T)) =:= lists:last(hash(T)) || T <- Terms] end),
    t(phash2, fun() -> [T || T <- Terms, hd(hash(T)) =/= erlang:phash2(T)] end),
    check(phash2_salted, fun phash2_salted/1, One),
    t(refs, fun() -> {A, B, true} = refs(), {is_reference(A), is_reference(B), A =:= B, A < B} end),
    t(copies, fun() -> [T || T <- unprintable() ++ Terms, copies(T) =/= {T, 2}] end),
    t(copies_of_large, fun() -> copies(lists:seq(1, 100000)) =:= {lists:seq(1, 100000), 2} end),
    t(big_env, fun() -> L = big_env(50000), erlang:garbage_collect(), {length(L), erlang:phash2(L)} end),
    check(to_binary, fun to_binary/1, One),
    t(to_binary_of_large, fun() -> L = lists:seq(1, 100000), to_binary(L) =:= term_to_binary(L) end),
    External = [term_to_binary(T) || T <- Terms],
    t(from_binary, fun() -> [T || {T, B} <- lists:zip(Terms, External), from_binary(B, 0) =/= {byte_size(B), T}] end),
    check(from_binary, fun from_binary/2,
          [[B, S] || B <- [<<>>, <<131>>, <<131, 97>>, <<131, 97, 1>>, <<131, 97, 1, "more">>, <<130, 97, 1>>, <<131, 255>>,
                           <<131, 119, 3, "zyx">>, term_to_binary(lists:seq(1, 300), [compressed])], S <- [0]]),
    check(from_binary_safe, fun from_binary/2,
          [[<<131, 119, 21, "certainly not an atom">>, 1], [<<131, 119, 4, "true">>, 1], [<<131, 104, 1, 97, 1>>, 1]]).

terms() ->
    [0, 1, -1, 1 bsl 70, 0.0, 1.5, -1.0e300, a, '', [], [1], "abc", [1 | 2], {}, {a, 1}, #{}, #{a => 1},
     maps:from_list([{N, N} || N <- lists:seq(1, 40)]), <<>>, <<"bin">>, <<1:3>>, <<"bits", 1:1>>,
     binary:copy(<<"x">>, 100), fun lists:map/2].

unprintable() -> [self(), make_ref(), fun(X) -> X end, fun() -> hidden end, {self(), [make_ref()]}].

integers() ->
    lists:usort([Sign * ((1 bsl Bits) + D) || Bits <- [7, 31, 32, 58, 59, 60, 61, 63, 64, 65], D <- [-1, 0, 1],
                                              Sign <- [1, -1]]).

comparable() ->
    [1, 1.0, 2, 1 bsl 65, 1 bsl 65 + 1, a, b, [], [1], [1.0], {1}, {1, 2}, #{1 => 2}, #{1.0 => 2}, <<1>>, <<1:1>>,
     fun lists:map/2].

questions(_) -> erlang:nif_error(not_loaded).
type(_) -> erlang:nif_error(not_loaded).
numbers(_) -> erlang:nif_error(not_loaded).
limits() -> erlang:nif_error(not_loaded).
no_float(_, _) -> erlang:nif_error(not_loaded).
atom_text(_, _) -> erlang:nif_error(not_loaded).
atoms(_) -> erlang:nif_error(not_loaded).
long_atom(_, _) -> erlang:nif_error(not_loaded).
get_string(_, _) -> erlang:nif_error(not_loaded).
strings() -> erlang:nif_error(not_loaded).
lists(_) -> erlang:nif_error(not_loaded).
make_lists() -> erlang:nif_error(not_loaded).
make_tuples() -> erlang:nif_error(not_loaded).
get_tuple(_) -> erlang:nif_error(not_loaded).
compare(_, _) -> erlang:nif_error(not_loaded).
hash(_) -> erlang:nif_error(not_loaded).
phash2_salted(_) -> erlang:nif_error(not_loaded).
refs() -> erlang:nif_error(not_loaded).
copies(_) -> erlang:nif_error(not_loaded).
big_env(_) -> erlang:nif_error(not_loaded).
to_binary(_) -> erlang:nif_error(not_loaded).
from_binary(_, _) -> erlang:nif_error(not_loaded).
