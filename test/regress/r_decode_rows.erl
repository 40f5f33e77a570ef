%% Terms of all kinds in a row, in tuples and lists, decoded whole, cut short at every byte, and with every byte another
%% one: the decoder reads plain terms in rows, and these end in every way.
-module(r_decode_rows).
-export([main/0]).

main() ->
    [whole(N, T) || {N, T} <- numbered(terms())],
    [cut(N, T) || {N, T} <- numbered(terms())],
    [spoiled(N, T) || {N, T} <- numbered(small_terms())],
    [atoms(Bytes) || Bytes <- [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 255]],
    alike(),
    unknown(),
    long().

numbered(L) -> lists:zip(lists:seq(1, length(L)), L).

small_terms() ->
    [{}, [], {a, 1, "abc"}, [a, 1, "abc"], [1, 2, 3 | 4], {1.5, -2.0e10, <<"xyz">>}, [<<>>, "", [], {}, [[]]],
     {-1, 256, 255, 1 bsl 31, -(1 bsl 31), 1 bsl 70}, #{a => 1, "b" => {2.0, <<1:3>>}}, [{I, foo, "x", <<"y">>, 0.1} || I <- [1, 2]]].

terms() ->
    small_terms() ++
    [list_to_tuple(lists:seq(250, 260)), lists:seq(250, 260) ++ [a | b], [foo, bar, foo, 'b\x{e4}r', 'b\x{3b1}r', ''],
     {binary:copy(<<"x">>, 64), binary:copy(<<"x">>, 65), binary:copy(<<"x">>, 300), <<"x">>},
     [erlang:make_tuple(N, N) || N <- [0, 1, 254, 255, 256]], lists:duplicate(3, lists:duplicate(4, {x, [y], "z"})),
     [0.0, 1.0e308, 5.0e-324, 4.0], [lists:seq(1, N) || N <- [0, 1, 255]], {fun lists:map/2, [fun lists:map/2]}].

forms(T) ->
    [term_to_binary(T), term_to_binary(T, [{minor_version, 2}]), term_to_binary(T, [{minor_version, 0}]),
     term_to_binary(T, [compressed])].

whole(N, T) ->
    io:format("~b ~p~n", [N, [{binary_to_term(B) =:= T, binary_to_term(B, [safe]) =:= T,
                               binary_to_term(<<B/binary, "behind">>, [used]) =:= {T, byte_size(B)}} || B <- forms(T)]]).

cut(N, T) ->
    B = term_to_binary(T),
    Size = byte_size(B),
    io:format("~b cut: ~p~n", [N, [I || I <- lists:seq(0, Size), answered(binary:part(B, 0, I)) =/= badarg, I =/= Size]]).

%% Every byte another one; what comes of it, if it is a term.
spoiled(N, T) ->
    B = term_to_binary(T, [{minor_version, 2}]),
    io:format("~b spoiled: ~p~n", [N, erlang:phash2([answered(put_byte(B, I, V)) || I <- lists:seq(1, byte_size(B) - 1),
                                                                                   V <- bytes()])]).

%% Not those that are other nodes' identifiers, or atoms that would be made for good.
bytes() -> [0, 1, 2, 5, 97, 98, 70, 104, 105, 106, 107, 108, 109, 110, 116, 255].

put_byte(B, I, V) ->
    <<Before:I/binary, _, After/binary>> = B,
    <<Before/binary, V, After/binary>>.

refused(B) -> try binary_to_term(B, [safe]) of _ -> false catch error:badarg -> true end.

answered(B) -> try binary_to_term(B) catch error:R -> R end.

%% Names of so many bytes that differ in one place only: each is itself, again and again, in both encodings.
atoms(Bytes) ->
    Names = lists:usort([change(lists:duplicate(Bytes, $q), I, C) || I <- lists:seq(1, max(1, min(Bytes, 20))), C <- "rs\x{e4}"]),
    As = [list_to_atom(Name) || Name <- Names],
    Lists = lists:append(lists:duplicate(3, As)),
    io:format("atoms of ~b: ~p ~p~n", [Bytes, length(lists:usort(As)) =:= length(Names),
                                       [[binary_to_term(term_to_binary(T, O), S) =:= T || T <- [Lists, list_to_tuple(As)]] ||
                                           O <- [[], [{minor_version, 2}]], S <- [[], [safe]]]]),
    io:format("~p~n", [[list_to_existing_atom(Name) || Name <- Names] =:= As]).

change([], _, _) -> [];
change([_ | T], 1, C) -> [C | T];
change([H | T], I, C) -> [H | change(T, I - 1, C)].

%% Texts whose first and last bytes are the same.
alike() ->
    Texts = ["abcd", "abcdabcd", "abcdabcdabcd", "abcdabcdabcdabcd", "abcdabcdabcdabcdabcd", "aa", "aaa", "aaaa", "aaaaa",
             "aba", "abba", "a\0", "a\0\0", "\0", "\0\0", "\0a", "ab\0", "\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0\0"],
    io:format("~p~n", [[binary_to_term(term_to_binary(list_to_atom(T))) || T <- Texts ++ Texts]]),
    io:format("~p~n", [[atom_to_list(list_to_atom(T)) =:= T || T <- Texts]]).

%% None of these is made by being asked for, and later they are there.
unknown() ->
    Names = [lists:duplicate(N, $z) ++ "unknown" || N <- [1, 2, 5, 9, 10, 20]] ++ ["z\x{fc}unknown"],
    Forms = [fun(Name) -> <<131, 100, (length(Name)):16, (list_to_binary(Name))/binary>> end,
             fun(Name) -> U = unicode:characters_to_binary(Name), <<131, 119, (byte_size(U)), U/binary>> end,
             fun(Name) -> <<131, 108, 2:32, 97, 1, 115, (length(Name)), (list_to_binary(Name))/binary, 106>> end,
             fun(Name) -> <<131, 104, 2, 97, 1, 100, (length(Name)):16, (list_to_binary(Name))/binary>> end],
    Safe = fun() -> [[refused(F(Name)) || F <- Forms] || Name <- Names] end,
    io:format("~p~n", [Safe()]),
    io:format("~p~n", [Safe()]),
    [list_to_atom(Name) || Name <- Names],
    io:format("~p~n", [Safe()]).

%% More than is done at once, so it goes on where it was.
long() ->
    T = [{I, foo, "abc", <<"xyz">>, I / 3, [I, I bsl 20, I bsl 40 | x]} || I <- lists:seq(1, 20000)],
    io:format("~p~n", [[binary_to_term(B) =:= T || B <- forms(T)]]).
