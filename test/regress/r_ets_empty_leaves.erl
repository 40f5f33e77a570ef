%% A walk over an ordered set comes past any number of leaves that deletions have left empty, from both sides.
-module(r_ets_empty_leaves).
-export([main/0]).

-define(KEYS, 20000).

main() ->
    ok = logger:set_primary_config(level, none),
    _ = erts_debug:set_internal_state(available_internal_state, true),
    [io:format("~p~n", [{Kept, [walked(Kept, How) || How <- hows()]}])
     || Kept <- [[], [1], [?KEYS], [1, ?KEYS], [1, ?KEYS div 2, ?KEYS]]].

hows() ->
    All = [{{'$1', '_'}, [], [true]}],
    [fun ets:tab2list/1,
     fun(T) -> ets:select_count(T, All) end,
     fun(T) -> limited(ets:select(T, [{{'$1', '_'}, [], ['$1']}], 1), fun ets:select/1) end,
     fun(T) -> limited(ets:select_reverse(T, [{{'$1', '_'}, [], ['$1']}], 1), fun ets:select_reverse/1) end,
     fun(T) -> ets:select_reverse(T, [{{'$1', '_'}, [], ['$1']}]) end,
     fun(T) -> ets:foldl(fun({K, _}, L) -> [K | L] end, [], T) end,
     fun(T) -> {ets:first(T), ets:last(T), ets:next(T, ?KEYS div 2), ets:prev(T, ?KEYS div 2)} end,
     fun(T) -> ets:select_delete(T, All) end].

limited('$end_of_table', _) -> [];
limited({Found, More}, Go) -> [Found | limited(Go(More), Go)].

walked(Kept, How) ->
    T = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    ok = erts_debug:set_internal_state(ets_force_split, {T, true}),
    true = ets:insert(T, [{K, v} || K <- lists:seq(1, ?KEYS)]),
    _ = [ets:delete(T, K) || K <- lists:seq(1, ?KEYS), not lists:member(K, Kept)],
    Result = How(T),
    true = ets:delete(T),
    Result.
