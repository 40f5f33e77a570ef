%% Several keys put into a small map at once: some are there, some are new, in any order, up to where it is small no
%% more. And one taken out.
-module(r_map_put_several).
-export([main/0]).

main() ->
    rand:seed(exsss, 9),
    [begin
         Map = map(Size),
         Several = [several(Kind, Map, I) || Kind <- [literals, floats, mixed, any], I <- [1, 2]],
         io:format("~w ~w~n", [Size, [{map_size(M), same_keys(M, Map), lists:sort(maps:to_list(M))} || M <- Several]]),
         io:format("~w ~w~n", [lists:sort(maps:to_list(Map)), [taken(K, Map) || K <- [b, 3, 2.0, {x}, <<"d">> | keys()]]])
     end || Size <- [0, 1, 2, 3, 5, 20, 26, 27, 28, 29, 30, 31, 32, 33, 40], _ <- [1, 2, 3]].

keys() -> [a, c, k3, 1, 2, 1.5, {a}, [b], <<"c">>, "zz"].

map(Size) ->
    Atoms = [list_to_atom("k" ++ integer_to_list(I)) || I <- lists:seq(1, 15)],
    Keys = keys() ++ Atoms ++ [{I} || I <- lists:seq(1, 30)],
    Mixed = [K || {_, K} <- lists:sort([{rand:uniform(), K} || K <- Keys])],
    maps:from_list([{K, old} || K <- lists:sublist(Mixed, Size)]).

several(literals, M, I) -> M#{b => I, c => 1, k3 => 2, a => 3, zz => 4};
several(floats, M, I) -> M#{2.0 => I, 1 => 1, 1.0 => 2, 0.0 => 3, 2 => 4};
several(mixed, M, I) -> M#{<<"c">> => I, {a} => 1, [b] => 2, b => 3, 3 => 4, #{a => b} => 5};
several(any, M, I) -> M#{key(I) => 1, key(3) => 2, key(2) => 3, key(4) => 4, key(3) => 5}.

key(N) -> element(N, {a, {a}, 1, "new"}).

same_keys(M, Map) -> maps:keys(M) =:= maps:keys(Map).

taken(K, Map) ->
    Without = maps:remove(K, Map),
    Other = case maps:take(K, Map) of
                error -> Map;
                {old, Less} -> Less
            end,
    true = Other =:= Without,
    {map_size(Without), is_map_key(K, Without), Without =:= Map, maps:size(Without#{K => old}) =:= maps:size(Map#{K => x})}.
