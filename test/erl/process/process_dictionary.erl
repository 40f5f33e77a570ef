%% The dictionary against a map, with keys of all kinds: it grows, shrinks, and closes the holes that erase/1 leaves.
-module(process_dictionary).
-export([main/0]).
-define(ROUNDS, 40).

main() ->
    erase(),
    rand:seed(exsss, {1, 2, 3}),
    Keys = keys(),
    io:format("~b keys~n", [length(Keys)]),
    [io:format("~p~n", [round_of(Keys, Most)]) || Most <- [3, 9, 60, length(Keys)], _ <- lists:seq(1, ?ROUNDS)],
    alike(),
    constants().

%% How often the dictionary and the map answered, and in the end held, the same; and how much.
round_of(Keys, Most) ->
    Some = lists:sublist([Key || {_, Key} <- lists:sort([{rand:uniform(), Key} || Key <- Keys])], Most),
    {Same, Map} = lists:foldl(fun(Step, {Same, Map}) -> step(Step, Some, Same, Map) end, {0, #{}}, lists:seq(1, 4 * Most)),
    Equal = lists:sort(get()) =:= lists:sort(maps:to_list(Map)) andalso lists:sort(get_keys()) =:= lists:sort(maps:keys(Map)),
    Gone = [erase(Key) =:= Value || {Key, Value} <- maps:to_list(Map)],
    {Same =:= 4 * Most, Equal, lists:usort(Gone), get(), map_size(Map)}.

step(Step, Keys, Same, Map) ->
    Key = lists:nth(rand:uniform(length(Keys)), Keys),
    Was = maps:get(Key, Map, undefined),
    case rand:uniform(4) of
        1 -> {Same + equal(erase(Key), Was), maps:remove(Key, Map)};
        2 -> {Same + equal(get(Key), Was), Map};
        _ -> {Same + equal(put(Key, Step), Was), Map#{Key => Step}}
    end.

equal(Same, Same) -> 1;
equal(_, _) -> 0.

keys() ->
    Numbers = [N * Sign || N <- lists:seq(0, 40) ++ [1 bsl S || S <- lists:seq(6, 70)], Sign <- [1, -1]],
    Copies = [binary_to_term(term_to_binary({x, N, "a list", <<N:100>>})) || N <- lists:seq(1, 30)],
    lists:usort([a, '', [], {}, #{}, <<>>, "", self(), make_ref(), fun lists:map/2, fun() -> ok end, #{a => 1}, true] ++
                Numbers ++ Copies ++ [N * 1.0 || N <- lists:seq(1, 30)] ++
                [list_to_atom("k" ++ integer_to_list(N)) || N <- lists:seq(1, 100)] ++
                [integer_to_binary(N) || N <- lists:seq(1, 30)] ++ [[N] || N <- lists:seq(1, 30)]).

%% Keys that only look alike, and the same ones made anew.
alike() ->
    [put(Key, {is, Key}) || Key <- [1, 1.0, "1", <<"1">>, '1', {1}, [1], 1 bsl 64, -1 bsl 64]],
    io:format("~p~n", [[get(Key) || Key <- [1, 1.0, [$1], <<"1">>, list_to_atom("1"), list_to_tuple([1]), [1],
                                            binary_to_term(term_to_binary(1 bsl 64)), -(1 bsl 64), 2, 2.0, '2']]]).

%% Keys that stand in the code, where no dictionary is yet, where they are not in it, and where they are, alone and among
%% others that want their places.
constants() ->
    erase(),
    io:format("~p~n", [constant()]),
    put(other, 1),
    io:format("~p~n", [constant()]),
    Keys = [a, '', [], 0, -1, 1 bsl 59, 1 bsl 70, 1.5, "abc", {a, "b"}, <<"abc">>, #{a => 1}, fun lists:map/2],
    [put(Key, {value, N}) || {N, Key} <- lists:enumerate(Keys)],
    io:format("~p~n", [constant()]),
    [begin put({other, N}, N), put(N + 2, N) end || N <- lists:seq(1, 5000)],
    io:format("~p~n", [constant()]),
    [erase(Key) || Key <- lists:sublist(Keys, 1, length(Keys) div 2)],
    io:format("~p~n", [constant()]),
    erase().

constant() ->
    [get(a), get(''), get([]), get(0), get(-1), get(1 bsl 59), get(1 bsl 70), get(1.5), get("abc"), get({a, "b"}),
     get(<<"abc">>), get(#{a => 1}), get(fun lists:map/2), get(other)].
