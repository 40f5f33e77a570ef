%% The order of large maps is that of the release's emulator, for keys that have the same words on each.
-module(r_large_map_order).
-export([main/0]).

main() ->
    rand:seed(exsss, 27),
    [io:format("~w ~w~n", [Kind, maps:keys(map(Kind, N))]) || Kind <- kinds(), N <- [33, 200]],
    [io:format("~w~n", [maps:values(maps:map(fun(_, V) -> V + 1 end, map(bytes, N)))]) || N <- [40, 5000]],
    [io:format("~w ~w~n", [Seed, erlang:phash2(maps:keys(random(Seed)))]) || Seed <- lists:seq(1, 60)].

kinds() -> [small, large, float, bytes, bits, string, list, pair, deep, cells, flat_map, large_map, maps].

map(Kind, N) -> maps:from_list([{key(Kind, I), I} || I <- lists:seq(1, N)]).

key(small, _) -> rand:uniform(1 bsl 50) - (1 bsl 49);
key(large, _) -> binary:decode_unsigned(rand:bytes(8 + rand:uniform(50))) - (1 bsl 230);
key(float, _) -> rand:normal() * 1.0e10;
key(bytes, I) -> rand:bytes(1 + I rem 70);
key(bits, I) ->
    Skip = I rem 8,
    <<_:Skip, Bits/bitstring>> = rand:bytes(2 + I rem 40),
    Bits;
key(string, I) -> binary_to_list(key(bytes, I));
key(list, I) -> [key(small, I), [], I, key(pair, I) | key(bytes, I)];
key(pair, I) -> {I, key(bytes, I)};
key(deep, I) -> {key(float, I), {{}, [], I}, key(bits, I)};
key(cells, I) -> [{I} | [key(float, I), key(pair, I)]];
key(flat_map, I) -> #{I => key(float, I), {I} => key(list, I), [] => [I]};
key(large_map, I) -> maps:from_list([{key(pair, I), N} || N <- lists:seq(1, 33 + I rem 9)]);
key(maps, I) -> {I, maps:from_list([{N, key(flat_map, N)} || N <- lists:seq(1, 40 + I rem 3)]),
                 #{{I} => maps:from_list([{[N], {I}} || N <- lists:seq(I, I + 50)])}}.

random(Seed) ->
    rand:seed(exsss, Seed),
    maps:from_list([{term(rand:uniform(4)), I} || I <- lists:seq(1, 33 + rand:uniform(150))]).

term(0) -> leaf(rand:uniform(7));
term(Deep) ->
    case rand:uniform(7) of
        1 -> list_to_tuple(terms(Deep - 1, rand:uniform(5) - 1));
        2 -> [term(Deep - 1) | term(Deep - 1)];
        3 -> terms(Deep - 1, rand:uniform(3));
        4 -> maps:from_list([{T, Deep} || T <- terms(Deep - 1, rand:uniform(4))]);
        _ -> leaf(rand:uniform(7))
    end.

terms(Deep, Count) -> [term(Deep) || _ <- lists:seq(1, Count)].

leaf(1) -> key(small, 0);
leaf(2) -> key(float, 0);
leaf(3) -> key(bytes, rand:uniform(60));
leaf(4) -> key(bits, rand:uniform(60));
leaf(5) -> [];
leaf(6) -> key(large, 0);
leaf(7) -> key(string, rand:uniform(20)).
