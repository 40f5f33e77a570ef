%% The values of the comparisons, of registers, literals and both, in guards and outside.
-module(insn_comparisons).
-export([main/0]).
-define(ALL(X, Y), {X < Y, X > Y, X =< Y, X >= Y, X == Y, X /= Y, X =:= Y, X =/= Y}).

main() ->
    Terms = terms(),
    [io:format("~p~n", [{X, Y, of_registers(X, Y)}]) || X <- Terms, Y <- Terms],
    [io:format("~p~n", [{X, of_literals(X), of_stack(X), in_guards(X)}]) || X <- Terms].

terms() ->
    [0, 1, -1, 5, 6, 1 bsl 59, (1 bsl 59) - 1, -(1 bsl 59), -(1 bsl 59) - 1, 1 bsl 64, -(1 bsl 64), 0.0, 5.0, 5.5, -1.0, 1.0e300,
     5.0e-324, a, b, true, false, {}, {5}, {5.0}, [], [5], [5.0], "ab", <<>>, <<"a">>, #{}, #{5 => 1}, #{5.0 => 1}].

of_registers(X, Y) -> ?ALL(X, Y).

of_literals(X) -> {?ALL(X, 5), ?ALL(5, X), ?ALL(X, 5.0), ?ALL(a, X), ?ALL(X, {5}), ?ALL(X, 36893488147419103232)}.

of_stack(X) ->
    Y = lists:nth(4, [1, 2, 3, 5]),
    Z = element(1, {X, Y}),
    {?ALL(Z, Y), ?ALL(Y, Z), lists:last([Z])}.

in_guards(X) ->
    {classify(X), [Y || Y <- [4, 5, 6, 5.5], (Y > X) xor (Y < 6)], [Y || Y <- [4, 5, 6], (Y >= X) or (Y =< 4), Y =/= 5]}.

classify(X) when (X > 5) =:= (X < 7) -> between;
classify(X) when (X >= 7) and is_number(X) -> above;
classify(X) when (X =< 5) =:= true -> below;
classify(_) -> none.
