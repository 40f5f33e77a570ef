%% Random traces: flags of a process, patterns of all kinds on a few functions, match specifications with actions, and
%% random calls of these functions, in Erlang and in C, local, by name, by funs, in tail position, with exceptions,
%% messages, children and collections between. What is told, and the process's flags afterwards. VIV_SEED and VIV_CASES
%% choose the seed and the number of cases.
-module(gen_trace_events).
-export([main/0, f1/1, f2/2, t1/1, t2/1, ex/1, th/1, c1/1, c2/1, c3/1, deep/1, fu/2, ap/3, lf/1, re/1, tof/1, nest/1, odd/1, even/1, bifs/1, raiser/1, after_/1, big/1, sp/1, ln/1, gone/1]).
-include("../erl/trace/trace.hrl").
-include("gen_trace.hrl").
f1(X) -> X.
f2(X, Y) -> {f1(X), f1(Y)}.
t1(X) -> f1(X).
t2(N) when is_integer(N), N > 0, N < 9 -> t2(N - 1);
t2(_) -> loc(done).
loc(X) -> [X].
ex(X) -> error(X).
th(X) -> throw(X).
c1(X) -> try ex(X) catch E:R -> {E, R} end.
c2(X) -> [catch th(X), catch ex2(X)].
ex2(X) -> [atom_to_list({X})].
c3(X) -> try nest(X) catch throw:_ -> f1(thrown); error:_ -> t1(failed) end.
nest(X) -> [f1(X), nest2(X)].
nest2(X) -> {ok, raiser(X)}.
raiser(X) -> try th(X) catch C:R:S -> f1(before), erlang:raise(C, R, S) end.
deep(N) when is_integer(N), N > 0, N < 6 -> [N | deep(N - 1)];
deep(X) -> t1(X).
fu(F, X) when is_function(F, 1) -> F(X);
fu(_, X) -> [f1(X)].
ap(M, F, A) -> apply(M, F, A).
lf(X) -> G = fun(Y) -> f1({X, Y}) end, [G(X), fu(G, X)].
re(X) -> self() ! {m, X}, receive {m, Y} -> f1(Y) end.
tof(X) -> try f1(X) of Y -> t1(Y) catch _:_ -> no after loc(after_) end.
after_(X) -> try ex(X) after f1(cleanup) end.
odd(N) when is_integer(N), N > 0, N < 7 -> even(N - 1);
odd(X) -> X.
even(N) when is_integer(N), N > 0, N < 7 -> odd(N - 1);
even(X) -> {X}.
bifs(X) -> [erlang:adler32(<<"abc">>), lists:keysearch(X, 1, [{X, 1}]), lists:reverse([X], [b]), (catch erlang:adler32(X)), erlang:crc32("x"), lists:sublist([a, X, c], 1, 2), erlang:phash2(X, 1)].
big(X) -> L = lists:seq(1, 3000), f1(X), garbage_collect(), [length(L), f1(X)].
sp(X) -> {P, M} = spawn_monitor(fun() -> f1(X), loc(child) end), receive {'DOWN', M, process, P, R} -> R end.
ln(X) -> process_flag(trap_exit, true), P = spawn_link(?MODULE, gone, [X]), receive {'EXIT', P, R} -> process_flag(trap_exit, false), R end.
gone(X) -> f1(X), exit(bye).

main() ->
    Seed = env("VIV_SEED", 1), N = env("VIV_CASES", 400),
    rand:seed(exsss, Seed),
    logger:set_primary_config(level, none),
    put(sink, spawn(fun() -> sink() end)),
    loop(1, N).
