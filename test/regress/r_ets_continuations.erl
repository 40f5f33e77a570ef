%% What a bucket holds beyond the limit of a selection comes with the continuations: all of it, in stock's order, however
%% the limit divides it, and whatever happens to the table between.
-module(r_ets_continuations).
-export([main/0]).

main() ->
    [io:format("~p ~p ~p: ~w~n", [Options, N, Limit, walk(table(Options, N), Limit)])
     || Options <- [[bag], [duplicate_bag], [bag, {write_concurrency, true}]], N <- [1, 6, 20], Limit <- [1, 2, 3, 6, 7, 50]],
    [io:format("two keys, ~p: ~p~n", [Limit, two_keys(Limit)]) || Limit <- [1, 4, 10, 11, 19, 20, 21]],
    io:format("again: ~w~n", [again()]),
    io:format("long: ~p~n", [long()]),
    io:format("changed: ~w~n", [changed()]),
    [late(Type, Places) || Type <- [bag, duplicate_bag], Places <- [[1], [900], [1100], [2500], [1, 1500], [1500, 2990]]].

table(Options, N) ->
    T = ets:new(t, Options),
    [ets:insert(T, {key, I}) || I <- lists:seq(1, N)],
    T.

spec() -> [{{'_', '$1'}, [], ['$1']}].
walk(T, Limit) -> rounds(ets:select(T, spec(), Limit)).
rounds({L, C}) -> [L | rounds(ets:select(C))];
rounds('$end_of_table') -> [].

%% Which key comes first is not told.
two_keys(Limit) ->
    T = ets:new(t, [bag]),
    ets:insert(T, [{K, I} || K <- [a, b], I <- lists:seq(1, 10)]),
    Rounds = walk(T, Limit),
    {[length(R) || R <- Rounds], lists:sort(lists:append(Rounds)) =:= lists:sort(lists:seq(1, 10) ++ lists:seq(1, 10))}.

%% A continuation is a term as any other: it can be used twice.
again() ->
    {First, C} = ets:select(table([bag], 10), spec(), 4),
    {First, element(1, ets:select(C)), element(1, ets:select(C)), rounds(ets:select(C))}.

long() ->
    T = table([duplicate_bag], 30000),
    {lists:append(walk(T, 30000)) =:= lists:seq(30000, 1, -1),
     lists:append([lists:reverse(R) || R <- walk(T, 7)]) =:= lists:seq(1, 30000)}.

changed() ->
    T = table([bag], 10),
    {First, C} = ets:select(T, spec(), 4),
    ets:insert(T, {key, 11}),
    {Second, C2} = ets:select(C),
    ets:delete_all_objects(T),
    {First, Second, rounds(ets:select(C2)), begin ets:delete(T), catch element(1, catch ets:select(C2)) end}.

%% Another order, where it comes late to the key: when the first call, or one with a continuation, has passed more than
%% a thousand objects.
late(Type, Places) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{list_to_atom("k" ++ integer_to_list(N)), x} || N <- lists:seq(1, 3000)]),
    Keys = [lists:nth(N, ets:select(T, [{{'$1', '_'}, [], ['$1']}])) || N <- Places],
    [ets:delete(T, Key) || Key <- Keys],
    ets:safe_fixtable(T, true), % so that all stay where they are
    ets:insert(T, [{Key, I} || Key <- Keys, I <- lists:seq(1, 6)]),
    Spec = [{{'_', '$1'}, [{is_integer, '$1'}], ['$1']}],
    [io:format("late, ~p ~p ~p: ~w~n", [Type, Places, Limit, rounds(ets:select(T, Spec, Limit))]) || Limit <- [1, 2, 3, 4, 8]].
