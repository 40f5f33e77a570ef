%% Match specifications: what compiles, what is said of what does not, and what guards and bodies answer.
-module(ets_match_spec).
-export([main/0]).

main() ->
    [io:format("~0p: ~0p ~0p~n", [MS, compiles(MS), catch erlang:match_spec_test({a, 1, #{k => v}}, MS, table)])
     || MS <- specs()],
    [function(F) || F <- functions()],
    [io:format("~0p over ~0p: ~0p~n", [E, X, body(X, E)]) || E <- expressions(), X <- values()],
    io:format("~0p~n", [ets:match_spec_run([{a, 1}, {b, 2}, {c}], ets:match_spec_compile([{{'$1', '$2'}, [], ['$2']}]))]),
    io:format("~0p~n", [catch_error(fun() -> ets:match_spec_run([{a, 1} | x], ets:match_spec_compile([{'$1', [], ['$1']}])) end)]),
    io:format("~0p~n", [ets:test_ms({a, 1}, [{{'$1', '$2'}, [], ['$1']}])]),
    io:format("~0p~n", [ets:test_ms({a, 1}, [{{'$1', '$2'}, [], ['$3']}])]),
    io:format("~0p~n", [catch_error(fun() -> erlang:match_spec_test({foo}, [{'_', [], [a]}], bar) end)]).

catch_error(F) -> try F() catch error:E -> E end.

compiles(MS) -> try ets:is_compiled_ms(ets:match_spec_compile(MS)) catch error:E -> E end.

body(X, E) ->
    case erlang:match_spec_test({X}, [{{'$1'}, [], [E]}], table) of
        {ok, R, [], []} when is_float(R) -> {float, R};
        {ok, R, [], []} -> R;
        Other -> Other
    end.

values() -> [0, -7, 3, 2.5, 1 bsl 80, foo, true, false, [], [1, 2], "s", {}, {1, 2, 3}, <<>>, <<1, 2, 3>>, <<1:3>>, #{}, #{k => 1}].

expressions() ->
    [{F, '$1'} || F <- [abs, float, round, trunc, size, length, hd, tl, byte_size, bit_size, map_size, is_list, is_tuple,
                        is_number, is_integer, is_float, is_atom, is_binary, is_map, is_pid, is_function, 'not', 'bnot', '-', '+', node]] ++
    [{F, '$1', 2} || F <- ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr', '<', '>', '=<', '>=', '==', '/=', '=:=', '=/=']] ++
    [{F, 7, '$1'} || F <- ['-', 'div', 'rem', 'bsl', element]] ++
    [{F, '$1', true} || F <- ['and', 'or', 'xor', 'andalso', 'orelse']] ++
    [{F, true, '$1'} || F <- ['and', 'or', 'andalso', 'orelse']] ++
    [{map_get, k, '$1'}, {is_map_key, k, '$1'}, {element, 2, '$1'}, {binary_part, '$1', 1, 2}, {binary_part, '$1', {3, -2}},
     {is_record, '$1', foo, 1}, {{a, '$1', [b, '$1' | '$1']}}, {const, {x, '$1'}}, [{{'$1'}}, '$_', '$$'], #{'$1' => '$_'},
     {'andalso', {is_list, '$1'}, {'==', {hd, '$1'}, 1}, last}, {{[]}}, {{{{}}}}, {'orelse', {is_atom, '$1'}, {hd, '$1'}}].

function(F) ->
    Arities = [N || N <- lists:seq(0, 4),
                    compiles([{'$1', [list_to_tuple([F | lists:duplicate(N, '$1')])], [true]}]) =:= true],
    Trace = [N || N <- lists:seq(0, 4),
                  element(1, erlang:match_spec_test([a], [{['$1'], [], [list_to_tuple([F | lists:duplicate(N, '$1')])]}], trace)) =/= error],
    io:format("~p ~p ~p~n", [F, Arities, Trace]).

functions() ->
    [is_atom, is_constant, is_float, is_integer, is_list, is_number, is_pid, is_port, is_reference, is_tuple, is_binary,
     is_record, is_map, is_map_key, abs, element, hd, length, node, round, float, size, bit_size, byte_size, map_size,
     map_get, tl, trunc, binary_part, max, min, self, const, 'not', 'and', 'or', 'xor', 'andalso', 'orelse', '+', '-', '*', '/',
     'div', 'rem', 'band', 'bor', 'bxor', 'bnot', 'bsl', 'bsr', '>', '=:=', foo, atom_length, message, return_trace].

specs() ->
    C = {'$2', '$1', '_'},
    [[], [{a, [], []}], [{'_', [], []}], [{'$1', [], ['$1']}], [{{'$1'}, [], ['$2']}], [{{'$1'}, [foo], ['$1']}],
     [{'_', [], ['$_']}], [{'_', [], ['$$']}], [{C, [], ['$$']}], [{C, [], [{{'$2', '$1'}}]}], [{C, [], [{'$2', '$1'}]}],
     [{C, [], [[['$1']]]}], [{C, [], [{{}}]}], [{C, [], [{}]}], [{C, [], [#{'$1' => '$2'}]}],
     [{{'$2', '$1', #{k => '$3'}}, [], ['$3']}], [{{'$2', '$1', #{'$4' => '$3'}}, [], ['$3']}],
     [{{'$2', '$1', #{'_' => '$3'}}, [], ['$3']}], [{{'$2', '$1', #{k => '$3', z => 1}}, [], ['$3']}],
     [{C, [{foo, 1}], ['$$']}], [{C, [{hd, 1}], ['$$']}], [{C, [{hd, 1, 2}], ['$$']}], [{C, [], [{hd, '$2'}]}],
     [{C, [], [{{x, {hd, '$2'}}}]}], [{C, [], [{hd, [{hd, 1}]}]}], [{C, [], [{'+', {hd, 1}, 1}]}],
     [{C, [], [{'+', a, 1}, foo]}], [{C, [], [{const, {a, '$1'}}]}], [{C, [{'orelse', true, {hd, 1}}], [ok]}],
     [{C, [{'or', true, {hd, 1}}], [ok]}], [{C, [{'or', true, a}], [ok]}], [{C, [{'andalso', true, a}], [ok]}],
     [{C, [], [{'andalso', true, a}]}], [{C, [], [{'orelse', a, true}]}], [{C, [{is_record, '$_', a}], [ok]}],
     [{C, [{is_record, '$_', a, 3}], [ok]}], [{C, [], [{get_tcw}]}], foo, [foo], [{a, b}], [{a, b, c}], [{a, [], c}],
     [{a, []} | c], [{{'$1'}, [], []} | x], [{{'$1', '$1', '_'}, [], [yes]}], [{{a, 1.0, '_'}, [], [yes]}],
     [{{'$1', '$2'}, [], [yes]}, {{'$1', '$2', '_'}, [], [second]}], [{C, [], ['_']}], [{C, [], ['$100']}], [{C, [], ['$a']}],
     [{{'$2', '$100000001', '_'}, [], ['$100000001']}], [{{'$01', '_', '_'}, [], ['$1']}], [{['$1'], [], ['$1']}],
     [{[], [], ['$1']}], [{#{}, [], [x]}], [{<<"a">>, [], [x]}], [{C, [], [[a | b]]}], [{C, [{'not', a}], [a]}],
     [{C, [], [{return_trace}]}], [{C, [{message, true}], [{a}]}], [{C, [], [{'and'}]}], [{C, [], [{'andalso'}]}],
     [{C, [], [{{'$$'}}]}], [{{'$1', '_', '_'}, [{'==', '$2', 1}], [1]}, {{'$1', '_', '_'}, [{foo}], [{bar, 1}]}],
     [{{a, [x, {y, '$1'}], '_'}, [], ['$1']}, {{'$1', '_', '$2'}, [{'=:=', '$2', #{k => v}}], ['$2']}]].
