%% Operators on numbers at the edges of small integers and floats, on what is no number, and with constants of each
%% kind: 0 and other small integers have machine code of their own.
-module(r_operators_on_edges).
-export([main/0]).

main() ->
    [io:format("~p ~p ~p~n", [A, B, [result(fun() -> F(A, B) end) || F <- of_two()]]) || A <- values(), B <- values()],
    [io:format("~p ~p~n", [A, [result(fun() -> F(A) end) || F <- with_constants()]]) || A <- values()],
    ok.

result(F) -> try F() catch C:R -> {C, R} end.

values() ->
    [0, 1, -1, 0.0, -0.0, 1.5, -2.25, 1.0e300, -1.0e300, 1.0e-300, 4.0e-320, 1 bsl 59, -(1 bsl 59), (1 bsl 59) - 1,
     1 bsl 70, 1 bsl 1100, a].

of_two() ->
    [fun(A, B) -> A + B end, fun(A, B) -> A - B end, fun(A, B) -> A * B end, fun(A, B) -> A / B end,
     fun(A, B) -> A < B end, fun(A, B) -> A >= B end, fun(A, B) -> A div B end, fun(A, B) -> A rem B end,
     fun(A, B) -> A =:= B end, fun(A, B) when A + B > 0 -> yes; (_, _) -> no end].

with_constants() ->
    [fun(A) -> A + 0 end, fun(A) -> 0 - A end, fun(A) -> A * 0 end, fun(A) -> A band 7 end, fun(A) -> A bor 0 end,
     fun(A) -> A div 0 end, fun(A) -> A rem 0 end, fun(A) -> A < 0 end, fun(A) -> A >= 0 end, fun(A) -> A =:= 0 end,
     fun(A) -> A =/= 0 end, fun(A) -> A bsl 0 end, fun(A) -> A bsr 3 end, fun(0) -> zero; (1) -> one; (_) -> other end,
     fun(A) -> A bxor -1 end, fun(A) -> A * 3000000000 end, fun(A) -> A + 1.5 end, fun(A) -> A < a end,
     fun(A) -> A rem 10 end, fun(A) -> {0, [0 | A]} end, fun(A) -> 5 div A end].
