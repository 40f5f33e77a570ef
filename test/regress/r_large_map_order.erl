%% The order of large maps is that of the release's emulator, for keys that have the same words on each.
-module(r_large_map_order).
-export([main/0]).

main() ->
    rand:seed(exsss, 27),
    [io:format("~w ~w~n", [Kind, maps:keys(map(Kind, N))]) || Kind <- kinds(), N <- [33, 200]],
    [io:format("~w~n", [maps:values(maps:map(fun(_, V) -> V + 1 end, map(bytes, N)))]) || N <- [40, 5000]],
    [io:format("~w ~w~n", [Seed, erlang:phash2(maps:keys(random(Seed)))]) || Seed <- lists:seq(1, 60)].

kinds() -> [small, float, bytes, bits, pair, deep, cells].

map(Kind, N) -> maps:from_list([{key(Kind, I), I} || I <- lists:seq(1, N)]).

key(small, _) -> rand:uniform(1 bsl 50) - (1 bsl 49);
key(float, _) -> rand:normal() * 1.0e10;
key(bytes, I) -> rand:bytes(1 + I rem 70);
key(bits, I) ->
    Skip = I rem 8,
    <<_:Skip, Bits/bitstring>> = rand:bytes(2 + I rem 40),
    Bits;
key(pair, I) -> {I, key(bytes, I)};
key(deep, I) -> {key(float, I), {{}, [], I}, key(bits, I)};
key(cells, I) -> [{I} | [key(float, I), key(pair, I)]].

%% Heads of lists are no integers, atoms or empty lists: how 27 hashes those is not known.
random(Seed) ->
    rand:seed(exsss, Seed),
    maps:from_list([{term(rand:uniform(4)), I} || I <- lists:seq(1, 33 + rand:uniform(150))]).

term(0) -> leaf(rand:uniform(5));
term(Deep) ->
    case rand:uniform(6) of
        1 -> list_to_tuple([term(Deep - 1) || _ <- lists:seq(1, rand:uniform(5) - 1)]);
        2 -> [head(Deep - 1) | term(Deep - 1)];
        3 -> [head(Deep - 1) || _ <- lists:seq(1, rand:uniform(3))];
        _ -> leaf(rand:uniform(5))
    end.

head(Deep) ->
    case term(Deep) of
        T when is_integer(T); T =:= [] -> {T};
        T -> T
    end.

leaf(1) -> key(small, 0);
leaf(2) -> key(float, 0);
leaf(3) -> key(bytes, rand:uniform(60));
leaf(4) -> key(bits, rand:uniform(60));
leaf(5) -> [].
