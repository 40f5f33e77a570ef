%% Variables of match specifications: which atoms are some, of what number, in what order '$$' has them, and many at once.
-module(r_spec_variables).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [V, [test({x}, {V}, [V, '$$']), test({x, x, y}, {V, V, '$5'}, [V, '$$']), test({x, V}, {'_', V}, ['$$']),
                                test({x}, {'_'}, [V])]]) || V <- variables()],
    [io:format("~p ~p: ~p~n", [V, W, [test(Object, {V, W}, [V, W, '$$']) || Object <- [{x, y}, {x, x}]]])
     || V <- some(), W <- some()],
    keys(),
    many().

test(Object, Head, Body) -> erlang:match_spec_test(Object, [{Head, [], [Body]}], table).

variables() ->
    [variable(N) || N <- [0, 1, 99999999, 100000000, 999999999, 1000000000, (1 bsl 31) - 1, 1 bsl 31, (1 bsl 32) - 1, 1 bsl 32,
                          (1 bsl 32) + 1, 9999999999, 10000000000, (1 bsl 60) - 1, 1 bsl 60, (1 bsl 64) + 7, 1 bsl 700]] ++
    ['$', '$00', '$01', '$1a', '$a', '$-1', '$+1', '$ 1', '$1 ', '$_', '$$', '_', '__', '$__', '$1234567890a'].

some() -> [variable(N) || N <- [0, 1, (1 bsl 31) - 1, 1 bsl 31, (1 bsl 32) + 1, 10000000000]].

variable(N) -> list_to_atom("$" ++ integer_to_list(N)).

%% What in a key is a variable, and what keeps it: '$_' and '$$' are atoms in a head, but none that a key may consist of.
keys() ->
    Keys = ['$_', '$$', '$a', '$01', '$2147483648', '$1', '$4294967297', '$1234567890', a, {'$_'}, ['$_'], ['$$' | a], {'$$', 1},
            #{a => '$_'}, {{['$$']}}],
    [io:format("~p ~p: ~p~n", [Type, Key, [replaced(Type, Key, Body) || Body <- bodies(Key)]])
     || Key <- Keys, Type <- [set, ordered_set]].

bodies(Key) ->
    [{{Key, x}}, {{{const, Key}, x}}, {const, {Key, x}}, {{{element, 1, '$_'}, x}}, '$_'] ++
    [{{{Key}, x}} || is_tuple(Key)].

replaced(Type, Key, Body) ->
    Table = ets:new(table, [Type]),
    ets:insert(Table, [{Key, y}, {b, y}]),
    Count = try ets:select_replace(Table, [{{Key, '_'}, [], [Body]}]) catch error:Reason -> Reason end,
    {Count, lists:sort(ets:tab2list(Table)), length(ets:match_object(Table, {Key, '_'}))}.

many() ->
    N = 30000,
    Values = lists:seq(1, N),
    Object = list_to_tuple(Values),
    [begin
         Head = list_to_tuple([variable(V) || V <- Order]),
         Compiled = ets:match_spec_compile([{Head, [{'=:=', variable(N), variable(N)}], [['$$', variable(17) | lists:duplicate(20, '$$')]]}]),
         [[All, V | More]] = ets:match_spec_run([Object], Compiled),
         io:format("~p: ~p ~p ~p ~p~n", [Name, length(All), erlang:phash2(All), V, [A || A <- More, A =/= All]])
     end || {Name, Order} <- [{up, Values}, {down, lists:reverse(Values)}, {by_turns, [V * 7919 rem 30011 || V <- Values]}]],
    Twice = list_to_tuple([variable(V rem 1000) || V <- Values]),
    [io:format("~p~n", [erlang:phash2(test(list_to_tuple([V rem M || V <- Values]), Twice, ['$$', variable(999)]))]) || M <- [1000, 1001, 500]].
