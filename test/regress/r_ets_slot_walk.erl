%% ets:slot/2 of an ordered set walked from its beginning to the slot that was asked for, each time: a walk over all
%% slots took time by the square of their number. It is where it was, and forgets that when the table changes.
-module(r_ets_slot_walk).
-export([main/0]).

-define(OBJECTS, 20000).

main() ->
    T = ets:new(t, [ordered_set]),
    true = ets:insert(T, [{2 * I} || I <- lists:seq(1, ?OBJECTS)]),
    Seen = lists:append(walk(T, 0)),
    io:format("~p~n", [Seen =:= ets:tab2list(T)]),
    [{Few, _}, {Many, _}] = [reductions(fun() -> walk(T, 0, N) end) || N <- [?OBJECTS div 4, ?OBJECTS]],
    io:format("~p~n", [Many < 8 * Few]),
    Places = [5000, 4990, 5000, 5000, 3000, 8000, 8001, 0, 1, ?OBJECTS - 1, ?OBJECTS],
    io:format("~p~n", [[ets:slot(T, N) || N <- Places]]),
    io:format("~p~n", [[changed(T, Change) || Change <- changes()]]),
    true = ets:delete_all_objects(T),
    true = ets:insert(T, [{I} || I <- lists:seq(1, 1500)]),
    random(T, 2000).

changes() ->
    [fun(T) -> ets:insert(T, {3}) end, fun(T) -> ets:delete(T, 2) end, fun(T) -> ets:insert(T, {4, again}) end,
     fun(T) -> ets:take(T, 6) end, fun(T) -> ets:match_delete(T, {8}) end, fun(T) -> ets:insert(T, [{1}, {5}]) end,
     fun(T) -> ets:insert_new(T, {7.0}) end, fun(T) -> ets:update_element(T, 12, {1, 12}) end,
     fun(T) -> ets:select_replace(T, [{{10}, [], [{{10, ten}}]}]) end, fun(T) -> ets:delete_object(T, {20002}) end,
     fun(T) -> ets:delete_all_objects(T) end, fun(T) -> ets:insert(T, [{I} || I <- lists:seq(1, 20000)]) end].

%% The place is kept by the first of these, and is to be forgotten.
changed(T, Change) ->
    Before = seen(T, 10000),
    Changed = try Change(T) catch error:Reason -> Reason end,
    {Changed, Before, seen(T, 10000), seen(T, 10001), seen(T, 2)}.

seen(T, N) -> try ets:slot(T, N) catch error:Reason -> Reason end.

random(T, Times) ->
    Random = rand:seed_s(exsss, 1),
    io:format("~p~n", [random(T, Times, Random, [])]).

random(_, 0, _, Wrong) -> Wrong;
random(T, Times, Random0, Wrong) ->
    {N, Random1} = rand:uniform_s(ets:info(T, size), Random0),
    {What, Random2} = rand:uniform_s(20, Random1),
    case What of
        1 -> ets:delete(T, N);
        2 -> ets:insert(T, {-N});
        _ -> ok
    end,
    Slot = seen(T, N - 1),
    Good = What > 4 orelse N > ets:info(T, size) orelse Slot =:= [lists:nth(N, ets:tab2list(T))],
    random(T, Times - 1, Random2, [N || not Good] ++ Wrong).

walk(T, N) ->
    case ets:slot(T, N) of
        '$end_of_table' -> [];
        Objects -> [Objects | walk(T, N + 1)]
    end.

walk(_, N, N) -> ok;
walk(T, N, End) -> [_] = ets:slot(T, N), walk(T, N + 1, End).

reductions(F) ->
    {reductions, Before} = process_info(self(), reductions),
    Result = F(),
    {reductions, After} = process_info(self(), reductions),
    {After - Before, Result}.
