%% Small maps and small tuples, compared by a glance where that tells; what maps of them give, in which order.
-module(r_small_maps_and_tuples).
-export([main/0]).

main() ->
    Maps = maps(),
    [io:format("~w ~w~n", [A, [compared(A, B) || B <- Maps]]) || A <- Maps],
    Tuples = tuples(),
    [io:format("~w ~w~n", [A, [compared(A, B) || B <- Tuples]]) || A <- Tuples],
    [listed(Size) || Size <- [0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 130, 300]],
    keys(),
    merged().

%% Made anew each time: no two of equal value are the same words.
maps() ->
    Values = [[1, 2], [1, 3], [2, 1], [1.0, 2], [1, 2.0], [0, 0], [0.0, 0], [-0.0 + id(0), 0], [a, "b"], [a, "c"],
              [<<"x">>, 1], [1 bsl 70, 1], [{1}, {1.0}], [{1}, {1}], [#{x => 1}, 1], [#{x => 1.0}, 1], [#{x => 1}, 2]],
    [made(Keys, V) || Keys <- [[a, b], [b, c], [1, 2], [1.0, 2], [{k}, "k"]], V <- Values] ++
    [made(lists:seq(1, N), lists:seq(M, M + N - 1)) || N <- [0, 1, 5, 32], M <- [1, 2]].

made(Keys, Values) -> maps:from_list(lists:zip(again(Keys), again(Values))).
again(Term) -> binary_to_term(term_to_binary(Term)).

compared(A, B) -> {A < B, A =< B, A == B, A =:= B, A > B, #{A => x} == #{B => x}, [A] =:= [B]}.

tuples() ->
    [again(T) || _ <- [1, 2], T <- [{}, {1}, {1.0}, {a, 1}, {a, 2}, {a, 1.0}, {a, "s"}, {a, <<"s">>}, {1, 2, 3, 4},
                                    {1, 2, 3, 4.0}, {1, 2, 3, 4, 5}, {1 bsl 70}, {[]}, {{a, 1}}, {0.0}]].

listed(Size) ->
    Map = maps:from_list([{{N, [N]}, N} || N <- lists:seq(1, Size)]),
    io:format("~w ~w ~w~n", [Size, maps:to_list(Map), maps:fold(fun(K, V, All) -> [{K, V} | All] end, [], Map)]),
    io:format("~w~n", [walk(maps:next(maps:iterator(Map)), [])]),
    io:format("~w~n", [maps:to_list(maps:map(fun(_, V) -> V * 2 end, maps:filter(fun(_, V) -> V rem 3 > 0 end, Map)))]).

walk(none, Seen) -> lists:reverse(Seen);
walk({K, V, Next}, Seen) -> walk(maps:next(Next), [{K, V} | Seen]).

%% Of more than 32 keys: their order is that of their hashes.
keys() ->
    [begin
         Map = maps:from_list([{Key(N), N} || N <- lists:seq(1, 50)]),
         io:format("~w~n", [maps:values(Map)]),
         N = id(17),
         io:format("~w ~w~n", [maps:get(again(Key(N)), Map), maps:is_key(again({Key(N)}), Map)])
     end || Key <- [fun(N) -> {N} end, fun(N) -> {N, -N} end, fun(N) -> {N * 1.5, []} end,
                    fun(N) -> {[], N, 1 bsl 59 + N} end,
                    fun(N) -> {N, 1 bsl 70} end, fun(N) -> {"s", N} end, fun(N) -> erlang:make_tuple(8, N) end,
                    fun(N) -> erlang:make_tuple(9, N) end, fun(N) -> {{N}, {}} end,
                    fun(N) -> erlang:make_tuple(N, 1) end]].

%% Some of one's keys are the other's, all of them or none.
merged() ->
    Maps = [maps:from_list([{K, {K, N}} || K <- Keys]) || {N, Keys} <- lists:enumerate(key_sets())],
    [io:format("~w ~w~n", [A, [lists:sort(maps:to_list(maps:merge(A, B))) || B <- Maps]]) || A <- Maps ++ Maps].

key_sets() ->
    [[], [a], [b], [a, b], [b, a, c], [1], [1, a], [1.0], [1.0, 1], [{a}], [[a], {a}],
     lists:seq(1, 31), lists:seq(2, 32), lists:seq(1, 32), lists:seq(20, 40)].

id(X) -> X.
