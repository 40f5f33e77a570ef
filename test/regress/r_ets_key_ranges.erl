%% What clauses say of the beginnings of keys says where in an ordered_set the objects lie that can match: only there they
%% are looked at, and all are found, in order, however the keys are mixed and the table is divided.
-module(r_ets_key_ranges).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    _ = erts_debug:set_internal_state(available_internal_state, true),
    few(),
    [mixed(Seed) || Seed <- lists:seq(1, 150)].

%% Of very many objects the ten that match: looking at all takes more reductions.
few() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{{N div 10, [N rem 10]}, N} || N <- lists:seq(1, 100000)]),
    Specs = [[{{{300, '_'}, '$1'}, [], ['$1']}], [{{{300, ['$2' | '_']}, '$1'}, [], ['$1']}],
             [{{{300, [7]}, '$1'}, [], ['$1']}, {{{300, '_'}, '$1'}, [], ['$1']}, {{{301, [0]}, '$1'}, [], ['$1']}],
             [{{zz, '$1'}, [], ['$1']}, {{[a | '_'], '$1'}, [], ['$1']}]],
    {All, 0} = reductions(fun() -> ets:select_count(T, [{{'_', '$1'}, [{'<', '$1', 0}], [true]}]) end),
    Cheap = fun(Fun) -> {Some, Result} = reductions(Fun), {10 * Some < All, Result} end,
    [io:format("~w ~w~n",
               [Cheap(fun() -> ets:select(T, Spec) end), Cheap(fun() -> ets:select_reverse(T, Spec) end)]) || Spec <- Specs],
    [io:format("~w~n", [Cheap(fun() -> ets:select(T, Spec, 3) end)]) || Spec <- Specs],
    io:format("~w ~w~n", [Cheap(fun() -> ets:match_delete(T, {{400, '_'}, '_'}) end), ets:info(T, size)]).

reductions(Fun) ->
    {_, Before} = process_info(self(), reductions),
    Result = case Fun() of {Found, _} when is_list(Found) -> Found; Found -> Found end,
    {_, After} = process_info(self(), reductions),
    {After - Before, Result}.

r(N) -> rand:uniform(N).
pick(L) -> lists:nth(r(length(L)), L).

key() ->
    pick([r(20), float(r(20)), {r(4), r(4)}, {r(4), float(r(4))}, {pick([a, b]), r(5)}, {r(2), r(2), r(2)}, a, zz, [r(3) | r(3)],
          [a, r(3)], [r(2), r(2), r(2)], "x", <<>>, <<1>>, #{r(3) => r(2)}, #{float(r(2)) => 1}, {#{r(2) => 1}, r(3)}, [], {},
          1 bsl 65, -(1 bsl 65), {r(3), [r(2)], #{a => r(2)}}]).
key_pattern() ->
    pick([key(), key(), key(), {r(4), '_'}, {r(4), '$1'}, {'$1', '_'}, {'_', r(4)}, {a, '$2'}, {r(2), r(2), '_'}, {r(2), '_', r(2)},
          [r(2) | '_'], [r(3) | '$1'], ['$1' | r(3)], [a | '_'], [a, '$3'], [r(2), '_', r(2)], {#{}, '_'}, {#{1 => 1}, r(3)},
          #{1 => '_'}, #{}, {r(3), [r(2)], #{}}, {r(3), [r(2) | '_'], #{a => 1}}, {{r(2), '_'}, 1}, '_', '$1']).
clause(Result) -> {{pick([key_pattern(), key_pattern(), key_pattern()]), pick(['_', '_', r(5)])}, [], [Result]}.
spec(Result) -> [clause(Result) || _ <- lists:seq(1, pick([1, 1, 2, 3, 12]))].

%% Stock goes on with a continuation beyond the last key, where that is named by a clause alone: what a map is shows it.
without_maps(Result) -> [{Head, [], Body} || {Head, [], Body} <- spec(Result), not is_map(element(1, Head))].

mixed(Seed) ->
    rand:seed(exsss, {Seed, 11, 12}),
    Concurrent = pick([true, false]),
    T = ets:new(t, [ordered_set, public, {write_concurrency, Concurrent}]),
    [erts_debug:set_internal_state(ets_force_split, {T, true}) || Concurrent, r(2) =:= 1],
    [ets:insert(T, {key(), r(5)}) || _ <- lists:seq(1, pick([1, 20, 150]))],
    [io:format("~w ~0p~n", [Seed, catch step(T)]) || _ <- lists:seq(1, 12)].

step(T) ->
    Limit = pick([1, 2, 5, 100]),
    case r(8) of
        1 -> ets:select(T, spec('$_'));
        2 -> ets:select_reverse(T, spec('$_'));
        3 -> rounds(ets:select(T, without_maps('$_'), Limit), fun ets:select/1);
        4 -> rounds(ets:select_reverse(T, without_maps('$_'), Limit), fun ets:select_reverse/1);
        5 -> ets:select_count(T, spec(true));
        6 -> Deleted = ets:select_delete(T, spec(true)), [ets:insert(T, {key(), r(5)}) || _ <- lists:seq(1, 10)], Deleted;
        7 -> {ets:select_replace(T, [{setelement(2, Head, '$9'), [], [{{{element, 1, '$_'}, 6}}]} || {Head, _, _} <- spec(true)]),
              erlang:phash2(ets:tab2list(T))};
        8 -> ets:match(T, {key_pattern(), '$7'})
    end.

rounds('$end_of_table', _) -> [];
rounds({Found, Continuation}, Next) -> [Found | rounds(Next(Continuation), Next)].
