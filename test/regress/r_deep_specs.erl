%% Match specifications that are nested deeply: guards and bodies are refused (lists by their cells), heads and constants
%% are not, and all of it takes a time that grows with their size only.
-module(r_deep_specs).
-export([main/0]).

main() ->
    [io:format("~p ~p: ~p~n", [Shape, N, compiled(body(Shape, N))]) || Shape <- shapes(), N <- [900, 5000, 100000]],
    [io:format("wide ~p ~p: ~p~n", [Shape, N, compiled(body(Shape, N))])
     || Shape <- [cells, improper_cells, wide_tuple, wide_map, wide_and], N <- [3000, 4000, 30000]],
    [io:format("head ~p: ~p~n", [Shape, compiled([{{head(Shape, 300000)}, [], [true]}])])
     || Shape <- [list, spine, tuple, ground]],
    io:format("all levels are looked at once: ~p~n", [compiled(body(rich, 900))]),
    first_errors(),
    callers(body(list, 5000), body(wide_tuple, 5000)),
    results().

shapes() -> [list, variable, tuple, map, keys, 'and', 'andalso', call, mixed, const].

body(Shape, N) -> [{{'$1'}, [], [expression(Shape, N)]}].

expression(list, N) -> nest(fun(A) -> [A] end, N, x);
expression(variable, N) -> nest(fun(A) -> [A] end, N, '$1');
expression(tuple, N) -> nest(fun(A) -> {{A}} end, N, x);
expression(map, N) -> nest(fun(A) -> #{a => A} end, N, x);
expression(keys, N) -> #{nest(fun(A) -> [A] end, N, x) => '$1', b => [c]};
expression('and', N) -> nest(fun(A) -> {'and', A, true} end, N, true);
expression('andalso', N) -> nest(fun(A) -> {'andalso', true, A} end, N, true);
expression(call, N) -> nest(fun(A) -> {'+', 1, A} end, N, 1);
expression(mixed, N) -> nest(fun(A) -> {{[{'not', A}]}} end, N, true);
expression(const, N) -> {const, nest(fun(A) -> [A] end, N, x)};
expression(rich, N) -> nest(fun(A) -> [A] end, N, [{{'$1', lists:seq(1, 100), I}} || I <- lists:seq(1, 2000)]);
expression(cells, N) -> lists:seq(1, N);
expression(improper_cells, N) -> lists:seq(1, N) ++ '$1';
expression(wide_tuple, N) -> {list_to_tuple(lists:seq(1, N))};
expression(wide_map, N) -> maps:from_list([{I, [I]} || I <- lists:seq(1, N)]);
expression(wide_and, N) -> list_to_tuple(['and' | lists:duplicate(N, true)]).

head(list, N) -> nest(fun(A) -> [A] end, N, '$1');
head(spine, N) -> lists:seq(1, N) ++ '$1';
head(tuple, N) -> nest(fun(A) -> {a, [A]} end, N, '$1');
head(ground, N) -> nest(fun(A) -> [A, b] end, N, a).

nest(_, 0, A) -> A;
nest(F, N, A) -> nest(F, N - 1, F(A)).

compiled(Spec) ->
    try ets:match_spec_compile(Spec) of
        Compiled -> ets:is_compiled_ms(Compiled)
    catch Class:Reason -> {Class, Reason}
    end.

%% What is met first says how it fails.
first_errors() ->
    Deep = expression(list, 4000),
    [io:format("~p~n", [compiled([{{'$1'}, Guards, Body} || {Guards, Body} <- Clauses])]) || Clauses <- [
        [{[{foo}, Deep], [x]}], [{[Deep, {foo}], [x]}], [{[{foo}], [Deep]}], [{[], [Deep, {foo}]}], [{[], [Deep | x]}],
        [{[], [Deep]}, {[{foo}], [x]}], [{[{foo}], [x]}, {[], [Deep]}], [{[], [{{Deep, '$2'}}]}], [{[], [{{'$2', Deep}}]}]]],
    [io:format("~p~n", [texts(ets:test_ms({1}, [{{'$1'}, [], Body}]))]) || Body <- [
        [Deep, {foo}], [{{'$2', Deep, '$3'}}], [expression('and', 4000)], [expression(map, 4000)], [expression(keys, 4000)],
        [#{Deep => a}], [lists:seq(1, 4000)]]].

texts({error, Errors}) -> [{What, string:slice(Text, 0, 200)} || {What, Text} <- Errors].

callers(Bad, Good) ->
    Table = ets:new(table, [public]),
    ets:insert(Table, {1}),
    Calls = fun(Spec) -> [{['$1'], Guards, Body} || {_, Guards, Body} <- Spec] end,
    [io:format("~p~n", [[failure(fun() -> F(Spec) end) || Spec <- [Bad, Good]]]) || F <- [
        fun(S) -> length(ets:select(Table, S)) end, fun(S) -> element(1, ets:select(Table, S, 1)) =:= x end,
        fun(S) -> length(ets:select_reverse(Table, S)) end, fun(S) -> ets:select_count(Table, S) end,
        fun(S) -> ets:select_delete(Table, S) end, fun(S) -> length(ets:match_spec_run([{1}], ets:match_spec_compile(S))) end,
        fun(S) -> erlang:trace_pattern({?MODULE, no_function, 1}, Calls(S), []) end,
        fun(S) -> erlang:trace_pattern({?MODULE, no_function, 1}, Calls(S), [meta, local]) end,
        fun(S) -> erlang:trace_pattern(send, [{['$1', '_'], G, B} || {_, G, B} <- S], []) end,
        fun(S) -> element(1, erlang:match_spec_test([1], Calls(S), trace)) end]],
    erlang:trace_pattern(send, true, []).

failure(F) ->
    try F() catch Class:Reason:Stack -> {Class, Reason, [{M, N, Info} || {M, N, _, Info} <- [hd(Stack)], M =/= ?MODULE]} end.

%% Parts that stand for themselves are put together as before.
results() ->
    Table = [{I, [I], {I, a}, #{I => I}} || I <- [1, 2]],
    Bodies = [[1, 2], [a, b | c], [[1], "text", [[]]], [1, '$1', [2, [3]]], [{{1}}, [2]], [[1, {{2}}], [3]], #{a => [1, b], 2.0 => #{}},
              #{'$1' => [1], [2] => "x"}, #{k => [{{'$1'}}]}, [{const, {a}}, [b]], [#{a => 1} | '$2'], {{[], [x, y], #{}, "z"}},
              {'++', [1, 2], [3]}, {hd, [[a, b], c]}, {map_get, a, #{a => [1, 2]}}, [{length, [a, b]}, '$4', '$$', '$_']],
    [io:format("~p~n", [[ets:test_ms(Row, [{{'$1', '$2', '$3', '$4'}, [], [Body]}]) || Row <- Table]]) || Body <- Bodies],
    Heads = [{1, '_', '_', '_'}, {'$1', ['$1'], '_', '_'}, {'_', [1], {1, a}, '$1'}, {'$1', '_', {'$1', a}, #{'$2' => 1}},
             {'$1', [2], {2, '$2'}, '_'}, {'_', '_', '_', #{1 => '$1'}}, {2, [2], {2, a}, #{}}, {'$1', ['$1' | []], '$2', '$2'}],
    [io:format("~p~n", [[ets:test_ms(Row, [{Head, [], ['$$']}]) || Row <- Table]]) || Head <- Heads].
