%% A counter takes increments up to 2^64 - 1, which wrap, as an element of atomics does, of either kind.
-module(r_counter_increments).
-export([main/0]).

main() ->
    [io:format("~p~n", [[added(counters:new(1, [Kind]), By) || By <- increments()]])
     || Kind <- [atomics, write_concurrency]].

increments() -> [1, (1 bsl 63) - 1, 1 bsl 63, (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 63), -(1 bsl 63) - 1, a].

added(Counter, By) ->
    try counters:add(Counter, 1, By), counters:add(Counter, 1, By), counters:get(Counter, 1)
    catch error:E -> E
    end.
