-module(qlc_tests).
-include_lib("eunit/include/eunit.hrl").
-include_lib("stdlib/include/qlc.hrl").

comprehensions_test_() ->
    L = lists:seq(1, 10),
    [?_assertEqual([2, 4, 6, 8, 10], qlc:e(qlc:q([X || X <- L, X rem 2 =:= 0]))),
     ?_assertEqual([{X, Y} || X <- L, Y <- L, X < Y], qlc:e(qlc:q([{X, Y} || X <- L, Y <- L, X < Y]))),
     ?_assertEqual([3, 1, 2], qlc:e(qlc:q([X || X <- [3, 1, 2, 1]], [unique]))),
     ?_assertEqual([], qlc:e(qlc:q([X || X <- [], X > 1]))),
     ?_assertError(badarg, qlc:e(not_a_handle))].

join_test() ->
    T = ets:new(t, [bag, {keypos, 1}]),
    ets:insert(T, [{N, N rem 3} || N <- lists:seq(1, 30)]),
    Names = [{0, zero}, {1, one}, {2, two}],
    Query = qlc:q([{N, Name} || {N, R} <- ets:table(T), {R2, Name} <- Names, R =:= R2, N > 25]),
    ?assertEqual([{26, two}, {27, zero}, {28, one}, {29, two}, {30, zero}], lists:sort(qlc:e(Query))),
    ?assertMatch([_ | _], lists:flatten(io_lib:format("~p", [qlc:info(Query)]))),
    ets:delete(T).

tables_test() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{N, N * N} || N <- lists:seq(1, 100)]),
    ?assertEqual([49], qlc:e(qlc:q([S || {K, S} <- ets:table(T), K =:= 7]))),
    ?assertEqual(lists:seq(91, 100), qlc:e(qlc:q([K || {K, _} <- ets:table(T,
            [{traverse, {select, [{{'$1', '_'}, [{'>', '$1', 90}], ['$_']}]}}])]))),
    ?assertEqual(338350, qlc:fold(fun(S, A) -> S + A end, 0, qlc:q([S || {_, S} <- ets:table(T)]))),
    ets:delete(T).

cursor_test() ->
    C = qlc:cursor(qlc:q([X || X <- lists:seq(1, 10)])),
    ?assertEqual([1, 2, 3], qlc:next_answers(C, 3)),
    ?assertEqual([4], qlc:next_answers(C, 1)),
    ?assertEqual([5, 6, 7, 8, 9, 10], qlc:next_answers(C, all_remaining)),
    ?assertEqual([], qlc:next_answers(C)),
    ok = qlc:delete_cursor(C).

sort_test_() ->
    [?_assertEqual([{1, c}, {2, a}, {3, b}], qlc:e(qlc:sort([{3, b}, {2, a}, {1, c}]))),
     ?_assertEqual([{2, a}, {3, b}, {1, c}], qlc:e(qlc:keysort(2, [{3, b}, {2, a}, {1, c}]))),
     ?_assertEqual([3, 2, 1], qlc:e(qlc:sort([1, 3, 2], [{order, descending}]))),
     ?_assertEqual([1, 2, 3, 4], qlc:e(qlc:append([1, 2], [3, 4])))].

strings_test_() ->
    [?_assertEqual([2, 3], qlc:e(qlc:string_to_handle("[X + 1 || X <- [1, 2]]."))),
     ?_assertEqual([7], qlc:eval(qlc:string_to_handle("[X || X <- L, X > 6].", [], erl_eval:add_binding('L', [5, 7],
             [])))),
     ?_assertMatch({error, qlc, _}, qlc:string_to_handle("[X || X <- L]."))].
