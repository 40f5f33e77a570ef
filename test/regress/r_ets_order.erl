%% Where objects with atoms as keys stand in a hash table, and in which order they are met: that of the stock runtime.
-module(r_ets_order).
-export([main/0]).

main() ->
    [all(Type, Count, Options) || Type <- [set, bag, duplicate_bag], Options <- [[], [{keypos, 2}], [compressed]],
                                  Count <- [0, 1, 2, 20, 256, 257, 300, 1500]],
    [all(set, Count, [{write_concurrency, Concurrency} | Options])
     || Concurrency <- [true, auto, {debug_hash_fixed_number_of_locks, 128}], Options <- [[], [compressed]], Count <- [0, 1, 2, 20, 30]],
    [all(Type, Count, [{write_concurrency, true}]) || Type <- [bag, duplicate_bag], Count <- [2, 20]],
    deleted(),
    fixed(),
    ok.

key(N) -> list_to_atom(lists:nth(1 + N rem 4, ["k", "", "rabbit_", "å€"]) ++ integer_to_list(N * 7919)).

all(Type, Count, Options) ->
    T = ets:new(t, [Type | Options]),
    [ets:insert(T, {key(N), key(N), X}) || N <- lists:seq(1, Count), X <- [a, b, a]],
    show(T).

show(T) ->
    Slots = slots(T, 0),
    io:format("~0p ~0p~n", [erlang:phash2(Slots), length(Slots)]),
    [io:format("~0tp~n", [Slots]) || length(Slots) < 60],
    io:format("~0p~n", [[erlang:phash2(X) || X <- [ets:tab2list(T), ets:select(T, [{'$1', [], ['$1']}]), keys(T),
                         ets:foldl(fun(X, A) -> [X | A] end, [], T), ets:foldr(fun(X, A) -> [X | A] end, [], T),
                         ets:match(T, {'_', '$1', a}), chunks(ets:match_object(T, '_', 7))]]]).

slots(T, N) ->
    case ets:slot(T, N) of
        '$end_of_table' -> [];
        [] -> slots(T, N + 1);
        Objects -> [{N, Objects} | slots(T, N + 1)]
    end.

keys(T) -> keys(T, ets:first(T)).
keys(_, '$end_of_table') -> [];
keys(T, Key) -> [Key | keys(T, ets:next(T, Key))].

chunks('$end_of_table') -> [];
chunks({Objects, Continuation}) -> Objects ++ chunks(ets:match_object(Continuation)).

%% Those that share a bucket: the newest is the last, one that is replaced stays where it is.
deleted() ->
    T = ets:new(t, []),
    Keys = [key(N) || N <- lists:seq(1, 1000)],
    [ets:insert(T, {K, 1, a}) || K <- Keys],
    [ets:insert(T, {K, 2, a}) || K <- lists:reverse(Keys)],
    show(T),
    [ets:delete(T, lists:nth(N, Keys)) || N <- lists:seq(1, 1000, 3)],
    show(T),
    [ets:insert(T, {lists:nth(N, Keys), 3, a}) || N <- lists:seq(1, 1000, 5)],
    show(T).

%% While it is fixed, a key that is deleted and comes again has its place still.
fixed() ->
    T = ets:new(t, []),
    Keys = [key(N) || N <- lists:seq(1, 1000)],
    [ets:insert(T, {K, 1, a}) || K <- Keys],
    ets:safe_fixtable(T, true),
    [ets:delete(T, lists:nth(N, Keys)) || N <- lists:seq(1, 1000, 3)],
    [ets:insert(T, {lists:nth(N, Keys), 3, a}) || N <- lists:seq(1, 1000, 5)],
    show(T),
    ets:safe_fixtable(T, false),
    show(T),
    [ets:insert(T, {K, 4, a}) || K <- lists:reverse(Keys)],
    show(T).
