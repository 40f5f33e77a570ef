%% A table that could not grow, since it was fixed, makes up for it with the objects that come then: by some buckets for
%% each of them.
-module(r_ets_catches_up).
-export([main/0]).

-define(OBJECTS, 20000).

main() -> [io:format("~p: ~p~n", [Options, catches_up(Options)])
           || Options <- [[], [bag], [{write_concurrency, true}], [{write_concurrency, auto}]]].

catches_up(Options) ->
    T = ets:new(t, [public | Options]),
    ets:safe_fixtable(T, true),
    insert(T, 1, ?OBJECTS),
    Fixed = buckets(T) < 1000,
    ets:safe_fixtable(T, false),
    insert(T, ?OBJECTS + 1, 2 * ?OBJECTS),
    {Fixed, buckets(T) > ?OBJECTS * 3 div 2, length(ets:tab2list(T))}.

insert(T, From, To) -> [ets:insert(T, {I}) || I <- lists:seq(From, To)].
buckets(T) -> element(1, ets:info(T, stats)).
