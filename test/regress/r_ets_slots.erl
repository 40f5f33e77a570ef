%% How many slots a table has: at first, when it has grown, when all are deleted at once.
-module(r_ets_slots).
-export([main/0]).

main() ->
    [io:format("~p: ~w~n", [Options, slots(Options)])
     || Options <- [[], [bag], [duplicate_bag], [private], [{write_concurrency, true}], [{write_concurrency, auto}],
                    [compressed, {keypos, 2}], [ordered_set], [ordered_set, {write_concurrency, true}]]].

slots(Options) ->
    T = ets:new(t, Options),
    Empty = figures(T),
    [ets:insert(T, {I, I}) || I <- lists:seq(1, 256)],
    Full = figures(T),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 5000)]),
    Grown = figures(T),
    ets:delete_all_objects(T),
    Steady = not proplists:is_defined(write_concurrency, Options), % else how far it grew goes by chance
    [Empty, [{Full, Grown} || Steady], figures(T)].

figures(T) -> {walk(T, 0, 0), beyond(T, -1), buckets(ets:info(T, stats)), ets:info(T, size)}.

%% Slots and objects up to the end, and what is behind it.
walk(T, N, Objects) ->
    case beyond(T, N) of
        '$end_of_table' -> {N, Objects, ends, beyond(T, N + 1)};
        badarg -> {N, Objects, badarg}; % an empty ordered_set with write_concurrency
        L -> walk(T, N + 1, Objects + length(L))
    end.
beyond(T, N) -> try ets:slot(T, N) catch error:R -> R end.
buckets(Stats) when is_tuple(Stats), tuple_size(Stats) > 3 -> element(1, Stats);
buckets(_) -> tree.
