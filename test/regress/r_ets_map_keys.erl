%% A map without variables is a pattern that those match which have more keys, too; but not in the key of a table's objects:
%% there it is that map alone, at whatever depth it stands.
-module(r_ets_map_keys).
-export([main/0]).

main() -> [keys(Type, Options) || Type <- [set, bag, ordered_set], Options <- [[], [compressed], [{write_concurrency, true}]]].

maps() -> [#{}, #{1 => 1}, #{1 => 1, 2 => 2}, #{a => #{b => 1, c => 2}}, #{1.0 => 1}, [#{1 => 2}], {#{1 => 2}, 2}, large(40)].
patterns() ->
    [#{}, #{1 => 1}, #{1 => '_'}, #{1 => 1, 2 => '$1'}, #{a => #{}}, #{a => #{b => 1}}, #{a => #{b => '_'}}, #{1.0 => 1}, [#{}],
     {#{}, '_'}, {#{1 => 2}, 2}, {#{}, 2}, large(40), large(34), (large(34))#{3 => '_'}, #{a => '$_'}].
large(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]).

keys(Type, Options) ->
    T = ets:new(t, [Type | Options]),
    ets:insert(T, [{M, M, 0} || M <- maps()]),
    [io:format("~w ~w ~w: ~w ~w ~w ~w~n",
               [Type, Options, N, found(ets:match_object(T, {P, '_', '_'})), found(ets:match_object(T, {'_', P, '_'})),
                ets:select_count(T, [{{P, '$7', '_'}, [], [true]}]), replaced(T, Type, P)])
     || {N, P} <- lists:zip(lists:seq(1, length(patterns())), patterns())].

found(Objects) -> lists:sort([number(element(1, O), maps(), 1) || O <- Objects]).
number(M, [M | _], N) -> N;
number(M, [_ | Rest], N) -> number(M, Rest, N + 1).

%% Does a result that is made of the pattern keep the key?
replaced(_, bag, _) -> no;
replaced(T, _, P) ->
    [try ets:select_replace(T, [{{P, '_', '_'}, [], [Result]}]) catch error:badarg -> badarg end
     || Result <- [{{P, x, 1}}, {{{const, P}, x, 1}}, {const, {P, x, 1}}, {{{element, 1, '$_'}, {element, 2, '$_'}, 1}}]].
