%% Integers of one limb and products of two: every operation on values around 0, 2^60, 2^63, 2^64 and beyond, of both
%% signs, in bodies and guards; beside floats and what is no number; hashes over a long loop with a full heap.
-module(r_limbs).
-export([main/0]).

main() ->
    Values = lists:enumerate(values()),
    [io:format("~b ~b ~0p~n", [I, J, tried(X, Y)]) || {I, X} <- Values, {J, Y} <- Values],
    io:format("~p~n", [fnv(100000, 14695981039346656037)]),
    io:format("~p~n", [xorshift(50000, 88172645463325252, [])]),
    io:format("~p~n", [lcg(50000, 1, 0)]),
    ok.

values() ->
    [0, 1, -1, 255, 1 bsl 59 - 1, 1 bsl 59, 1 bsl 60 - 1, 1 bsl 60, 1 bsl 60 + 1, -(1 bsl 60), -(1 bsl 60) - 1,
     1 bsl 63 - 1, 1 bsl 63, 1 bsl 64 - 1, 1 bsl 64, -(1 bsl 64) + 1, -(1 bsl 64), 1 bsl 127 + 5, 1 bsl 128 - 1,
     1 bsl 200 + 1 bsl 64, -(1 bsl 190), 63, 64, 65, 1.5, a].

tried(X, Y) ->
    [try F(X, Y) catch error:Reason -> Reason end
     || F <- [fun(A, B) -> A + B end, fun(A, B) -> A * B end, fun(A, B) -> A band B end, fun(A, B) -> A bor B end,
              fun(A, B) -> A bxor B end, fun shifted/2, fun(A, _) -> A band 16#FFFFFFFFFFFFFFFF end,
              fun(A, _) -> A * 1099511628211 end, fun(A, _) -> A + 16#FFFFFFFFFFFFFFFF end,
              fun(A, _) -> (A bxor 16#FFFFFFFFFFFFFFFF) bsr 3 end, fun guarded/2]].

shifted(A, B) when is_integer(B), B > 70; B < 0 -> A;
shifted(A, B) -> A bsr B.

guarded(A, B) when A * B > 1 bsl 64 -> more;
guarded(A, B) when A band B =:= 1 bsl 60; A bxor B =:= 1 bsl 63 - 1 -> bits;
guarded(A, B) when A + B =:= 1 bsl 64 -> sum;
guarded(A, B) when A bor B < 1 bsl 60 -> small;
guarded(_, _) -> none.

fnv(0, Hash) -> Hash;
fnv(N, Hash) -> fnv(N - 1, ((Hash bxor (N band 255)) * 1099511628211) band 16#FFFFFFFFFFFFFFFF).

xorshift(0, X, Kept) -> {X, length(Kept), erlang:phash2(Kept)};
xorshift(N, X, Kept) ->
    A = X bxor (X bsl 13) band 16#FFFFFFFFFFFFFFFF,
    B = A bxor (A bsr 7),
    C = (B bxor (B bsl 17)) band 16#FFFFFFFFFFFFFFFF,
    xorshift(N - 1, C, [C | Kept]).

lcg(0, X, Sum) -> {X, Sum};
lcg(N, X, Sum) -> lcg(N - 1, (X * 6364136223846793005 + 1442695040888963407) band 16#FFFFFFFFFFFFFFFF, Sum bxor X).
