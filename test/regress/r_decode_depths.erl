%% binary_to_term/1 of tuples, lists and maps in each other: whole, cut after each byte, and with each byte changed.
-module(r_decode_depths).
-export([main/0]).

-define(CHANGES, [0, 1, 97, 100, 104, 106, 108, 116, 255]).

main() ->
    [io:format("~w: ~w ~w ~w~n", [N, whole(T), hash(cuts(T)), hash(changes(T))]) || {N, T} <- numbered(terms())],
    [io:format("~p: ~p~n", [Name, decoded(Bytes)]) || {Name, Bytes} <- by_hand()].

numbered(L) -> lists:zip(lists:seq(1, length(L)), L).
whole(T) -> binary_to_term(term_to_binary(T)) =:= T.
hash(Results) -> erlang:phash2(Results).

decoded(Bytes) -> try binary_to_term(Bytes) catch error:Reason -> {error, Reason} end.

cuts(T) ->
    Bytes = term_to_binary(T),
    [decoded(binary:part(Bytes, 0, N)) || N <- lists:seq(0, byte_size(Bytes) - 1)].

changes(T) ->
    Bytes = term_to_binary(T),
    [decoded(changed(Bytes, N, To)) || N <- lists:seq(1, byte_size(Bytes) - 1), To <- ?CHANGES].

changed(Bytes, N, To) ->
    <<Before:N/binary, _, Behind/binary>> = Bytes,
    <<Before/binary, To, Behind/binary>>.

terms() ->
    [{}, {{}}, [{}], [[]], [[[]]], #{}, [#{}], {#{}, #{}}, #{#{} => #{}}, #{{} => []},
     {1, {2, {3, {4, 5}, 6}, 7}, 8}, [1, [2, [3, [4, 5], 6], 7], 8], [[1000 | a] | [[b | c] | d]], [{1, [a]} | #{}],
     #{a => #{b => #{c => {d, [e, #{f => 1.5}]}}}}, #{1 => {a, #{2 => [{}]}}, {} => [], [] => #{}},
     {[], [{[{}]}], <<"abc">>, "abc", [<<>>, <<1:3>>, 1 bsl 70]}, [{a, -1}, {b, 1 bsl 30}, {c, [-(1 bsl 40)]}],
     maps:from_list([{I, {I, [I]}} || I <- lists:seq(1, 32)]),
     maps:from_list([{{I}, #{I => I}} || I <- lists:seq(1, 34)]),
     {maps:from_list([{I, a} || I <- lists:seq(1, 33)]), [b]}, list_to_tuple(lists:seq(1, 300)),
     [#{a => 1}, #{b => [#{c => {2}}]} | x], lists:foldl(fun(I, T) -> {T, I} end, x, lists:seq(1, 70)),
     lists:foldl(fun(I, T) -> [T, I] end, x, lists:seq(1, 70)),
     lists:foldl(fun(I, T) -> #{T => I} end, x, lists:seq(1, 70)),
     lists:foldl(fun(I, T) -> #{I => T} end, x, lists:seq(1, 70)), {0.0, -0.0, #{0 => 0.0, 0.0 => 0}}].

map(Pairs) -> [<<116, (length(Pairs)):32>>, Pairs].
int(N) -> <<97, N>>.

by_hand() ->
    [{Name, iolist_to_binary([131 | Bytes])}
     || {Name, Bytes} <-
            [{"a key twice", map([[int(1), int(2)], [int(1), int(3)]])},
             {"a key twice, within", [<<104, 2>>, map([[int(1), map([[int(2), int(3)], [int(2), int(4)]])]]), int(5)]},
             {"a key that is a map twice", map([[map([[int(1), int(2)]]), int(1)], [map([[int(1), int(2)]]), int(1)]])},
             {"keys in no order", map([[int(N), <<104, 1>>, int(N)] || N <- [3, 1, 4, 2]])},
             {"a list that is its tail", [<<104, 2, 108, 0:32>>, int(1), int(2)]},
             {"a list whose tail is a list", [<<108, 1:32>>, int(1), <<108, 1:32>>, int(2), <<106>>]},
             {"a large tuple that is small", [<<105, 2:32>>, int(1), <<104, 0>>]},
             {"a string that is empty", [<<104, 2, 107, 0:16>>, int(1)]},
             {"one map more than there is", [<<116, 2:32>>, int(1), int(2), int(3)]},
             {"short names", [<<104, 3, 119, 2, "ok", 119, 1, "a">>, <<119, 0>>]},
             {"short names in other letters", [<<104, 2, 119, 2, "å"/utf8, 119, 3, "ab", 16#e5>>]},
             {"short names not whole", [<<104, 2, 119, 2, "ok", 119, 9, "a">>]},
             {"a number of an atom", [<<104, 1, 82, 0>>]},
             {"bytes behind", [int(1), int(2)]}]].
