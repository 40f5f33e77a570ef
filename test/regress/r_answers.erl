%% Small answers, each of which once differed from stock's.
-module(r_answers).
-export([main/0]).

main() ->
    [io:format("~p: ~w~n", [What, F()])
     || {What, F} <- [{adler, fun adler/0}, {flat_size, fun flat_size/0}, {depth, fun depth/0}, {zeros, fun zeros/0},
                      {zero_keys, fun zero_keys/0}, {latin1_words, fun latin1_words/0},
                      {preloaded, fun preloaded/0}, {which, fun which/0}, {exported, fun exported/0}]],
    [io:format("~s: ~p~n", [Pattern, compiled(re:compile(Pattern))]) || Pattern <- patterns()].

compiled({ok, _}) -> ok;
compiled(Error) -> Error.

adler() -> [erlang:adler32_combine(A, B, N) || A <- [0, 1, 2, 65520, 16#ffffffff], B <- [0, 1, 2, 77], N <- [0, 1, 100]].

flat_size() ->
    [{erts_debug:flat_size(T), erts_debug:size(T)}
     || T <- [{}, {1}, [], #{}, 1.5, 1.0e300, -0.0, <<>>, a, "abc", {{}, {}}, [{}, 1.5 | 2.5], #{a => 1.5}, #{{} => {}},
              {[{1.0}], #{[] => [0.5]}}]].

depth() ->
    Before = erlang:system_flag(backtrace_depth, 8),
    Lengths = [begin erlang:system_flag(backtrace_depth, D), [frames(F) || F <- failures()] end || D <- [0, 1, 2]],
    Raised = [begin erlang:system_flag(backtrace_depth, D), raised() end || D <- [0, 1, 2]],
    erlang:system_flag(backtrace_depth, Before),
    {Lengths, Raised}.
frames(F) -> try F() catch _:_:S -> [A || {_, A, _, _} <- S] end.
raised() -> try erlang:raise(error, x, [{a, b, [], []}, {c, d, 1, []}, {e, f, 1, []}]) catch _:_:S -> S end.
failures() ->
    [fun() -> error(x) end, fun() -> list_to_atom(id(a)) end, fun() -> id(a) + 1 end, fun() -> hd(id(a)) end,
     fun() -> (id(r_answers_not)):f() end, fun() -> + id(a) end, fun() -> {a} = id(1) end].
id(X) -> X.

zeros() ->
    Terms = [0.0, -0.0, 0, {0.0}, {-0.0}, [0.0], [-0.0], [a | -0.0]],
    [[element(2, erlang:match_spec_test({A}, [{{B}, [], [ok]}], table)) || B <- Terms] || A <- Terms] ++
        [element(2, erlang:match_spec_test({A, B}, [{{'$1', '$1'}, [], [ok]}], table)) || A <- [0.0, -0.0], B <- [0.0, -0.0]].

zero_keys() ->
    [begin
        T = ets:new(t, [Type]),
        ets:insert(T, [{0.0, a}, {-0.0, b}, {{x, 0.0}, c}]),
        {Type, lists:sort(ets:match(T, {0.0, '$1'})), lists:sort(ets:match(T, {-0.0, '$1'})), ets:match(T, {'$1', b}),
         ets:match(T, {{x, -0.0}, '$1'}), ets:match_object(T, {{'_', 0.0}, c}), ets:lookup(T, -0.0)}
    end || Type <- [set, bag, duplicate_bag]].

latin1_words() ->
    [re:run(S, R, [unicode | O])
     || S <- [[229], [229, 228], "a", [$a, 229], [215], [160], [1024]], O <- [[], [caseless]],
        R <- ["\\w", "[\\w]", "a?\\w", "(?=.)\\w", "\\W", "x|\\w", "\\b", "^\\w+$", "\\S"]].

preloaded() ->
    Modules = [atomics, counters, erl_init, erl_prim_loader, erl_tracer, erlang, erts_code_purger, erts_internal,
               init, persistent_term, prim_eval, prim_file, zlib],
    Modules -- erlang:pre_loaded().
which() -> [code:which(M) || M <- [erlang, init, zlib, erl_tracer, r_answers_not]].

exported() -> [erlang:function_exported(erlang, self, N) || N <- [-1, 0, 1, 256]].

patterns() ->
    ["(?x", "(?", "(?i", "(?x-", "(?xq)", "(?q", "(?-", "(?x:", "(?x:a", "(?P<", "(?<a", "(?P<a", "(?<", "(?'", "(?'a",
     "(?#", "(?(", "(?(1", "(?^", "(?s", "(?ix", "a(?m", "(?<a-", "(?J", "(?U", "(?X", "(?n", "(a(?i", "\\(?x"].
