%% Runs of float instructions: loads and operations together, and results stored while the heap is full, among them
%% those that no word can hold.
-module(insn_floats).
-export([main/0]).
-include("../t.hrl").

values() ->
    [0.0, -0.0, 1.0, -2.5, 1.0e-80, 1.0e80, -1.0e300, 1.0e308, 5.0e-324, 1.15e77, 1.2e77, 0.1].

main() ->
    Vs = values(),
    [t({Name, A, B}, fun() -> F(A, B, id(3.5)) end)
     || {Name, F} <- [{sums, fun sums/3}, {products, fun products/3}, {constants, fun constants/3},
                      {negated, fun negated/3}],
        A <- Vs, B <- Vs],
    [t({compare, A, B}, fun() -> compare(A, B) end) || A <- Vs ++ [1, -3, 1 bsl 70], B <- Vs ++ [1, 0, -(1 bsl 300)]],
    t(kept, fun() -> erlang:phash2(keep(5000, 1.0e70, 1.0e-70, [])) end),
    t(kept_small, fun() -> erlang:phash2(keep(5000, 1.5, 0.25, [])) end),
    t(overflow_in_a_run, fun() -> keep(50000, 1.0e300, 1.0e290, []) end).

sums(A, B, C) when is_float(A), is_float(B), is_float(C) ->
    X = A + B - C,
    Y = B - A + C,
    {X, Y, X - Y}.

products(A, B, C) when is_float(A), is_float(B), is_float(C) ->
    X = A * C / (B + 2.0),
    [X * 0.5, X | X + A].

constants(A, B, _) when is_float(A), is_float(B) ->
    {2.0 * A + 1.0e300 * 0.5, 1.0 - B, B / 4.0, A * A - B * B}.

%% Minus of what is known to be a float, and of what is not: signs of zeros count.
negated(A, B, C) when is_float(A), is_float(B) ->
    X = A * B,
    [<<F/float>> || F <- [-A, -X, -(-A), -X + -0.0, -B * -1, -(A - A), -C, -id(A), -id(0.0)]].

compare(A, B) -> {A < B, A =< B, B < A, A >= B, A < 4.0, 4.0 < A, A >= 1.0e78, 1.0e-79 >= B}.

%% Each round leaves boxed and unboxed floats, so that the room runs out at every kind of place.
keep(0, _, _, Kept) -> Kept;
keep(N, A, B, Kept) when is_float(A), is_float(B) ->
    X = A * 1.0001, Y = B * 1.0003,
    keep(N - 1, X, Y, [X, {Y, X * 1.0e6} | Kept]).
