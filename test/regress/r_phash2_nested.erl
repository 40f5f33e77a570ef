%% Hashes of terms of all kinds within each other: maps whose pairs are immediate, nested, or some of each, in a map of
%% any size; tuples that begin with what is immediate or not; lists with strings in them, and with tails.
-module(r_phash2_nested).
-export([main/0]).

main() ->
    [io:format("~w ~w ~w~n", [N, erlang:phash2(T), erlang:phash2({x, T, T})]) || {N, T} <- lists:enumerate(terms())],
    [io:format("~w ~w~n", [Seed, hashes(Seed)]) || Seed <- lists:seq(1, 200)].

terms() ->
    [#{}, #{a => 1}, #{a => 1, b => 2}, #{a => {1}}, #{a => 1, b => {2}}, #{{a} => 1, b => 2}, #{"a" => "b", 1 => 2},
     #{a => #{}, b => #{c => 1}}, #{a => #{b => #{c => d, e => "f"}, g => 1}, h => 2}, #{a => #{b => 1}, c => #{b => 1}},
     #{1.5 => -0.0, 0 => [], [] => 0}, #{#{a => 1} => #{b => {2}}, #{a => {1}} => 3}, [#{a => 1}, #{b => {2}} | #{c => 3}],
     {}, {a}, {{}}, {a, {}}, {{}, a}, {1, 2, "abc", 3}, {"abc", 1, 2}, {a, b, c, d, e, f, g, h, i, j}, {a, #{b => c}, d},
     [], [[]], [[] | a], "abc", "abcd", "abcde", [$a, x, $b], [$a, 256, $b], [$a, -1 | $c], ["abc", "de" | "f"], [a | {b}],
     [{1, 2} | "abc"], [$a, {1}, $b], [1 bsl 27, (1 bsl 27) - 1, -(1 bsl 27), 1 bsl 60, -(1 bsl 70)], {<<>>, <<1:1>>, <<"abc">>},
     fun lists:map/2, {fun erlang:self/0, a}, maps:from_list([{N, N} || N <- lists:seq(1, 40)]),
     maps:from_list([{N, {N}} || N <- lists:seq(1, 40)]), maps:from_list([{{N}, [N]} || N <- lists:seq(1, 400)]),
     maps:from_list([{N, case N rem 3 of 0 -> N; 1 -> {N}; 2 -> #{N => N} end} || N <- lists:seq(1, 100)]),
     list_to_tuple(lists:seq(1, 3000)), list_to_tuple([{N} || N <- lists:seq(1, 3000)]), lists:seq(1, 3000), nested(2000, [])].

nested(0, T) -> T;
nested(N, T) -> nested(N - 1, case N rem 3 of 0 -> {N, T}; 1 -> [T, N]; 2 -> #{N => T, x => N} end).

hashes(Seed) ->
    {Terms, _} = lists:mapfoldl(fun(_, S) -> random(4, S) end, rand:seed_s(exsss, Seed), lists:seq(1, 10)),
    erlang:phash2([erlang:phash2(T) || T <- Terms]).

random(0, S) -> leaf(S);
random(Depth, S0) ->
    case rand:uniform_s(5, S0) of
        {1, S} -> leaf(S);
        {2, S} -> {L, S1} = some(Depth, S), {list_to_tuple(L), S1};
        {3, S} -> some(Depth, S);
        {4, S} -> {L, S1} = some(Depth, S), {T, S2} = leaf(S1), {L ++ T, S2};
        {5, S} -> {K, S1} = some(Depth, S), {V, S2} = some(Depth, S1), N = min(length(K), length(V)),
            {maps:from_list(lists:zip(lists:sublist(K, N), lists:sublist(V, N))), S2}
    end.
some(Depth, S0) -> {N, S} = rand:uniform_s(7, S0), lists:mapfoldl(fun(_, S1) -> random(Depth - 1, S1) end, S, lists:seq(2, N)).
leaf(S0) ->
    L = [a, 'another atom', [], 1, 255, 256, -5, 1 bsl 40, 1 bsl 90, 2.5, 0.0, "text", <<"binary">>, <<3:5>>, {}, #{}, #{x => 1}],
    {N, S} = rand:uniform_s(length(L), S0),
    {lists:nth(N, L), S}.
