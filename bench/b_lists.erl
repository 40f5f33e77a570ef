%% Lists: the usual functions of the library, and hand-written ones.
-module(b_lists).
-export([group/0, benchmarks/0]).

group() -> sequential.

benchmarks() ->
    Numbers = lists:seq(1, 20000),
    Mixed = [(N * 7919) rem 20011 || N <- Numbers],
    [{"lists: map", fun() -> times(60, fun() -> lists:map(fun(X) -> X + 1 end, Numbers) end) end},
     {"lists: comprehension", fun() -> times(60, fun() -> [X * 2 || X <- Numbers, X band 1 =:= 0] end) end},
     {"lists: foldl", fun() -> times(100, fun() -> lists:foldl(fun(X, Sum) -> X + Sum end, 0, Numbers) end) end},
     {"lists: reverse", fun() -> times(300, fun() -> lists:reverse(Numbers) end) end},
     {"lists: own reverse", fun() -> times(150, fun() -> reverse(Numbers, []) end) end},
     {"lists: append", fun() -> times(150, fun() -> append(Numbers, [x]) end) end},
     {"lists: sort", fun() -> times(6, fun() -> lists:sort(Mixed) end) end},
     {"lists: quicksort", fun() -> times(3, fun() -> quicksort(Mixed) end) end},
     {"lists: keyfind", fun() -> keyfind(2000, [{N, N} || N <- lists:seq(1, 1000)]) end},
     {"lists: queens", fun() -> queens(8) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

reverse([X | Rest], Done) -> reverse(Rest, [X | Done]);
reverse([], Done) -> Done.

append([X | Rest], Tail) -> [X | append(Rest, Tail)];
append([], Tail) -> Tail.

quicksort([Pivot | Rest]) ->
    quicksort([X || X <- Rest, X < Pivot]) ++ [Pivot] ++ quicksort([X || X <- Rest, X >= Pivot]);
quicksort([]) -> [].

keyfind(0, _) -> ok;
keyfind(N, List) -> {_, _} = lists:keyfind(N rem 1000 + 1, 1, List), keyfind(N - 1, List).

queens(N) -> length(queens(N, N)).
queens(0, _) -> [[]];
queens(K, N) -> [[Q | Qs] || Qs <- queens(K - 1, N), Q <- lists:seq(1, N), safe(Q, Qs, 1)].

safe(_, [], _) -> true;
safe(Q, [Q1 | Qs], D) -> Q =/= Q1 andalso abs(Q - Q1) =/= D andalso safe(Q, Qs, D + 1).
