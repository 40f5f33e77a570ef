%% Data structures of the library, random numbers, dates.
-module(stdlib_data).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(dicts, fun dicts/0),
    t(gb, fun gb/0),
    t(sets, fun sets_of_all_kinds/0),
    t(queues, fun queues/0),
    t(arrays, fun arrays/0),
    t(graphs, fun graphs/0),
    t(relations, fun relations/0),
    t(proplists, fun props/0),
    t(lists, fun lists_rest/0),
    t(sorting, fun sorting/0),
    t(maps, fun maps_rest/0),
    [t({rand, A}, fun() -> random(A) end) || A <- [exsss, exrop, exs1024s, exro928ss, exsp, dummy]],
    t(rand_more, fun random_more/0),
    t(old_random, fun() -> random:seed(1, 2, 3), [random:uniform(100) || _ <- lists:seq(1, 10)] end),
    t(calendar, fun dates/0),
    t(ets_tables, fun tables/0),
    t(dets, fun disk_tables/0),
    t(counters, fun() -> C = counters:new(3, []), counters:add(C, 1, 5), counters:sub(C, 2, 7), [counters:get(C, I) || I <- [1, 2, 3]] end),
    t(persistent, fun() -> persistent_term:put(k, {v, [1]}), R = persistent_term:get(k), persistent_term:erase(k), {R, persistent_term:get(k, d)} end),
    t(filenames, fun names/0).

dicts() ->
    D = lists:foldl(fun(N, A) -> dict:append(N rem 7, N, A) end, dict:new(), lists:seq(1, 50)),
    O = orddict:from_list([{N rem 5, N} || N <- lists:seq(1, 12)]),
    {lists:sort(dict:to_list(D)), dict:size(D), dict:find(3, D), lists:sort(dict:fetch_keys(dict:filter(fun(K, _) -> K > 3 end, D))),
     orddict:to_list(orddict:update_counter(2, 10, O)), orddict:merge(fun(_, A, B) -> {A, B} end, O, [{1, x}, {9, y}])}.

gb() ->
    T = lists:foldl(fun(N, A) -> gb_trees:insert((N * 37) rem 101, N, A) end, gb_trees:empty(), lists:seq(1, 60)),
    S = gb_sets:from_list([5, 3, 9, 1, 3]),
    {gb_trees:to_list(gb_trees:delete(37, T)), gb_trees:smallest(T), gb_trees:lookup(200, T), gb_trees:is_defined(37, T),
     gb_trees:next(gb_trees:iterator_from(90, T)) =/= none, gb_sets:to_list(gb_sets:union(S, gb_sets:from_list([4, 5]))),
     gb_sets:take_largest(S), gb_trees:balance(T) =:= gb_trees:balance(gb_trees:balance(T))}.

sets_of_all_kinds() ->
    [begin
         S = sets:from_list(lists:seq(1, 100), [{version, V}]),
         U = sets:from_list([50, 200, a], [{version, V}]),
         {lists:sort(sets:to_list(sets:intersection(S, U))), sets:size(sets:union(S, U)), sets:is_element(7, S),
          lists:sum(sets:to_list(sets:filter(fun(X) -> X rem 2 =:= 0 end, S))), sets:is_subset(U, S)}
     end || V <- [1, 2]] ++ [ordsets:subtract([1, 2, 3], [2]), ordsets:add_element(2, [1, 3])].

queues() ->
    Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 9)),
    {{value, A}, Q1} = queue:out(Q), {{value, B}, Q2} = queue:out_r(Q1),
    {A, B, queue:to_list(Q2), queue:len(Q2), queue:member(5, Q2), queue:to_list(queue:reverse(Q2)), queue:split(2, Q2), queue:peek(Q2)}.

arrays() ->
    A = array:set(50, x, array:from_list(lists:seq(0, 20))),
    {array:size(A), array:get(50, A), array:get(30, A), array:sparse_to_orddict(array:resize(8, A)), array:foldl(fun(_, V, S) when is_integer(V) -> S + V; (_, _, S) -> S end, 0, A),
     try array:get(-1, A) catch C:E -> {C, E} end, array:to_list(array:map(fun(I, V) -> {I, V} end, array:from_list([a, b])))}.

graphs() ->
    G = digraph:new(),
    [digraph:add_vertex(G, V) || V <- [a, b, c, d, e]],
    [digraph:add_edge(G, X, Y) || {X, Y} <- [{a, b}, {b, c}, {c, d}, {a, e}, {e, d}]],
    R = {digraph_utils:topsort(G), length(digraph:get_short_path(G, a, d)), lists:sort(digraph_utils:reachable([b], G)), digraph_utils:is_acyclic(G),
         begin digraph:add_edge(G, d, a), lists:sort([lists:sort(C) || C <- digraph_utils:strong_components(G)]) end},
    digraph:delete(G),
    {length(digraph:vertices(digraph:new())), setelement(1, R, is_list(element(1, R)))}.

relations() ->
    R = sofs:relation([{1, a}, {2, b}, {3, a}]),
    {sofs:to_external(sofs:converse(R)), sofs:to_external(sofs:image(R, sofs:set([1, 2]))), sofs:to_external(sofs:partition(2, R)),
     sofs:to_external(sofs:composite(R, sofs:relation([{a, x}, {b, y}]))), sofs:type(R)}.

props() ->
    P = [a, {b, 1}, {b, 2}, {c, false}, "odd"],
    {proplists:get_value(a, P), proplists:get_all_values(b, P), proplists:get_bool(c, P), proplists:unfold(P), proplists:delete(b, P),
     proplists:expand([{a, [x, y]}], P), proplists:normalize([{neg, 1}], [{negations, [{neg, pos}]}]), proplists:to_map(P)}.

