%% Objects of immediate terms alone are put where one of that key is: whatever was there, in all kinds of tables; and
%% keys that are small integers among others in an ordered set.
-module(r_ets_plain_objects).
-export([main/0]).

main() ->
    [begin io:format("~p~n", [Options]), over(Options) end || Options <- tables()],
    elements(),
    counters(),
    fixed(),
    named(),
    among(),
    memory().

tables() ->
    [[Type | More] || Type <- [set, ordered_set, bag, duplicate_bag],
                      More <- [[], [compressed], [{write_concurrency, true}], [{keypos, 2}]]].

%% Each object after each other one.
over(Options) ->
    Objects = objects(),
    [over(Options, A, B) || A <- Objects, B <- Objects],
    ok.

objects() ->
    [{1, 1}, {1, 1, 2}, {1.0, 1.0}, {1, 1, []}, {1, 1, {}}, {1, 1, <<1:600>>}, {1, 1, "string", 1 bsl 80}, {a, a, b},
     {a, a, -0.0}, list_to_tuple(lists:duplicate(8, 1)), list_to_tuple(lists:duplicate(9, 1)), {1, 1.0, 3}, {[], []},
     {1 bsl 70, 1 bsl 70, x}].

over(Options, A, B) ->
    T = ets:new(t, Options),
    true = ets:insert(T, A),
    New = ets:insert_new(T, B),
    Then = sorted(T),
    true = ets:insert(T, B),
    true = ets:insert(T, [B]),
    io:format("~w ~w ~w ~w ~w~n", [New, Then, sorted(T), ets:lookup(T, element(1, B)), ets:info(T, size)]),
    ets:delete(T).

elements() ->
    [begin
         T = ets:new(t, [Type | More]),
         ets:insert(T, [{1, a, <<1:700>>, 4}, {2, "text", b, {}}]),
         io:format("~w~n", [[catch_error(fun() -> ets:update_element(T, Key, {Position, Value}) end)
                             || Key <- [1, 2, 3], Position <- [0, 1, 2, 3, 4, 5], Value <- [x, <<3:600>>, 7, [z]]]]),
         io:format("~w~n", [sorted(T)]),
         ets:delete(T)
     end || Type <- [set, ordered_set, bag], More <- [[], [compressed]]].

counters() ->
    Changes = [1, {2, 1}, [], [1], [{2, 1}], [{2, 1} | x], [{2, 1}, {2, 2}], [{3, 1}], [{4, 1}], [{5, 1}], [{1, 1}],
               [{0, 1}], [{2, 1, 5, 0}], [{2, 1 bsl 70}], [{2, a}], [{2, 1}, {3, 1}], [[{2, 1}]], [{2}],
               {2, 1, 5, 0}, {2, 1.0}],
    [begin
         T = ets:new(t, [Type | More]),
         ets:insert(T, {1, 1, a, 1 bsl 60 - 1}),
         io:format("~w~n", [[{Change, catch_error(fun() -> ets:update_counter(T, 1, Change) end)}
                             || Change <- Changes]]),
         io:format("~w~n", [[catch_error(fun() -> ets:update_counter(T, Change, Change, {x, 1, 2}) end)
                             || Change <- Changes]]),
         io:format("~w~n", [sorted(T)])
     end || Type <- [set, ordered_set], More <- [[], [compressed]]].

catch_error(F) -> try F() catch C:R -> {C, R} end.

%% What was deleted while the table is fixed comes again.
fixed() ->
    T = ets:new(t, [set]),
    ets:insert(T, [{N, N} || N <- lists:seq(1, 10)]),
    ets:safe_fixtable(T, true),
    ets:delete(T, 3),
    true = ets:insert_new(T, {3, again}),
    ets:delete_all_objects(T),
    [true = ets:insert(T, {N, N + 1}) || N <- lists:seq(1, 5)],
    ets:safe_fixtable(T, false),
    io:format("~w ~w~n", [sorted(T), ets:info(T, size)]).

named() ->
    ets:new(a_table, [named_table, {keypos, 2}]),
    true = ets:insert(a_table, {x, 1}),
    false = ets:insert_new(a_table, {y, 1}),
    io:format("~w ~w~n", [ets:lookup(a_table, 1), catch_error(fun() -> ets:insert(a_table, {x}) end)]),
    Self = self(),
    {_, Ref} = spawn_monitor(fun() -> Self ! catch_error(fun() -> ets:insert(a_table, {z, 1}) end) end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    receive Failed -> io:format("~w ~w~n", [Failed, ets:lookup(a_table, 1)]) end,
    ets:delete(a_table),
    io:format("~w~n", [catch_error(fun() -> ets:insert(a_table, {z, 1}) end)]).

%% Small keys beside floats, large integers, atoms and what is greater.
among() ->
    T = ets:new(t, [ordered_set]),
    Keys = [1 bsl 70, -(1 bsl 70), 1.5, -2.5, 7.0, 0.0, a, {1}, [], "s", <<"b">> | lists:seq(-5, 10)],
    [ets:insert(T, {K, x}) || K <- Keys],
    Probes = lists:usort(Keys ++ [3.5, 2.0, 11, -6, 0, -1 bsl 60, 1 bsl 59, 7, 1 bsl 71, b]),
    io:format("~w~n", [ets:tab2list(T)]),
    [io:format("~w: ~w ~w ~w~n", [K, ets:lookup(T, K), ets:next(T, K), ets:prev(T, K)]) || K <- Probes],
    [ets:delete(T, K) || K <- [2, 7, 1.5, 0, a]],
    [ets:insert(T, {K, y}) || K <- [1.0, 4, 7, 12]],
    io:format("~w ~w~n", [ets:tab2list(T), ets:info(T, size)]),
    [ets:delete(T, K) || K <- Probes],
    io:format("~w ~w~n", [ets:tab2list(T), ets:info(T, size)]).

memory() ->
    [begin
         T = ets:new(t, [Type]),
         Empty = ets:info(T, memory),
         ets:insert(T, {1, 2}),
         One = ets:info(T, memory),
         ets:insert(T, {1, 3}),
         Same = ets:info(T, memory) =:= One,
         ets:insert(T, {1, 2, 3}),
         Larger = ets:info(T, memory) - One,
         ets:delete(T, 1),
         io:format("~w ~w ~w ~w~n", [Type, Same, Larger, ets:info(T, memory) =:= Empty])
     end || Type <- [set, ordered_set]].

%% Equal objects, of integers and floats, have one order, too.
sorted(T) -> [binary_to_term(Object) || Object <- lists:sort([term_to_binary(Object) || Object <- ets:tab2list(T)])].
