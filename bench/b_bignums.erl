%% Integers beyond a word.
-module(b_bignums).
-export([group/0, benchmarks/0]).

group() -> sequential.

benchmarks() ->
    Big = factorial(600, 1),
    [{"bignums: factorial", fun() -> times(6, fun() -> factorial(1500, 1) end) end},
     {"bignums: fibonacci", fun() -> times(20, fun() -> fibonacci(5000, 0, 1) end) end},
     {"bignums: pi digits", fun() -> pi_digits(350) end},
     {"bignums: 64-bit hash", fun() -> hash(150000, 14695981039346656037) end},
     {"bignums: print and read",
      fun() -> times(60, fun() -> Big = list_to_integer(integer_to_list(Big)) end) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

factorial(0, Product) -> Product;
factorial(N, Product) -> factorial(N - 1, N * Product).

fibonacci(0, A, _) -> A;
fibonacci(N, A, B) -> fibonacci(N - 1, B, A + B).

hash(0, Hash) -> Hash;
hash(N, Hash) -> hash(N - 1, ((Hash bxor (N band 255)) * 1099511628211) band 16#FFFFFFFFFFFFFFFF).

%% Gibbons's spigot: streams the digits of pi.
pi_digits(Count) -> pi_digits(Count, 1, 0, 1, 1, 3, 3).

pi_digits(0, _, _, _, _, _, _) -> ok;
pi_digits(Count, Q, R, T, K, N, L) when 4 * Q + R - T < N * T ->
    pi_digits(Count - 1, Q * 10, 10 * (R - N * T), T, K, (10 * (3 * Q + R)) div T - 10 * N, L);
pi_digits(Count, Q, R, T, K, _, L) ->
    pi_digits(Count, Q * K, (2 * Q + R) * L, T * L, K + 1, (Q * (7 * K + 2) + R * L) div (T * L), L + 2).