lists_rest() ->
    L = [5, 3, 8, 1, 9, 2],
    {lists:partition(fun(X) -> X > 4 end, L), lists:splitwith(fun(X) -> X > 2 end, L), lists:zip3(L, L, L), lists:unzip([{1, a}, {2, b}]), lists:flatten([1, [2, [3, []], [[4]]]]),
     lists:keymerge(1, [{1, a}, {3, c}], [{2, b}]), lists:mapfoldl(fun(X, A) -> {X * 2, A + X} end, 0, L), lists:dropwhile(fun(X) -> X > 2 end, L), lists:nthtail(2, L),
     lists:usort([c, a, b, a]), lists:ukeysort(1, [{2, b}, {1, a}, {2, c}]), lists:sublist(L, 2, 3), lists:prefix([5, 3], L), lists:search(fun(X) -> X > 5 end, L), lists:enumerate([a, b]),
     lists:keytake(b, 1, [{a, 1}, {b, 2}]), lists:join($,, "abc"), lists:uniq([a, b, a]), lists:concat([a, 1, "x", 2.5]), lists:max(L), lists:zipwith(fun(A, B) -> A - B end, L, lists:reverse(L))}.

sorting() ->
    L = [(N * 7919) rem 1009 || N <- lists:seq(1, 500)],
    {erlang:phash2(lists:sort(L)), erlang:phash2(lists:sort(fun(A, B) -> A > B end, L)), erlang:phash2(lists:keysort(2, [{N, N rem 10} || N <- L])),
     lists:sort([1, 1.0, a, {}, [], "x", <<1>>, #{}, 2.5, -1, self() =:= x]), lists:merge([[1, 4], [2, 3], [0]])}.

maps_rest() ->
    M = maps:from_list([{N, N * N} || N <- lists:seq(1, 40)]),
    {lists:sort(maps:keys(maps:filter(fun(K, _) -> K rem 7 =:= 0 end, M))), maps:fold(fun(_, V, S) -> V + S end, 0, M), map_size(maps:merge(M, #{1 => x, a => y})),
     maps:with([1, 2, z], M), maps:get(99, M, none), maps:update_with(3, fun(V) -> -V end, M) =:= M#{3 := -9}, lists:sort(maps:to_list(maps:map(fun(K, V) -> K + V end, #{1 => 2, 3 => 4}))),
     maps:groups_from_list(fun(X) -> X rem 3 end, lists:seq(1, 9)), maps:intersect(#{a => 1, b => 2}, #{b => 3}), maps:filtermap(fun(_, V) -> V > 1 andalso {true, V * 10} end, #{a => 1, b => 2})}.

random(Algorithm) ->
    S0 = rand:seed_s(Algorithm, {1, 2, 3}),
    {Numbers, S1} = lists:mapfoldl(fun(N, S) -> rand:uniform_s(N * 1000, S) end, S0, lists:seq(1, 10)),
    {F, S2} = rand:uniform_s(S1),
    {G, S3} = rand:normal_s(S2),
    {B, _} = rand:uniform_s(1 bsl 90, S3),
    {Numbers, F, G, B}.

random_more() ->
    rand:seed(exsss, 42),
    {rand:bytes(8), rand:uniform_real(), rand:export_seed() =/= undefined, element(1, rand:jump(rand:seed_s(exsp, 7))) =/= x, rand:mwc59(12345), rand:splitmix64_next(9)}.

dates() ->
    {calendar:day_of_the_week(2024, 2, 29), calendar:date_to_gregorian_days({1970, 1, 1}), calendar:iso_week_number({2021, 1, 3}), calendar:last_day_of_the_month(2023, 2),
     calendar:rfc3339_to_system_time("2018-02-01T16:17:58+01:00"), calendar:system_time_to_rfc3339(1517498278, [{offset, "Z"}]), calendar:seconds_to_daystime(100000),
     calendar:gregorian_seconds_to_datetime(63000000000), calendar:time_difference({{2000, 1, 1}, {0, 0, 0}}, {{2001, 1, 1}, {1, 2, 3}})}.

tables() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{N, N rem 3, [N]} || N <- lists:seq(1, 30)]),
    R = {ets:select(T, [{{'$1', 0, '_'}, [{'>', '$1', 10}], [{{'$1', x}}]}]), ets:select_count(T, [{{'_', 1, '_'}, [], [true]}]), ets:foldl(fun({K, _, _}, S) -> K + S end, 0, T),
         ets:tab2list(T) =:= ets:match_object(T, '_'), ets:match(T, {'$1', 2, ['$2']}, 3) =/= '$end_of_table', ets:next(T, 10), ets:info(T, size)},
    ets:delete(T), R.

disk_tables() ->
    File = "/tmp/viv_test_dets_" ++ os:getpid(),
    {ok, T} = dets:open_file(viv_test, [{file, File}, {type, set}]),
    ok = dets:insert(T, [{N, N * N} || N <- lists:seq(1, 100)]),
    A = dets:lookup(T, 7), ok = dets:delete(T, 7), ok = dets:close(T),
    {ok, T} = dets:open_file(viv_test, [{file, File}]),
    R = {A, dets:lookup(T, 7), dets:info(T, size), lists:sum([V || {_, V} <- dets:match_object(T, '_')])},
    dets:close(T), file:delete(File), R.

names() ->
    {filename:join(["/a", "b", "../c"]), filename:split("/a/b.c"), filename:extension("x.tar.gz"), filename:rootname("a/b.erl", ".erl"), filename:basename("/x/y.z", ".z"), filename:dirname("a"),
     filename:absname("x", "/y"), filename:pathtype("c:/x"), filename:nativename("a//b"), filelib:safe_relative_path("a/../../b", "/"), filename:flatten(["a", $/, b])}.
