%% ets:select_replace: which expressions are taken for the key that the object had.
-module(ets_replace_keys).
-export([main/0]).

main() ->
    [show({Type, Position, {Key, Made}}, accepted(Type, Position, Key, Made))
     || Type <- [set, ordered_set, bag], Position <- [1, 2], Key <- keys(), Made <- expressions()],
    T = ets:new(t, [set]),
    [show({Head, Body}, replace(T, [{Head, [], Body}])) || {Head, Body} <- bodies()],
    ets:insert(T, [{{k, 1}, [1, 5], 0, 0.0}, {{x, default, {pid, []}}, 1, y, z}]),
    show(changed, [replace(T, [{{{k, 1}, '$1', '$2', '$3'}, [], [{{{{k, 1}}, '$1', {'+', '$2', 1}, {'+', '$3', 0.5}}}]}]),
                   replace(T, [{{{'$1', default, '$2'}, '$3', '_', '_'}, [],
                                [{{{{'$1', default, '$2'}}, {'+', '$3', 1}, y, z}}]}]),
                   replace(T, [{{{'$1', default, '$2'}, '_', '_', '_'}, [], [{{{{'$2', default, '$1'}}, y, z, x}}]}])]),
    show(after_all, lists:sort(ets:tab2list(T))).

show(What, Value) -> io:format("~0p ~0p~n", [What, Value]).

accepted(Type, Position, Key, Made) ->
    {Head, Body} = case Position of 1 -> {{Key, '$9'}, {Made, '$9'}}; 2 -> {{'$9', Key}, {'$9', Made}} end,
    replace(ets:new(t, [Type, {keypos, Position}]), [{Head, [], [{Body}]}]).

replace(T, Spec) -> try ets:select_replace(T, Spec) catch Class:Reason -> {Class, Reason} end.

keys() ->
    ['_', a, 1, 1.0, {a, '$1'}, {a, {'$1'}}, {'_', x}, [a, '$1'], [a | '$1'], ['_'], {}, [], {'$1', '$1'}, "abc",
     {[{'$2'}]}, '$_', '$$', #{}, #{a => 1}, <<"x">>, {const, a}, {const, '$1'}, {'$01'}, {'$1x'}].

expressions() ->
    ['_', a, 1, 1.0, {const, 1}, {const, 1.0}, {const, a}, {const, {a, '$1'}}, {{a, '$1'}}, {{a, {{'$1'}}}}, {{a, {{'$2'}}}},
     {{'_', x}}, {const, {'_', x}}, [a, '$1'], [a | '$1'], ['_'], {}, {{}}, {const, {}}, [], {const, []}, {{'$1', '$1'}},
     {{'$1', '$2'}}, "abc", {const, "abc"}, {{[{{'$2'}}]}}, '$_', '$$', #{}, {const, #{}}, #{a => 1}, <<"x">>,
     {const, <<"x">>}, {{const, a}}, {{const, '$1'}}, {element, 1, '$_'}, {element, 2, '$_'}, {hd, '$$'},
     {{a, {const, '$1'}}}, {{a, {element, 2, {element, 1, '$_'}}}}, [{const, a}, '$1'], {{{{a}}}}, {{a, b}}, {{a, 1}},
     {{'$01'}}, {{'$1'}}, {self}, '$1', '$2', {'+', 0, 1}, {{{const, a}, '$1'}}, {tl, [x | '$1']}].

bodies() ->
    [{{a, b}, [{const, {a, c}}]}, {{a, b}, [{{a, c}}]}, {{a, b}, [x, {{a, c}}]}, {{a, b}, []},
     {{a, b}, [{setelement, 2, '$_', c}]}, {'_', ['$_']}, {'$1', ['$1']}, {{'$1'}, [{{'$1'}}]},
     {{'$1'}, [{const, {'$1'}}]}, {{a}, [{const, {a}}]}, {{a}, [{{}}]}, {{a}, [{}]}, {{a, b}, ['$_', x]},
     {{'$1', '$2'}, [{{'$1'}}]}, {{'$1', '$2'}, [{{'$1', '$2', 3}}]}, {'$1', [{{{element, 1, '$1'}}}]},
     {'$1', [{{{element, 1, '$_'}}}]}, {{a, b}, [{{a, c}}, '$_']}].
