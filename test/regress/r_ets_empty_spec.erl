%% A match specification without clauses: the functions that walk take it, and find nothing; it cannot be compiled.
-module(r_ets_empty_spec).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [Type, [catch_error(F) || F <- calls(table(Type))]]) || Type <- [set, ordered_set, bag, duplicate_bag]],
    io:format("~p~n", [[catch_error(F) || F <- calls(no_table)]]).

table(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 10)]),
    T.

calls(T) ->
    [fun() -> ets:select(T, []) end, fun() -> ets:select(T, [], 3) end, fun() -> ets:select(T, [], 0) end,
     fun() -> ets:select(T, [], x) end, fun() -> ets:select_reverse(T, []) end, fun() -> ets:select_reverse(T, [], 1) end,
     fun() -> ets:select_count(T, []) end, fun() -> ets:select_delete(T, []) end, fun() -> ets:select_replace(T, []) end,
     fun() -> ets:match_spec_compile([]) end, fun() -> ets:info(T, size) end].

catch_error(F) -> try F() catch error:E -> {error, E} end.
