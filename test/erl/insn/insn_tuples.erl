%% Tuples that are built of what comes from anywhere: registers, the frame, constants of all kinds; short and long ones.
-module(insn_tuples).
-export([main/0]).
-include("../t.hrl").

-define(SIXTEEN(X), X, a, X, 1, X, -1, X, [], X, 16#fffffff, X, -16#80000000, X, "literal", X, 1 bsl 70).

main() ->
    t(small, fun() -> A = id(a), B = id(b), C = id(c), [{A}, {A, B}, {B, A}, {A, B, C}, {C, B, A}, {A, B, C, A}] end),
    t(one, fun() -> A = id({x}), [{A}, {id(A)}, {{A}}] end),
    t(constants, fun() -> A = id(1.5), {A, 1.5, -0.0, 0.0, 1 bsl 59, -(1 bsl 59), 1 bsl 60, 1 bsl 31, 1 bsl 28 - 1, 1 bsl 28,
                                        -(1 bsl 28), -(1 bsl 28) - 1, <<"binary">>, #{a => b}, {t}, fun lists:map/2, []} end),
    t(frame, fun() -> A = id(a), B = id(b), C = id(c), D = id(d), E = id(e), T = {A, id(1), B, id(2), C, id(3), D, id(4), E},
                      {T, E, D, C, B, A} end),
    t(own, fun() -> own(id(1), 2, 3, 4) end),
    t(sixteen, fun() -> X = id(x), {?SIXTEEN(X)} end),
    t(long, fun() -> X = id({x}), {?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X)} end),
    t(longer, fun() -> X = id({x}), {?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), X} end),
    t(longest, fun() -> X = id([x]), {?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X),
                                      ?SIXTEEN(X), ?SIXTEEN(X), ?SIXTEEN(X)} end),
    t(many_registers, fun() -> registers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, id(18)) end),
    t(nested, fun() -> A = id(a), {{A, {A, {A, A, A, A}, A}, {A}}, {{{A}}}, {A, [A | {A, A, A, A}]}} end),
    t(collected, fun() -> L = lists:foldl(fun(N, L) -> [{N, {N}, {N, N}, {N, N, N}, {N, a, N, 1.5, "s"}} | L] end, [],
                                          lists:seq(1, 20000)), {length(L), erlang:phash2(L)} end),
    t(before_label, fun() -> [label(X) || X <- [1, 2, 3]] end).

own(A, B, C, D) -> case {A, B, C, D} of T when tuple_size(T) =:= id4 -> none; T -> {T, T, T, T} end.
registers(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R) -> {R, Q, P, O, N, M, L, K, J, I, H, G, F, E, D, C, B, A}.
label(X) ->
    T = case X of 1 -> {X, a, b, c}; 2 -> {X, d, e, f}; _ -> {X, X, X, X, X} end,
    {T, id(T)}.
