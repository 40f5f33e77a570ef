%% The memory of a table's buckets is given back when there are fewer, when all objects are deleted at once, and when the
%% table is deleted, however long somebody keeps its tid.
-module(r_ets_buckets_back).
-export([main/0]).

-define(OBJECTS, 100000). % 0.8 MB of buckets
-define(SPARE, 200000).   % bytes: what may be left of them

main() ->
    [show(Type, Concurrency, Way) || Type <- [set, bag, ordered_set], Concurrency <- [false, true],
                                     Way <- [fun one_by_one/1, fun all_at_once/1, fun table/1]],
    [io:format("regrown: ~p~n", [regrown(Concurrency)]) || Concurrency <- [false, true]].

show(Type, Concurrency, Way) ->
    Before = erlang:memory(ets),
    T = ets:new(t, [Type, public, {write_concurrency, Concurrency}]),
    fill(T),
    Full = erlang:memory(ets) - Before,
    What = Way(T),
    io:format("~p ~p ~p: ~p ~p~n", [Type, Concurrency, What, Full > ?OBJECTS * 8, given_back(Before, 6000)]),
    is_reference(T) andalso [ets:delete(T) || ets:info(T) =/= undefined].

fill(T) -> [ets:insert(T, {I}) || I <- lists:seq(1, ?OBJECTS)].

one_by_one(T) -> [ets:delete(T, I) || I <- lists:seq(1, ?OBJECTS)], one_by_one.
all_at_once(T) -> ets:delete_all_objects(T), all_at_once.
table(T) -> ets:delete(T), table.

given_back(_, 0) -> false;
given_back(Before, N) ->
    erlang:memory(ets) - Before < ?SPARE orelse begin timer:sleep(10), given_back(Before, N - 1) end.

%% What was given back is there again when it is needed.
regrown(Concurrency) ->
    T = ets:new(t, [public, {write_concurrency, Concurrency}]),
    Rounds = [begin
        fill(T),
        Whole = lists:sum([I || {I} <- ets:tab2list(T)]),
        [ets:delete(T, I) || I <- lists:seq(1, Keep)],
        {Whole, ets:info(T, size), lists:all(fun(I) -> ets:member(T, I) =:= (I > Keep) end, lists:seq(1, ?OBJECTS))}
    end || Keep <- [?OBJECTS - 1000, ?OBJECTS, ?OBJECTS div 4 * 3]],
    ets:delete(T),
    Rounds.
