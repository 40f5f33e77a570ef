%% What match specifications are refused for, in words (match_spec_test/3) and by trace_pattern/3: every function and
%% action with too few and too many arguments, in guards and in bodies, of each dialect; heads; lists that are none.
-module(trace_specs).
-export([main/0]).

main() ->
    [show({E, W, D}, fun() -> tested(D, in(W, E)) end) ||
        E <- expressions(), W <- [guard, body, nested], D <- [trace, table], not differs(E)],
    [show({E, W, D}, fun() -> erlang:trace_pattern(D, in(W, E), []) end) ||
        E <- expressions(), W <- [guard, body], D <- [send, 'receive', {?MODULE, foo, 0}]],
    [show({head, H, D}, fun() -> tested(D, [{H, [], [true]}]) end) || H <- heads(), D <- [trace, table]],
    [show({body, B}, fun() -> tested(trace, [{'_', [], [B]}]) end) || B <- bodies()],
    [show({O, S, D}, fun() -> erlang:match_spec_test(O, S, D) end) ||
        O <- [foo, {a, b}, [a | b], 1, [a]], S <- specs(), D <- [trace, table, foo]].

names() ->
    [message, return_trace, exception_trace, set_tcw, get_tcw, is_seq_trace, get_seq_token, set_seq_token, enable_trace,
     disable_trace, trace, silent, caller, caller_line, process_dump, display, const, 'and', 'or', 'andalso', 'orelse',
     'xor', 'not', self, node, is_atom, element, size, hd, is_record, is_function, max, foo, '+', '-', 'bnot', '==',
     binary_part, byte_size, map_get, map_size, is_map_key, is_boolean, is_map, is_float, is_bitstring, tuple_size,
     is_constant, 'div', 'rem', 'bsl', '=/=', abs, trunc, ceil, length, tl, error, get, date, 'EXIT', '', 'a b', 'A', '_',
     '$_', '$$', '$1', "x", 1].

expressions() -> [list_to_tuple([N | lists:duplicate(A, 1)]) || N <- names(), A <- lists:seq(0, 4)].

%% What shows something that differs.
differs({display, _}) -> true;
differs({process_dump}) -> true;
differs({self}) -> true; % a pid
differs(_) -> false.

in(guard, E) -> [{'_', [E], [true]}];
in(body, E) -> [{'_', [], [E]}];
in(nested, E) -> [{'_', [], [{{E}}]}].

tested(trace, Spec) -> erlang:match_spec_test([a, b], Spec, trace);
tested(table, Spec) -> erlang:match_spec_test({a, b}, Spec, table).

heads() ->
    [x, '_', '$1', '$0', '$_', '$$', '$100000000', '$01', [], [a | b], ['$1' | '$2'], ['$1' | '_'], {a, b}, 1, "ab", #{},
     <<>>, 1.0, 1 bsl 80, {'$1', '$1'}, ['$1', '$1'], {}, [a, b], [x | #{}], {'$0', '$9'}, {'$_', '$$'}, ['$_' | '_'],
     [#{'$1' => 1}], [#{'_' => 1}], #{'$1' => 1}, #{a => 1}, {#{[1, '$1'] => 1}, a}, {#{'_' => 1}, #{'$1' => 1}},
     {#{'$1' => #{'_' => 1}}}, {[#{'_' => 1}], #{'$1' => 1}}, [[#{'$1' => 2}], {#{'_' => 1}}]].

bodies() ->
    [#{a => '$1'}, #{'$1' => a}, #{'$1' => '$2'}, #{a => '$1', b => '$2'}, #{[] => 1, '$2' => a},
     #{{const, a, b} => 1, '$2' => 5}, [#{{const, a, b} => 1}], #{{{a, '$1'}} => 3}, #{['$1'] => 3},
     #{#{'$1' => 1} => 2}, #{{'+', '$1', '$2'} => 4}, #{{'+', a, b} => 4}, {foo, '$7'}, {{'$1', '$2', '$3'}},
     ['$1', '$2' | '$3'], {'+', '$1', '$2'}, {'and', '$1', '$2'}, {'andalso', '$1', '$2'}, {message, {{'$1', '$2'}}},
     {is_seq_trace, {'and', "a long list", <<"and a binary">>, {{and_a, tuple, 'of atoms'}}}, 1, 2, 3},
     {"that is no call", {nor, a, tuple}, <<1, 2, 3, 4, 5, 6>>}, {foo, {bar, '$1'}}, {is_atom, {bar}}, {bar, {baz}}].

specs() ->
    [[{'_', [], [true]}], [{x, [foo], []}], [{'_', [{foo}], [{bar}]}], [], foo, [foo], [{'_', [], []} | foo], [{'_', a}],
     [{['_' | x], [], [true]}, foo], [foo, {['_' | x], [], []}], [{'_', foo, [true]}], [{'_', [], foo}],
     [{'_', [true | foo], [true | foo]}], [{'_', [{a}], foo}], [{'_', [{a}], [true]}, {'_', [{b}], [true]}],
     [{'_', [], []}], [{'_', [], [a]} || _ <- "123"]].

show(Name, Fun) ->
    Result =
        try Fun()
        catch
            C:R:S ->
                [{M, F, A, Info} | _] = S,
                {C, R, {M, F, length(A), Info}}
        end,
    io:format("~0p: ~0p~n", [Name, Result]),
    seq_trace:set_token([]).
