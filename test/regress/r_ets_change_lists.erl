%% What is said of lists of changes that are no proper lists: the first change that is wrong counts before the end of the
%% list. And of which empty tables the first slot is no slot.
-module(r_ets_change_lists).
-export([main/0]).

main() ->
    [changes(Options, Key, Changes)
     || Options <- [[], [ordered_set, compressed]], Key <- [1, 2],
        Changes <- [[{2, 1} | y], [{9, 1} | y], [{1, 1} | y], [{2, 1}, {1, 1} | y], [foo | y], [{2, 1} | {2, 1}], [],
                    [{a, 1}, {1, 1}], [{1, 1}, {a, 1}], [{2, 1}, {2, 2}], [{2, 1, 3, 0} | y], foo, {2, 1}, {1, 1}]],
    [io:format("~w: ~w~n", [Options, first_slot(Options)])
     || Options <- [[], [{write_concurrency, true}], [ordered_set], [ordered_set, {write_concurrency, true}],
                    [ordered_set, {write_concurrency, true}, {decentralized_counters, false}],
                    [ordered_set, {write_concurrency, auto}, {decentralized_counters, false}],
                    [ordered_set, {write_concurrency, auto}, private]]].

changes(Options, Key, Changes) ->
    T = ets:new(t, Options),
    ets:insert(T, {1, 1, "abc"}),
    io:format("~w, ~w, ~w:~n", [Options, Key, Changes]),
    [io:format("  ~w, ~w~n", [told(fun() -> ets:F(T, Key, Changes) end), ets:tab2list(T)])
     || F <- [update_counter, update_element]],
    io:format("  ~w~n", [told(fun() -> ets:update_counter(T, Key, Changes, {Key, 0}) end)]).

told(F) ->
    try F()
    catch error:Reason:Stack -> {Reason, element(4, hd(Stack))}
    end.

first_slot(Options) ->
    T = ets:new(t, Options),
    told(fun() -> ets:slot(T, 0) end).
