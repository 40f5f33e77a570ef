%% Which objects of a key are the same: to a bag, which takes each once, and to ets:delete_object/2.
-module(r_ets_same_objects).
-export([main/0]).

main() ->
    [same(Type, Options) || Type <- [set, bag, duplicate_bag, ordered_set],
                            Options <- [[], [compressed], [{write_concurrency, true}], [{keypos, 2}]]],
    [fixed(Type) || Type <- [bag, duplicate_bag]].

values() ->
    [0, 0.0, -0.0, 1, 1.0, 1 bsl 70, float(1 bsl 70), a, b, [], {}, #{}, "ab", [97, 98], <<>>, <<1>>, <<1:3>>, binary:copy(<<1>>, 100),
     binary:part(<<0, 1, 2>>, 1, 1), {1}, {1.0}, [1 | 2], #{1 => a}, #{1.0 => a}, lists:seq(1, 50), list_to_tuple(lists:seq(1, 50))].

objects(V) -> [{k, k, V}, {k, k, V, x, 1}, {k, k, x, y, 1, 2, 3, 4, 5, 6, V}, {k, k, V, V, V, V, V, V, V, V, a}].

same(Type, Options) ->
    All = lists:append([objects(V) || V <- values()]),
    T = ets:new(t, [Type | Options]),
    Sizes = [begin ets:insert(T, O), ets:info(T, size) end || O <- All ++ All],
    io:format("~p ~p: ~w~n", [Type, Options, Sizes]),
    io:format("~w~n", [[begin ets:delete_object(T, O), ets:info(T, size) end || O <- lists:reverse(All) ++ All]]).

%% While it is fixed: the key keeps its place when the last object goes.
fixed(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{k, I rem 3} || I <- lists:seq(1, 6)]),
    ets:safe_fixtable(T, true),
    First = [begin ets:delete_object(T, {k, I}), {ets:lookup(T, k), ets:info(T, size)} end || I <- [1, 1, 0, 2]],
    Next = try ets:next(T, k) catch error:badarg -> badarg end,
    ets:insert(T, [{k, 1}, {k, 1}, {k, 2}]),
    Last = ets:lookup(T, k),
    ets:delete_object(T, {k, 1}),
    ets:safe_fixtable(T, false),
    io:format("~p: ~w ~w ~w ~w~n", [Type, First, Next, Last, ets:tab2list(T)]).
