%% The order of large maps: of keys and values of all kinds, and of maps that are keys of maps, many deep.
-module(term_large_maps).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({random, Seed}, fun() -> random(Seed) end) || Seed <- lists:seq(1, 12)],
    [t({deep, N}, fun() -> deep(N) end) || N <- [1, 2, 6]],
    t(values, fun() ->
        M = base(),
        [compare(A, B) || {A, B} <- [{M, M#{1 => 2}}, {M#{33 => 0}, M#{1 => 2}}, {M#{1 => 1.0}, M}, {M#{7 => a}, M#{7 => "a"}},
                                     {M#{5 => M}, M#{5 => M#{1 => 0}}}, {M#{1 => M#{2 => b}, 2 => x}, M#{1 => M#{2 => a}, 2 => y}}]]
    end),
    t(keys, fun() ->
        M = maps:from_list([{I, I} || I <- lists:seq(1, 40)]),
        R = fun(K, New) -> (maps:remove(K, M))#{New => x} end,
        [compare(A, B) || {A, B} <- [{M, R(1, 0)}, {M, R(40, 50)}, {R(5, a), R(6, a)}, {R(5, 5.0), M}, {R(5, 5.0), R(6, 6.0)},
                                     {R(5, "x"), R(5, <<"x">>)}, {R(5, {1}), R(5, {2})}, {R(5, M), R(5, R(1, 0))},
                                     {R(5, M), R(6, M)}, {R(5, -1), R(6, -2)}, {R(1, 1 bsl 70), R(2, 1.0e30)}]]
    end),
    t(sorted, fun() ->
        L = [(base())#{I => J} || I <- [1, 9, 33], J <- [a, 1, 1.0, base()]],
        [lists:member(X, L) || X <- lists:sort(L)] ++ [index(X, lists:sort(L)) || X <- L]
    end).

index(X, [X | _]) -> 1;
index(X, [_ | T]) -> 1 + index(X, T).

compare(A, B) ->
    {A < B, A =< B, A == B, A > B, {A, 1} < {B, 0}, [A] < [B], maps:from_list([{A, 1}]) < maps:from_list([{B, 1}]),
     erts_internal:cmp_term(A, B) < 0, erts_internal:cmp_term(B, A) < 0, lists:max([A, B]) =:= A}.

base() -> maps:from_list([{I, I} || I <- lists:seq(1, 33)]).

random(Seed) ->
    rand:seed(exsss, Seed),
    Key = fun() ->
        case rand:uniform(8) of
            1 -> rand:uniform(50) * 1.0;
            2 -> list_to_atom("a" ++ integer_to_list(rand:uniform(20)));
            3 -> {rand:uniform(3), rand:uniform(9)};
            4 -> integer_to_binary(rand:uniform(40));
            5 -> [rand:uniform(9), rand:uniform(9)];
            _ -> rand:uniform(60)
        end
    end,
    Most = [{Key(), rand:uniform(3)} || _ <- lists:seq(1, 90)],
    Map = fun() -> maps:from_list(Most ++ [{Key(), Key()} || _ <- lists:seq(1, rand:uniform(4))]) end,
    [compare(A, B) || _ <- lists:seq(1, 30), A <- [Map()], B <- [Map()], map_size(A) =:= map_size(B)].

deep(N) ->
    A = nest(N, base()),
    B = nest(N, (base())#{33 => 34}),
    [compare(A, B), compare(B, A), compare(A, nest(N, base()))].

nest(0, M) -> M;
nest(N, M) -> nest(N - 1, (maps:from_list([{I, I} || I <- lists:seq(1, 31)]))#{M => a, base() => b}).
