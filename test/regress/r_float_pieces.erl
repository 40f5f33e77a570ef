%% Floats that stay in machine registers from one operation to the next (jit/floats.h): what is boxed, what is no float,
%% results that are infinite and vanish again (a divisor), or that nobody takes; which operation fails, and on which
%% line; places that are read and written by the same piece; more values than a piece has room for; a heap that is full.
-module(r_float_pieces).
-export([main/0]).

main() ->
    [table(Name, F) || {Name, F} <- functions()],
    io:format("~p~n", [[tried(fun() -> many(X * 1.0) end) || X <- [1, 1.0e70, 1.0e76, 1.0e300, -1.0e-80]]]),
    io:format("~p~n", [[tried(fun() -> wide(X, 2.5) end) || X <- [1.5, 1.0e-200, 1.0e250, 3, a]]]),
    io:format("~p~n", [erlang:phash2(filled(30000, 1.0e70, []))]),
    io:format("~p~n", [erlang:phash2(filled(30000, 1.0, []))]),
    io:format("~p~n", [waltz(100001, 1.0e76, 1.0e-3)]),
    io:format("~p~n", [around(20000, 0.5, 0.25, 0)]),
    ok.

values() ->
    [0.0, -0.0, 1.0, -1.5, 0.1, 1.0e76, 1.0e78, -3.0e-78, 1.0e-160, 5.0e-324, 1.0e160, -1.7976931348623157e308, 0, 3,
     -7, 1 bsl 55 + 1, 1 bsl 70, -(1 bsl 1023), 1 bsl 1100, a, {}].

table(Name, F) ->
    Values = lists:enumerate(values()),
    [io:format("~s ~b ~b ~0p~n", [Name, I, J, tried(fun() -> F(X, Y) end)]) || {I, X} <- Values, {J, Y} <- Values].

tried(F) ->
    try F()
    catch error:Reason:Stack -> [{M, N, A, Where} | _] = Stack, {Reason, M, N, A, proplists:get_value(line, Where)}
    end.

functions() ->
    [{"typed", fun typed/2}, {"mixed", fun mixed/2}, {"hidden", fun hidden/2}, {"unused", fun unused/2},
     {"swapped", fun swapped/2}, {"guarded", fun guarded/2}, {"compared", fun compared/2}, {"negated", fun negated/2},
     {"same", fun same/2}, {"whole", fun whole/2}, {"later", fun later/2}].

typed(X, Y) when is_float(X), is_float(Y) -> {X + Y, X - Y, X * Y};
typed(_, _) -> other.

mixed(X, Y) ->
    A = 2.0 * X - 1.0,
    B = A /
        Y,
    B * 0.5 + A.

%% What is infinite on the way is none of the result.
hidden(X, Y) ->
    A = 1.0e300 * X,
    B = A * 1.0e200,
    C = 1.0 / B,
    C + Y * 1.0.

unused(X, Y) ->
    A = X * 1.0,
    _ = A * 1.0e200
        * 1.0e200,
    _ = 1.0 / A,
    Y - 0.25.

swapped(X, Y) when is_float(X), is_float(Y) -> swapped_more(Y - X, X - Y, 3);
swapped(_, _) -> other.

swapped_more(X, Y, 0) -> [X | Y];
swapped_more(X, Y, N) -> swapped_more(Y * 2.0, X / 3.0, N - 1).

guarded(X, Y) when is_float(X), is_float(Y) ->
    A = X * X, B = Y * Y,
    if A + B > 4.0 -> above;
       A - B < 0.5, A * B >= 1 -> below;
       A / B == 1.0 -> equal;
       2 * A - 1 /= B + 3 -> {A, B};
       true -> none
    end;
guarded(_, _) -> other.

compared(X, Y) when is_float(X), is_float(Y) ->
    A = X + 0.0, B = Y * 1.0,
    {A < B, A > B, A =< B, A >= B, A == B, A /= B, A =:= B, A =/= B, min(A, B), max(A, B),
     if A < B -> less; A == B -> same; true -> more end, if B >= 0 -> yes; true -> no end};
compared(_, _) -> other.

negated(X, Y) -> A = X * 1.0, {-A * Y, -(A + 1.0), -(-A) / 4.0}.

same(X, _) when is_float(X) -> Y = X - X, Z = X / X, {Y, Z, Y * Z + Z, X * X};
same(_, Y) -> Z = 1.0 - Y, Z - Z * Z.

whole(X, Y) -> (X + Y) / 2 * 1.5 - X / 3.

%% Still alive behind something else.
later(X, Y) when is_float(X) ->
    A = X * 1.5,
    B = A + 1.0,
    C = element(1, {Y, B}),
    D = A - B,
    {C, abs(D), A * D, trunc(min(B, 1.0e9))};
later(_, _) -> other.

many(X) ->
    {X + 1.0, X + 2.0, X + 3.0, X + 4.0, X * 5.0, X * 6.0, X * 7.0, X * 8.0, X - 9.0, X - 10.0, X / 11.0, X / 12.0,
     X * X / (X + 1.0)}.

%% More float registers than there are machine registers.
wide(X, Y) ->
    A = X * 1.0, B = A + Y, C = B * A, D = C - B, E = D * 0.5, F = E + D, G = F - 1.0, H = G * 0.25, I = H + A,
    J = I - B, K = J + C, L = K - D, M = L + E, N = M * 0.5, O = N + A, P = O - B,
    (A + (B + (C + (D + (E + (F + (G + (H + (I + (J + (K + (L + (M + (N + (O + P))))))))))))))).

filled(0, _, List) -> List;
filled(N, X, List) -> filled(N - 1, X * 1.001 - 0.5, [X / 2.0, X + N | List]).

waltz(0, X, Y) -> {X, Y};
waltz(N, X, Y) -> waltz(N - 1, Y * 10.0, X / 10.0).

around(0, R, I, Count) -> {R, I, Count};
around(N, R, I, Count) ->
    R2 = R * R, I2 = I * I,
    if R2 + I2 > 4.0 -> around(N - 1, R / 3.0, I / 3.0, Count + 1);
       true -> around(N - 1, R2 - I2 + 0.37, 2.0 * R * I + 0.2, Count)
    end.
