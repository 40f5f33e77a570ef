-module(unicode_tests).
-include_lib("eunit/include/eunit.hrl").

text() -> "a\x{E9}\x{3BB}\x{20AC}\x{1F600}\x{10FFFF}\x{0}z".

%% There and back again, in every encoding.
round_trip_test_() ->
    [?_assertEqual(text(), unicode:characters_to_list(unicode:characters_to_binary(text(), unicode, E), E))
     || E <- [unicode, utf8, utf16, {utf16, little}, {utf16, big}, utf32, {utf32, little}, {utf32, big}]].

bytes_test_() ->
    [?_assertEqual(<<"é"/utf8>>, unicode:characters_to_binary([233])), ?_assertEqual(<<195, 169>>, <<"é"/utf8>>),
     ?_assertEqual(<<16#D8, 16#3D, 16#DE, 0>>, unicode:characters_to_binary([16#1F600], unicode, utf16)),
     ?_assertEqual(<<16#3D, 16#D8, 0, 16#DE>>, unicode:characters_to_binary([16#1F600], unicode, {utf16, little})),
     ?_assertEqual(<<233>>, unicode:characters_to_binary([233], unicode, latin1)),
     ?_assertEqual(<<"aé"/utf8>>, unicode:characters_to_binary(["a" | <<"é"/utf8>>])),
     ?_assertEqual(<<"aé"/utf8>>, unicode:characters_to_binary([<<"a">>, [<<195>>, <<169>>]])),
     ?_assertEqual(<<"é"/utf8>>, unicode:characters_to_binary(<<233>>, latin1))].

incomplete_test_() ->
    [?_assertEqual({incomplete, "a", <<195>>}, unicode:characters_to_list(<<"a", 195>>)),
     ?_assertEqual({incomplete, <<"a">>, <<226, 130>>}, unicode:characters_to_binary(<<"a", 226, 130>>)),
     ?_assertEqual({error, "a", [<<255, "b">>]}, unicode:characters_to_list([<<"a">>, <<255, "b">>])),
     ?_assertMatch({error, <<"ab">>, _}, unicode:characters_to_binary(["ab", 16#D800])),
     ?_assertMatch({error, <<>>, _}, unicode:characters_to_binary([16#110000])),
     ?_assertMatch({error, <<"a">>, _}, unicode:characters_to_binary("a\x{3BB}b", unicode, latin1)),
     ?_assertError(badarg, unicode:characters_to_list(atom)), ?_assertError(badarg, unicode:characters_to_list("a",
             ebcdic)),
     ?_assertMatch({error, _, _}, unicode:characters_to_list(<<16#C0, 16#80>>)),
     ?_assertMatch({error, _, _}, unicode:characters_to_list(<<16#ED, 16#A0, 16#80>>))].

bom_test_() ->
    [?_assertEqual({E, byte_size(unicode:encoding_to_bom(E))},
                   unicode:bom_to_encoding(<<(unicode:encoding_to_bom(E))/binary, "x">>))
     || E <- [utf8, {utf16, big}, {utf16, little}, {utf32, big}, {utf32, little}]] ++
    [?_assertEqual({latin1, 0}, unicode:bom_to_encoding(<<"abc">>))].

normal_forms_test_() ->
    Composed = [16#E9, 16#AC00, 16#1EA5], Decomposed = [$e, 16#301, 16#1100, 16#1161, $a, 16#302, 16#301],
    [?_assertEqual(Decomposed, unicode:characters_to_nfd_list(Composed)),
     ?_assertEqual(Composed, unicode:characters_to_nfc_list(Decomposed)),
     ?_assertEqual("fi", unicode:characters_to_nfkc_list([16#FB01])),
     ?_assertEqual([16#FB01], unicode:characters_to_nfc_list([16#FB01])),
     ?_assertEqual(unicode:characters_to_binary(Composed),
                   unicode:characters_to_nfc_binary(unicode:characters_to_binary(Decomposed)))].

%% Long texts are converted piece by piece: no piece is lost where one ends.
long_test_() ->
    Long = lists:flatten([text() || _ <- lists:seq(1, 20000)]),
    Binary = unicode:characters_to_binary(Long),
    [?_assertEqual(Long, unicode:characters_to_list(Binary)),
     ?_assertEqual(Binary, unicode:characters_to_binary([Binary])),
     ?_assertEqual(Binary, unicode:characters_to_binary([<<B>> || <<B>> <= Binary])),
     ?_assertEqual(Long, unicode:characters_to_list(unicode:characters_to_binary(Binary, utf8, utf16), utf16))].
