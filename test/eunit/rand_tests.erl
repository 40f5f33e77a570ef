-module(rand_tests).
-include_lib("eunit/include/eunit.hrl").

algorithms() -> [exsss, exro928ss, exrop, exs1024s, exsp, exs64, exsplus, exs1024].

%% The same seed gives the same numbers, however often it is exported and taken up again.
seeds_test_() ->
    [{atom_to_list(A), fun() ->
        S0 = rand:seed_s(A, {1, 2, 3}),
        {Numbers, S1} = numbers(20, S0),
        ?assertEqual({Numbers, S1}, numbers(20, rand:seed_s(A, {1, 2, 3}))),
        ?assertEqual(numbers(5, S1), numbers(5, rand:seed_s(rand:export_seed_s(S1)))),
        ?assertNotEqual(Numbers, element(1, numbers(20, rand:seed_s(A, {1, 2, 4})))) end} || A <- algorithms()].

numbers(N, S) -> lists:mapfoldl(fun(_, A) -> rand:uniform_s(1000000, A) end, S, lists:seq(1, N)).

%% Known values: they are promised to stay.
known_test_() ->
    First = fun(A) -> {L, _} = numbers(5, rand:seed_s(A, {1, 2, 3})), L end,
    [?_assertEqual(Expected, First(A)) || {A, Expected} <- known()].

known() ->
    [{exsss,[878027,466641,126475,331639,540331]},
     {exro928ss,[256732,878027,741904,242716,49496]},
     {exrop,[15414,822135,512923,590826,777388]},
     {exs1024s,[430158,248242,497817,801932,916030]},
     {exsp,[215814,149853,545758,987341,175966]},
     {exs64,[20596,367759,817185,275914,348711]},
     {exsplus,[215814,149853,545758,987341,175966]},
     {exs1024,[430158,248242,497817,801932,916030]}].

ranges_test_() ->
    [?_assert(lists:all(fun(_) -> X = rand:uniform(N), X >= 1 andalso X =< N end, lists:seq(1, 500)))
     || N <- [1, 2, 3, 1000, 1 bsl 40, 1 bsl 58, 1 bsl 64, 1 bsl 200]] ++
    [?_assert(lists:all(fun(_) -> X = rand:uniform(), X >= 0.0 andalso X < 1.0 end, lists:seq(1, 500))),
     ?_assert(lists:all(fun(_) -> X = rand:uniform_real(), X > 0.0 andalso X < 1.0 end, lists:seq(1, 500))),
     ?_assertError(function_clause, rand:uniform(0)), ?_assertError(function_clause, rand:uniform(a))].

%% Not a test of the generators, but of the arithmetic behind them: means and variances are where they have to be.
distribution_test_() ->
    Mean = fun(L) -> lists:sum(L) / length(L) end,
    rand_seeded(fun() ->
        Uniform = [rand:uniform() || _ <- lists:seq(1, 5000)],
        Normal = [rand:normal() || _ <- lists:seq(1, 5000)],
        [?_assert(abs(Mean(Uniform) - 0.5) < 0.02), ?_assert(abs(Mean(Normal)) < 0.06),
         ?_assert(abs(Mean([X * X || X <- Normal]) - 1) < 0.1),
         ?_assert(abs(Mean([rand:normal(10, 4) || _ <- lists:seq(1, 5000)]) - 10) < 0.15)] end).

rand_seeded(Fun) ->
    _ = rand:seed(exsss, {7, 7, 7}),
    Fun().

bytes_test() ->
    S = rand:seed_s(exsss, 1),
    {B, S2} = rand:bytes_s(1000, S),
    ?assertEqual(1000, byte_size(B)),
    ?assertEqual({B, S2}, rand:bytes_s(1000, rand:seed_s(exsss, 1))),
    ?assertEqual(<<>>, rand:bytes(0)).

jump_test_() ->
    [?_assertNotEqual(rand:uniform_s(S), rand:uniform_s(rand:jump(S))) || A <- [exsss, exrop, exs1024s, exro928ss],
     S <- [rand:seed_s(A, 5)]].

%% Each process has a state of its own.
processes_test() ->
    Self = self(),
    [spawn_link(fun() -> rand:seed(exsss, N rem 5), Self ! {N rem 5, [rand:uniform(1000) || _ <- lists:seq(1,
            100)]} end) || N <- lists:seq(1, 50)],
    Results = lists:usort([receive {N, L} -> {N, L} end || _ <- lists:seq(1, 50)]),
    ?assertEqual(5, length(Results)).

mwc59_test() ->
    ?assertEqual(lists:usort([1]), lists:usort([1 || N <- lists:seq(1, 100), S <- [rand:mwc59_seed(N)],
                                                rand:mwc59_value(rand:mwc59(S)) >= 0])).
