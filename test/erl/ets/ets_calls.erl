%% Every function of ets with ordinary, boundary and bad arguments.
-module(ets_calls).
-export([main/0]).
-include("../bif/c.hrl").

main() ->
    news(), sets(), updates(), bags(), ordered(), selects(), infos(), misc().

%% Tables are named, so that calls print alike.
table(Name, Options) -> ets:new(Name, [named_table, public | Options]).

news() ->
    calls(ets, new, [[1, []], [a, [x]], [a, [{keypos, 0}]], [a, x], [a, [{heir, foo, 1}]], [a, [{heir, self}]],
                     [a, [{write_concurrency, foo}]], [a, [set, bag | x]], [t0, [named_table]], [t0, [named_table]]]),
    ets:delete(t0).

sets() ->
    table(t, []),
    calls(ets, insert, [[t, {}], [t, [{a}, b]], [t, [{a} | b]], [t, []], [t, [{a, 1}, {b, 2}, {c, x}]], [t, foo], [none, {a}], [1, {a}]]),
    calls(ets, lookup, [[t, a], [t, z], [t, 1], [1, a], [nn, a]]),
    calls(ets, lookup_element, [[t, a, 2], [t, z, 2], [t, a, 3], [t, a, 0], [t, a, x]]),
    calls(ets, member, [[t, a], [t, z], [none, z]]),
    calls(ets, insert_new, [[t, {a, 9}], [t, {n, 1}], [t, [{n, 2}, {m, 1}]], [t, [{m, 1}, {m, 2}]]]),
    c(ets, lookup, [t, m]),
    calls(ets, take, [[t, m], [t, m]]),
    calls(ets, delete, [[t, n], [t, n], [none, n]]),
    calls(ets, delete_object, [[t, {a, 2}], [t, {}], [t, foo], [t, {z}]]),
    calls(ets, next, [[t, nokey]]),
    calls(ets, prev, [[t, nokey]]),
    calls(ets, slot, [[t, -1], [t, a], [t, 1 bsl 70]]).

updates() ->
    calls(ets, update_counter, [[t, z, 1], [t, c, 1], [t, a, {1, 1}], [t, a, {3, 1}], [t, a, x], [t, a, []], [t, a, [{2, 1}, {2, 5, 6, 0}]],
                                [t, a, [{2, 1}, {2, y}]], [t, a, 5], [t, a, {2, -100, 3, 7}], [t, a, {2, 1 bsl 70}],
                                [t, a, {2, -(1 bsl 70)}], [t, a, {2, 0}], [t, q, {2, 1}, {x, 5}], [t, q2, {2, 1}, x], [t, q2, {3, 1}, {x, 1}],
                                [t, q, [{2, 1}, {2, 2}], {x}], [t, a, {0, 1}], [t, a, {2, 1, a, b}]]),
    calls(ets, update_element, [[t, z, {2, 1}], [t, a, {1, 1}], [t, a, {5, 1}], [t, a, [{2, x}, {2, y}]], [t, a, x], [t, a, []],
                                [t, zz, []], [t, a, {2, "compound"}], [t, a, {2, 3}], [t, a, {2, {1, 2.5e300}}]]),
    c(ets, lookup, [t, a]).

bags() ->
    [begin
         table(B, [Type]),
         calls(ets, insert, [[B, {a, 1}], [B, {a, 2}], [B, {a, 1}], [B, {a, 1.0}], [B, {b, 1}]]),
         calls(ets, lookup, [[B, a], [B, c]]),
         calls(ets, lookup_element, [[B, a, 2], [B, a, 1]]),
         calls(ets, insert, [[B, [{k, 1}, {k, 2}, {k, 3}]]]),
         calls(ets, lookup, [[B, k]]),
         calls(ets, delete_object, [[B, {a, 1}]]),
         calls(ets, lookup, [[B, a]]),
         calls(ets, insert_new, [[B, {a, 7}], [B, [{z, 1}, {z, 1}]]]),
         calls(ets, update_counter, [[B, a, 1]]),
         calls(ets, update_element, [[B, a, {2, 1}]]),
         calls(ets, match_object, [[B, {k, '_'}], [B, {k, 2}]]),
         calls(ets, select_delete, [[B, [{{k, '$1'}, [{'<', '$1', 3}], [true]}]]]),
         calls(ets, lookup, [[B, k]]),
         calls(ets, take, [[B, a], [B, a]])
     end || {B, Type} <- [{bag1, bag}, {bag2, duplicate_bag}]].

