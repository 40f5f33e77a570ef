%% A table's buckets go in steps of five, as on the stock runtime: 2048 that stand together are given up when half as
%% many objects as the buckets before them are more than are left, and the first such stay.
-module(r_ets_shrinks).
-export([main/0]).

main() ->
    [io:format("~p ~p: ~p~n", [Type, Objects, shrinks(Type, Objects)])
     || Type <- [set, bag, duplicate_bag], Objects <- [200, 257, 2304, 2305, 4352, 4353, 9000]].

%% How many objects are left, and buckets there, where another number of these begins to go with each object.
shrinks(Type, Objects) ->
    Table = ets:new(table, [Type]),
    [ets:insert(Table, {I}) || I <- lists:seq(1, Objects)],
    Buckets = buckets(Table),
    {Turns, _, Left} = lists:foldl(fun(I, {Turns, By, Before}) ->
                                           ets:delete(Table, I),
                                           case buckets(Table) of
                                               Now when Before - Now =:= By -> {Turns, By, Now};
                                               Now -> {[{I - 1, Now} | Turns], Before - Now, Now}
                                           end
                                   end, {[], 0, Buckets}, lists:seq(Objects, 1, -1)),
    ets:insert(Table, [{I} || I <- lists:seq(1, Objects)]),
    {Buckets, lists:reverse(Turns), Left, buckets(Table)}.

buckets(Table) -> element(1, ets:info(Table, stats)).
