%% Natives of module unicode, their rests and errors.
-module(bif_unicode).
-export([main/0]).
-include("../t.hrl").

main() ->
    B = <<16#c3, 16#a9>>, F = <<255>>, I = <<226, 130>>,
    Data = [[], B, [B], [233], [16#20ac], [16#d800], [-1], [16#110000], [a], a, [B | B], [<<16#c3>>], [<<16#c3>>, <<16#a9>>],
        [<<16#c3>>, <<16#a9>>, "x"], [<<16#c3>>, "x"], [<<16#c3>>, []], [F], [$a, F, $b], ["ab", [<<"c">>, I | <<16#ac>>]], <<1:3>>,
        [<<1:3>>], [I], ["a", 16#d800, "b"], [[["x"]], <<"y", 16#ff, "z">>, "tail"], [1 | 2], ["abc", a],
        [[["x", <<16#e2>>], <<16#82>>], <<16#ac, "w">>], F, [[F]], [[[F]]], [[1, F, 2], 3], [[F], 3], [[[F], 4], 5], [1 | F],
        [[1 | F], 2], [[16#d800], 1], [[1, 16#d800 | F], 2], [[1, 16#d800, 3 | F], 2], [[1, [16#d800]]],
        [[[1, [16#d800], 4], 5], 6], [I, "x"], [[I], "x"], [[[I], "x"], "y"], [I, F], [[I], F], [I | F], [[I | F]], [I, [F, "q"]],
        [I, [[F, "q"], "r"], "s"], [[[I], [[F, "q"], "r"]], "s"], [[I, []], [], "x"], [I, 16#d800], [I, [16#d800]],
        [[I, 5], 6], [[I], [5]], [[[I]]], [I, []], [I | <<>>], [<<226>>, <<130>>], [[<<226>>], [<<130>>]],
        [<<226>>, <<130>>, "x"], [<<226>>, <<130>>, F], [<<226>>, [<<130>> | <<"x">>]], <<"ab", 255, "cd">>,
        [<<"ab", 255, "cd">>], [[<<"ab", 255, "cd">>], 1], <<"ab", 226, 130>>, [<<"ab", 226, 130>>], [<<"ab", 226, 130>>, 1], [[]],
        <<>>, [<<>> | <<>>], [<<226>>, <<130, 255>>], [<<226>>, <<130, 172, 255>>], [1 bsl 70], [1, F], [1, [F]],
        [<<226>>, <<130>>, <<172, 255>>], [[<<226>>], <<130, "x">>], [16#fffe], [16#ffff], [<<16#ed, 16#a0, 16#80>>],
        [<<16#ed>>, <<16#a0>>], [<<16#c0, 16#80>>], [<<16#c1>>], [<<16#f4, 16#90>>], [<<16#e0, 16#80>>], [<<16#f5>>],
        [<<16#f4, 16#8f, 16#bf, 16#bf>>], [<<"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 16#c3, 16#a9, "bbbbbbbbbbbbbbbbb">>]],
    [t({Fun, X, E}, fun() -> unicode:Fun(X, E) end) || Fun <- [characters_to_list, characters_to_binary],
        E <- [utf8, latin1, unicode], X <- Data],
    [t({Fun, E}, fun() -> unicode:Fun(X, E) end) || Fun <- [characters_to_list, characters_to_binary],
        {X, E} <- [{"a", utf16}, {"a", foo}, {<<0, 97>>, {utf16, big}}, {<<97, 0>>, {utf16, little}}, {<<97, 0, 0, 0>>, {utf32, little}},
                   {<<0, 97, 16#d8>>, utf16}]],
    [t({out, O}, fun() -> unicode:characters_to_binary([233, 16#20ac, 16#1f600], unicode, O) end)
        || O <- [utf8, utf16, {utf16, little}, utf32, {utf32, little}, latin1, foo]],
    t(latin1_ok, fun() -> unicode:characters_to_binary([$a, 233], unicode, latin1) end),
    [t({bin_is_7bit, X}, fun() -> unicode:bin_is_7bit(X) end) || X <- [<<"abc">>, <<"ab", 128>>, a, <<1:3>>, <<>>, "a"]],
    Long = [[N rem 3000 + 32, <<"héé"/utf8>>] || N <- lists:seq(1, 50000)],
    t(long, fun() -> L = unicode:characters_to_list(Long), X = unicode:characters_to_binary(Long),
        {length(L), byte_size(X), erlang:md5(X), unicode:characters_to_binary(L) =:= X, unicode:characters_to_list(X) =:= L} end),
    t(long_error, fun() -> {error, L, R} = unicode:characters_to_list([Long, [1, <<"abc", 255>>], 5]), {length(L), R} end),
    t(long_latin1, fun() -> X = unicode:characters_to_binary(binary:copy(<<"\351t\351">>, 100000), latin1), {byte_size(X), erlang:md5(X)} end),
    t(normal, fun() -> [unicode:characters_to_nfc_list("e\x{301}"), unicode:characters_to_nfd_binary([233])] end).
