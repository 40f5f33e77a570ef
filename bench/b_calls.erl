%% Local calls, tail calls, small arithmetic.
-module(b_calls).
-export([group/0, benchmarks/0]).

group() -> sequential.

benchmarks() ->
    [{"calls: fib", fun() -> fib(29) end},
     {"calls: tak", fun() -> tak(18, 12, 6), tak(18, 12, 6), tak(20, 14, 8) end},
     {"calls: ackermann", fun() -> ackermann(3, 8) end},
     {"calls: loop", fun() -> loop(10000000, 0) end},
     {"calls: collatz", fun() -> collatz_to(30000, 0) end}].

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

tak(X, Y, Z) when Y < X -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y));
tak(_, _, Z) -> Z.

ackermann(0, N) -> N + 1;
ackermann(M, 0) -> ackermann(M - 1, 1);
ackermann(M, N) -> ackermann(M - 1, ackermann(M, N - 1)).

loop(0, Sum) -> Sum;
loop(N, Sum) -> loop(N - 1, Sum + (N band 7)).

collatz_to(0, Longest) -> Longest;
collatz_to(N, Longest) -> collatz_to(N - 1, max(Longest, collatz(N, 0))).

collatz(1, Steps) -> Steps;
collatz(N, Steps) when N rem 2 =:= 0 -> collatz(N div 2, Steps + 1);
collatz(N, Steps) -> collatz(3 * N + 1, Steps + 1).
