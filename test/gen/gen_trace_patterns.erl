%% Random calls of erlang:trace_pattern/3, good and bad ones, and what trace_info/2 says of functions, of code to be
%% loaded and of messages after each. VIV_SEED and VIV_CASES choose the seed and the number of calls.
-module(gen_trace_patterns).
-export([main/0, f/1, f/2, g/0]).

f(X) -> h(X).
f(X, Y) -> {X, Y}.
g() -> ok.
h(X) -> [X].
main() ->
    Seed = env("VIV_SEED", 1), N = env("VIV_CASES", 2000),
    rand:seed(exsss, Seed),
    put(tracer, T = spawn(fun() -> receive x -> x end end)),
    Dead = spawn(fun() -> ok end), M = monitor(process, Dead), receive {'DOWN', M, _, _, _} -> ok end,
    put(dead, Dead),
    put(names, #{self() => self, T => tracer, Dead => dead}),
    loop(1, N).
env(Name, Default) -> case os:getenv(Name) of false -> Default; Text -> list_to_integer(Text) end.
loop(I, N) when I > N -> ok;
loop(I, N) ->
    Op = {A, B, C} = {target(), spec(), kinds()},
    R = try erlang:trace_pattern(A, B, C) of V -> V catch K:E:St -> {K, E, cause(St)} end,
    Told = [[S | [info(S, It) || It <- [traced, match_spec, meta, meta_match_spec, call_count, call_time, all]]]
            || S <- subjects()],
    io:format("~p ~0p -> ~0p~n" ++ lists:append(["  ~0p: ~0p ~0p ~0p ~0p ~0p ~0p ~0p ~n" || _ <- Told]),
              [I, norm(Op), norm(R) | lists:append(Told)]),
    loop(I + 1, N).
info(S, I) -> norm(try element(2, erlang:trace_info(S, I)) catch K:E:St -> {K, E, cause(St)} end).
subjects() -> [on_load, {?MODULE, f, 1}, {?MODULE, h, 1}, {?MODULE, g, 0}, {erlang, adler32, 1}, {lists, keysearch, 3}, {lists, sublist, 3}, send, 'receive'].
cause([{M,F,A,I}|_]) -> {M,F,if is_list(A) -> length(A); true -> A end,I}.
one(L) -> lists:nth(rand:uniform(length(L)), L).
target() ->
    case rand:uniform(20) of
        1 -> one([send, 'receive']);
        N when N < 8 -> on_load;
        9 -> one([foo, {a,b}, {?MODULE,'_',1}, {'_',f,1}, {'_', '_', 1}, {?MODULE, f, -1}, {?MODULE, f, 256}, {?MODULE, f, 1 bsl 70}, {?MODULE, f, x}, {?MODULE, "f", 1}, {1, f, 1}, [], [?MODULE], {?MODULE, f, 1, 1}, {nomod, '_', '_'}, {?MODULE, f, 7}, {?MODULE, nof, '_'}, {lists, nof, 1}]);
        N when N < 12 -> {?MODULE, one([f, h, '_']), '_'};
        _ -> one([{?MODULE, f, 1}, {?MODULE, h, 1}, {?MODULE, g, 0}, {erlang, adler32, 1}, {lists, keysearch, 3}, {lists, sublist, 3}])
    end.
spec() -> one([true, true, true, false, false, false, [], restart, pause, [{'_', [], [one([{return_trace}, {message, one([a, b, {self}])}])]}], [{['$1'], [], []}],
   [{x, [], []}], foo, [foo], [{'_', [foo], []}], [{['$1'], [], []} | x], 1, {a}, [{'_', [], [{foo}]}], [[]], [{'_', [], []}, {a, b}]]).
kinds() ->
    case rand:uniform(15) of
        1 -> one([foo, [foo], [local|foo], {meta, get(tracer)}, [{meta, 1}], [{meta, get(dead)}], [local, global], [call_count, global], [{meta}], [{meta, a, b, c}], [{foo, get(tracer)}], [local, []], [[local]], [{meta, foo}], [{meta, nomod, []}], []]);
        _ -> [one([local, global, meta, call_count, call_time, {meta, get(tracer)}]) || _ <- lists:seq(1, one([0,1,1,1,1,2,3]))]
    end.
norm(P) when is_pid(P) -> maps:get(P, get(names), pid);
norm(P) when is_reference(P) -> ref;
norm([H|T]) -> [norm(H)|norm(T)];
norm(T) when is_tuple(T) -> list_to_tuple(norm(tuple_to_list(T)));
norm(T) -> T.