sink() -> receive {get, P} -> P ! {sunk, lists:reverse(rest([]))}, sink() end.
rest(L) -> receive M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> rest([M | L]) after 0 -> L end.
bif_targets() -> [{erlang, adler32, 1}, {lists, keysearch, 3}, {lists, reverse, 2}, {erlang, crc32, 1}, {lists, sublist, 3}, {erlang, phash2, 2}, {erlang, atom_to_list, 1}, {erlang, error, 1}, {erlang, raise, 3}, {erlang, throw, 1}].
loop(I, N) when I > N -> ok;
loop(I, N) ->
    erlang:system_flag(trace_control_word, 0),
    seq_trace:set_token([]),
    P = servant(),
    Patterns = [pattern() || _ <- lists:seq(1, one([1,1,2,3,4]))],
    put(servant, P),
    Flags = flags(),
    erlang:trace(P, true, Flags),
    [(catch erlang:trace_pattern(T, subst(S, P), K)) || {T, S, K} <- Patterns],
    Calls = [call() || _ <- lists:seq(1, one([1,1,2,3]))],
    Results = run(P, fun() -> [(catch apply(?MODULE, F, A)) || {F, A} <- Calls] end),
    After = {erlang:trace_info(P, flags), erlang:system_info(trace_control_word)},
    Told0 = told(P),
    P ! stop,
    M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    [erlang:trace_pattern({?MODULE, '_', '_'}, false, K) || K <- [[local, meta, call_count], []]],
    [erlang:trace_pattern(B, false, K) || B <- bif_targets(), K <- [[local, meta, call_count], []]],
    erlang:trace_pattern(send, true, []), erlang:trace_pattern('receive', true, []),
    told(P),
    {[_, _, P2, F2, C2, R2, A2, T2], _} = plain([P, get(sink), Patterns, Flags, Calls, Results, After, Told0], #{self() => main}),
    io:format("~p ~0p~n   ~0p ~0p~n   ~0p ~0p~n", [I, P2, F2, C2, R2, A2]),
    [io:format("      ~0p~n", [E]) || E <- T2],
    loop(I + 1, N).
told(P) ->
    Ref = erlang:trace_delivered(all), receive {trace_delivered, all, Ref} -> ok end,
    get(sink) ! {get, self()},
    Sunk = receive {sunk, L} -> L end,
    All = everything() ++ Sunk,
    {Own, Others} = lists:partition(fun(E) -> element(2, E) =:= P end, All),
    [stamped(E) || E <- Own ++ Others].
target() ->
    case r(12) of
        0 -> {?MODULE, '_', '_'};
        1 -> one([send, 'receive']);
        N when N < 4 -> one(bif_targets());
        _ -> one([{?MODULE, f1, 1}, {?MODULE, f1, 1}, {?MODULE, f2, 2}, {?MODULE, t1, 1}, {?MODULE, t2, 1}, {?MODULE, loc, 1}, {?MODULE, ex, 1}, {?MODULE, th, 1}, {?MODULE, c1, 1}, {?MODULE, c2, 1}, {?MODULE, c3, 1}, {?MODULE, ex2, 1}, {?MODULE, nest, 1}, {?MODULE, nest2, 1},
           {?MODULE, raiser, 1}, {?MODULE, deep, 1}, {?MODULE, fu, 2}, {?MODULE, ap, 3}, {?MODULE, lf, 1}, {?MODULE, '-lf/1-fun-0-', '_'}, {?MODULE, re, 1}, {?MODULE, tof, 1}, {?MODULE, after_, 1}, {?MODULE, odd, 1}, {?MODULE, even, '_'}, {?MODULE, bifs, 1}, {?MODULE, big, 1}, {?MODULE, sp, 1}, {?MODULE, ln, 1}, {?MODULE, gone, 1}])
    end.
%% Whatever is taken from a function in C, the stock runtime is silent of it from then on, of what is left there too.
pattern() ->
    T = target(), S = spec(),
    K = case T of {?MODULE, '_', '_'} -> one([[local], [local], [global], [call_count, local]]); _ -> kinds() end,
    {T, case S =:= false andalso lists:member(T, bif_targets()) of true -> true; false -> S end, K}.
kinds() -> one([[local], [local], [local], [global], [], [meta], [local, meta], [{meta, get(sink)}], [local, {meta, get(sink)}], [call_count], [local, call_count]]).
flags() ->
    [call || r(12) > 0] ++ [F || F <- [send, 'receive', procs, return_to, arity, silent, set_on_spawn, set_on_link, set_on_first_spawn, set_on_first_link], r(6) =:= 0] ++ one([[], [], [], [timestamp], [monotonic_timestamp], [strict_monotonic_timestamp]]).
call() ->
    F = one([f1, f2, t1, t2, c1, c2, c3, deep, fu, ap, lf, re, tof, after_, odd, even, bifs, big, nest, raiser, ex, th, sp, ln]),
    A = case F of
        f2 -> [arg(), arg()];
        fu -> [one([fun f1/1, fun ?MODULE:f1/1, fun ?MODULE:t1/1, fun(X) -> f1({X}) end, fun erlang:adler32/1, fun ?MODULE:ex/1, x]), arg()];
        ap -> one([[?MODULE, f1, [arg()]], [?MODULE, t1, [arg()]], [erlang, adler32, [arg()]], [?MODULE, nosuch, [arg()]], [lists, keysearch, [a, 1, []]], [?MODULE, f2, [a, b]], [erlang, apply, [?MODULE, f1, [1]]], [erlang, error, [x]]]);
        _ -> [arg()]
    end,
    {F, A}.
arg() -> one([1, 2, 3, 5, a, b, [], "xy", {1, a}, <<"bin">>, 1.5, #{a => 1}, [a, b], ok]).