ordered() ->
    table(o, [ordered_set]),
    calls(ets, insert, [[o, [{1, a}, {2, b}, {1.0, c}, {3, d}, {"s", e}, {x, f}]]]),
    calls(ets, tab2list, [[o]]),
    calls(ets, slot, [[o, 0], [o, 4], [o, 5], [o, 6]]),
    calls(ets, first, [[o]]),
    calls(ets, last, [[o]]),
    calls(ets, next, [[o, 1.5], [o, 1], [o, "t"]]),
    calls(ets, prev, [[o, 0], [o, 2.0], [o, "t"]]),
    calls(ets, lookup, [[o, 1], [o, 2.0]]),
    calls(ets, lookup_element, [[o, 2.0, 1]]),
    calls(ets, delete, [[o, 2.0]]),
    calls(ets, delete_object, [[o, {1, c}], [o, {1.0, c}]]),
    calls(ets, tab2list, [[o]]).

selects() ->
    table(n, [ordered_set]),
    ets:insert(n, [{I, I rem 3, "x"} || I <- lists:seq(1, 20)]),
    Keys = [{{'$1', 1, '_'}, [], ['$1']}],
    calls(ets, select, [[n, Keys], [n, foo], [n, Keys, 0], [n, Keys, x], [foo], ['$end_of_table'], [{a, b}]]),
    [io:format("~p: ~0p~n", [N, all(ets:select(n, Keys, N), fun ets:select/1)]) || N <- [1, 2, 6, 7, 8, 100]],
    [io:format("~p: ~0p~n", [N, all(ets:select_reverse(n, Keys, N), fun ets:select_reverse/1)]) || N <- [1, 3, 7, 8]],
    calls(ets, select_reverse, [[n, Keys]]),
    calls(ets, match, [[n, {'$1', 2, '_'}], [n, {'_', 2, '_'}], [n, foo], [n, {3, '$1', '$0'}]]),
    calls(ets, match_object, [[n, {'_', 0, '_'}], [n, foo], [n, {4, '_', '_'}]]),
    calls(ets, select_count, [[n, [{'_', [], [true]}]], [n, [{'_', [], [x]}]], [n, [{{5, '_', '_'}, [], [true]}]]]),
    calls(ets, select_delete, [[n, [{{'$1', '_', '_'}, [{'>', '$1', 18}], [true]}]], [n, [{'_', [], [x]}]], [n, [{{1, '_', '_'}, [], [true]}]]]),
    calls(ets, match_delete, [[n, {'_', 2, '_'}]]),
    calls(ets, select_replace, [[n, [{{'$1', 0, '$2'}, [], [{{'$1', zero, '$2'}}]}]], [n, [{{'$1', '$2', '_'}, [], [{{x, '$1', 1}}]}]],
                                [bag1, [{{'$1', '$2'}, [], [{{'$1', '$1'}}]}]], [n, [{'$1', [], [true]}]]]),
    calls(ets, tab2list, [[n]]),
    calls(ets, foldl, [[fun({K, _, _}, A) -> K + A end, 0, n]]),
    calls(ets, delete_all_objects, [[n]]),
    calls(ets, info, [[n, size]]).

all('$end_of_table', _) -> [];
all({L, C}, F) -> [L | all(F(C), F)].

infos() ->
    [c(ets, info, [T, I]) || T <- [t, o, bag1], I <- [size, type, keypos, protection, named_table, name, heir, compressed, node,
                                                      read_concurrency, write_concurrency, decentralized_counters, fixed, safe_fixed, foo]],
    calls(ets, info, [[none], [none, size], [1], [1, size]]),
    table(w, [{write_concurrency, auto}, {read_concurrency, true}, compressed, {keypos, 3}]),
    [c(ets, info, [w, I]) || I <- [read_concurrency, write_concurrency, decentralized_counters, compressed, keypos]],
    calls(ets, safe_fixtable, [[w, x], [w, true]]),
    c(ets, info, [w, fixed]),
    calls(ets, safe_fixtable, [[w, false], [w, false]]).

misc() ->
    calls(ets, setopts, [[t, {heir, none}], [t, [{protection, private}]], [t, foo], [t, [{keypos, 2}]], [t, {heir, a, b}]]),
    c(ets, info, [t, protection]),
    calls(ets, give_away, [[t, foo, x]]),
    %% No pid in what is printed: it depends on what was started before.
    io:format("~p~n", [try ets:give_away(t, self(), x) catch error:Owner -> Owner end]),
    calls(ets, rename, [[t, 1], [t, o], [t, t2]]),
    calls(ets, whereis, [[t], [1]]),
    calls(ets, is_compiled_ms, [[1], [[]]]),
    calls(ets, delete, [[t2], [t2]]),
    calls(ets, internal_delete_all, [[o, undefined]]),
    calls(ets, tab2file, [[o, "/tmp/viv_ets_test.tab"]]),
    case ets:file2tab("/tmp/viv_ets_test.tab") of
        {error, R} -> io:format("~p~n", [R]);
        {ok, T} -> io:format("~p~n", [ets:info(T, type)])
    end,
    file:delete("/tmp/viv_ets_test.tab").
