%% Many processes on one table: what the sum of their work must be.
-module(ets_concurrent).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({counters, O}, fun() -> counters(O) end) || O <- options()],
    [t({inserts, O}, fun() -> inserts(O) end) || O <- options()],
    [t({churn, O}, fun() -> churn(O) end) || O <- options()],
    [t({readers, O}, fun() -> readers(O) end) || O <- options()],
    [t({lists, O}, fun() -> atomic_lists(O) end) || O <- options()],
    t(new_and_delete, fun new_and_delete/0).

options() ->
    [[Type | O] || Type <- [set, ordered_set, bag],
                   O <- [[], [{write_concurrency, true}, {read_concurrency, true}], [{write_concurrency, auto}]]].

together(N, Fun) ->
    Ps = [spawn_monitor(fun() -> Fun(I) end) || I <- lists:seq(1, N)],
    lists:usort([receive {'DOWN', R, _, _, Reason} -> Reason end || {_, R} <- Ps]).

new(O) -> ets:new(t, [public | O]).

counters([bag | _]) -> not_for_bags;
counters(O) ->
    T = new(O),
    ets:insert(T, [{K, 0} || K <- lists:seq(1, 50)]),
    R = together(8, fun(_) -> [ets:update_counter(T, 1 + I rem 50, 1) || I <- lists:seq(1, 2000)] end),
    {R, lists:sum([C || {_, C} <- ets:tab2list(T)])}.

inserts(O) ->
    T = new(O),
    R = together(8, fun(P) -> [ets:insert(T, {{P, I}, I}) || I <- lists:seq(1, 2000)] end),
    {R, ets:info(T, size), erlang:phash2(lists:sort(ets:tab2list(T)))}.

churn(O) ->
    T = new(O),
    R = together(8, fun(P) ->
                        [begin ets:insert(T, {{P, I}, I}), ets:lookup(T, {P, I}), I rem 2 =:= 0 andalso ets:delete(T, {P, I}) end
                         || I <- lists:seq(1, 2000)]
                    end),
    {R, ets:info(T, size), erlang:phash2(lists:sort(ets:tab2list(T)))}.

readers(O) ->
    T = new(O),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 1000)]),
    R = together(6, fun(P) when P rem 2 =:= 0 ->
                            [ets:insert(T, {1000 + P * 10000 + I, I}) || I <- lists:seq(1, 2000)];
                       (_) ->
                            [begin
                                 N = length([x || {K, _} <- ets:tab2list(T), K =< 1000]),
                                 N =:= 1000 orelse exit({lost, N}),
                                 C = ets:select_count(T, [{{'$1', '_'}, [{'=<', '$1', 1000}], [true]}]),
                                 C =:= 1000 orelse exit({lost, C})
                             end || _ <- lists:seq(1, 20)]
                    end),
    {R, ets:info(T, size)}.

%% A list goes in as one: who sees its first object sees its last.
atomic_lists([bag | _]) -> not_for_bags;
atomic_lists(O) ->
    T = new(O),
    ets:insert(T, [{K, 0} || K <- lists:seq(1, 100)]),
    R = together(4, fun(1) -> [ets:insert(T, [{K, V} || K <- lists:seq(1, 100)]) || V <- lists:seq(1, 200)];
                       (_) -> [begin
                                   A = ets:lookup_element(T, 1, 2), B = ets:lookup_element(T, 100, 2),
                                   A =< B orelse exit({torn, A, B})
                               end || _ <- lists:seq(1, 3000)]
                    end),
    {R, lists:usort([V || {_, V} <- ets:tab2list(T)])}.

new_and_delete() ->
    together(8, fun(_) -> [begin T = ets:new(t, [public]), ets:insert(T, {a, 1}), ets:delete(T) end || _ <- lists:seq(1, 500)] end).
