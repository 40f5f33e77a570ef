%% Programs whose data lives through many collections: what they compute must not depend on them.
-module(gc_work).
-export([main/0, sleeper/1]).
-include("../t.hrl").

main() ->
    t(lists, fun() -> L = build(200000, []), {length(L), lists:sum(L), lists:sum(lists:reverse(lists:map(fun(X) -> X * 2 end, L)))} end),
    t(trees, fun() -> T = lists:foldl(fun(K, T) -> gb_trees:enter((K * 7919) rem 100003, [K | "v"], T) end, gb_trees:empty(), lists:seq(1, 50000)), {gb_trees:size(T), gb_trees:smallest(T), gb_trees:largest(T)} end),
    t(maps, fun() -> M = lists:foldl(fun(K, M) -> M#{(K * 31) rem 5003 => {K, <<K:64>>}, {K rem 100} => K} end, #{}, lists:seq(1, 60000)), {map_size(M), maps:get(17, M), lists:sum([V || V <- maps:values(M), is_integer(V)])} end),
    t(binaries, fun() -> {byte_size(grow(<<>>, 100000)), lists:sum([byte_size(binary:copy(<<"ab">>, N rem 200)) || N <- lists:seq(1, 20000)])} end),
    t(parts, fun() -> B = binary:copy(<<"0123456789">>, 1000), Ps = [binary:part(B, N, 100) || N <- lists:seq(0, 9000, 7)], erlang:garbage_collect(), erlang:md5(Ps) end),
    t(deep_stack, fun() -> {sum_not_tail(lists:seq(1, 300000)), depth(30000)} end),
    t(bignums, fun() -> F = fact(800, 1), erlang:md5(integer_to_binary(F)) end),
    t(closures, fun() -> Fs = [fun(X) -> X + N + length(L) end || N <- lists:seq(1, 5000), L <- [lists:seq(1, N rem 5)]], erlang:garbage_collect(), lists:sum([F(1) || F <- Fs]) end),
    t(refs, fun() -> Rs = [make_ref() || _ <- lists:seq(1, 20000)], erlang:garbage_collect(), length(lists:usort(Rs)) end),
    t(messages, fun() -> Self = self(), Ps = [spawn(fun() -> [Self ! {N, K, lists:seq(1, K rem 50), binary:copy(<<N>>, 100)} || K <- lists:seq(1, 200)] end) || N <- lists:seq(1, 20)],
        erlang:garbage_collect(), {length(Ps), lists:sum([receive {_, K, L, <<_:100/binary>>} -> K + length(L) end || _ <- lists:seq(1, 4000)])} end),
    t(selective, fun() -> Self = self(), [Self ! {N, [N, "x"]} || N <- lists:seq(1, 3000)], build(100000, []), [receive {N, [N, "x"]} -> ok end || N <- lists:seq(3000, 1, -1)], done end),
    t(dictionary, fun() -> [put({k, N}, [N]) || N <- lists:seq(1, 3000)], erlang:garbage_collect(), build(50000, []), S = lists:sum([hd(get({k, N})) || N <- lists:seq(1, 3000)]), [erase({k, N}) || N <- lists:seq(1, 3000)], S end),
    t(kinds, fun() -> Keep = [[], {}, a, 1.0e300, 1 bsl 100, <<1:3>>, self(), fun lists:map/2, #{a => b}], [erlang:garbage_collect(self(), [{type, T}]) || T <- [minor, major, minor, minor, major]], erlang:garbage_collect(), Keep =:= [[], {}, a, 1.0e300, 1 bsl 100, <<1:3>>, self(), fun lists:map/2, #{a => b}] end),
    t(options, fun() -> [run([{fullsweep_after, F}, {min_heap_size, H}]) || F <- [0, 1, 10], H <- [0, 1000, 100000]] end),
    t(hibernate, fun() -> P = spawn(fun() -> put(x, lists:seq(1, 100)), sleeper(build(1000, [])) end), [begin P ! {sum, self()}, receive {P, S} -> S end end || _ <- [1, 2, 3]] end),
    t(exceptions, fun() -> [try build(N * 1000, []), throw({N, lists:seq(1, N)}) catch throw:{N, L} -> length(L) end || N <- lists:seq(1, 20)] end).

build(0, L) -> L;
build(N, L) -> build(N - 1, [N | L]).
grow(B, 0) -> B;
grow(B, N) -> grow(<<B/binary, (N rem 256)>>, N - 1).
sum_not_tail([]) -> 0;
sum_not_tail([H | T]) -> X = [H], hd(X) + sum_not_tail(T).
depth(0) -> [];
depth(N) -> T = {N}, [T | depth(N - 1)] -- [].
fact(0, A) -> A;
fact(N, A) -> fact(N - 1, N * A).
run(Options) ->
    {P, M} = spawn_opt(fun() -> L = [{N, [N]} || N <- lists:seq(1, 20000)], exit(lists:sum([N || {N, [N]} <- L])) end, [monitor | Options]),
    receive {'DOWN', M, _, P, R} -> R end.
sleeper(L) ->
    receive {sum, From} -> From ! {self(), lists:sum(L) + length(get(x))} end,
    proc_lib:hibernate(?MODULE, sleeper, [L]).
