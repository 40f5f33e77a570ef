-module(insn_arith).
-export([main/0]).
-include("../t.hrl").

ints() ->
    [0, 1, -1, 2, -2, 7, -7, 10, 100, -100, 255, 256, 65535, 1 bsl 27, -(1 bsl 27), (1 bsl 31) - 1, 1 bsl 32,
     (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1, (1 bsl 60) - 1, 1 bsl 60, -(1 bsl 60), -(1 bsl 60) - 1,
     (1 bsl 62), (1 bsl 63) - 1, 1 bsl 63, -(1 bsl 63), (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 64), -(1 bsl 64) - 1,
     (1 bsl 127) - 1, 1 bsl 128, 123456789012345678901234567890, -98765432109876543210987654321098765432109876543210].

floats() ->
    [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.14159, 1.0e10, 1.0e22, 1.0e23, 1.0e100, -1.0e300, 1.0e308, 2.2250738585072014e-308,
     5.0e-324, 1.0e-77, 1.0e-78, 1.15e77, 1.2e77, 9007199254740992.0, 9007199254740993.0, 1.8446744073709552e19,
     1152921504606846976.0, 0.1, 1/3].

main() ->
    I = ints(),
    F = floats(),
    [two(Op, A, B) || Op <- ['+', '-', '*', 'div', 'rem', '/', 'band', 'bor', 'bxor'], A <- I, B <- I],
    [two(Op, A, B) || Op <- ['+', '-', '*', '/'], A <- F, B <- F],
    [two(Op, A, B) || Op <- ['+', '-', '*', '/'], A <- I, B <- F],
    [two(Op, A, B) || Op <- ['+', '-', '*', '/'], A <- F, B <- I],
    [two(Op, A, B) || Op <- ['bsl', 'bsr'], A <- I, B <- [0, 1, 2, 3, 8, 31, 32, 59, 60, 61, 62, 63, 64, 65, 127, 128, 200, -1, -3, -64, -65, -200]],
    [one(Op, A) || Op <- ['-', '+', 'bnot', abs, float, trunc, round, ceil, floor], A <- I ++ F],
    [two(Op, A, B) || Op <- ['<', '=<', '>', '>=', '==', '/=', '=:=', '=/='], A <- I ++ F, B <- I ++ F],
    t(loop, fun() -> sum(1000000, 0) end),
    t(fact, fun() -> fact(200) end),
    t(fib, fun() -> fib(22) end),
    t(pow, fun() -> [pow(3, N) || N <- lists:seq(1, 120, 7)] end),
    t(float_loop, fun() -> floop(1000, 0.0) end),
    t(mixed, fun() -> [A + B * 2 - 1 || A <- [1, 1.5, 1 bsl 70], B <- [2, 0.25]] end),
    t(overflow_up, fun() -> [id(X) + 1 || X <- [(1 bsl 59) - 1, (1 bsl 60) - 1, (1 bsl 63) - 1]] end),
    t(overflow_down, fun() -> [id(X) - 1 || X <- [-(1 bsl 59), -(1 bsl 60), -(1 bsl 63)]] end),
    t(mul_edges, fun() -> [id(X) * id(Y) || X <- [1 bsl 30, -(1 bsl 30), (1 bsl 31) - 1], Y <- [1 bsl 30, -(1 bsl 30), (1 bsl 31) + 1]] end),
    t(div_edges, fun() -> [id(-(1 bsl 60)) div id(-1), id(-(1 bsl 59)) div id(-1), id(-7) div 2, id(-7) rem 2, id(7) div -2, id(7) rem -2] end).

two(Op, A, B) ->
    R = try erlang:Op(A, B) catch C:E -> {C, E} end,
    io:format("~0p ~w ~0p -> ~0p~n", [A, Op, B, R]).

one(Op, A) ->
    R = try erlang:Op(A) catch C:E -> {C, E} end,
    io:format("~w ~0p -> ~0p~n", [Op, A, R]).

sum(0, S) -> S;
sum(N, S) -> sum(N - 1, S + N).
fact(0) -> 1;
fact(N) -> N * fact(N - 1).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
pow(_, 0) -> 1;
pow(B, N) when N band 1 =:= 0 -> pow(B * B, N bsr 1);
pow(B, N) -> B * pow(B, N - 1).
floop(0, A) -> A;
floop(N, A) when is_float(A) -> floop(N - 1, A + 1.0 / N - A * 0.001).
