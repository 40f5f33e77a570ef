-module(string_tests).
-include_lib("eunit/include/eunit.hrl").

%% Lists and binaries behave alike.
both_test_() ->
    [{lists:flatten(io_lib:format("~p", [Args])), fun() ->
        ?assertEqual(plain(Result), plain(apply(string, F, Args))),
        ?assertEqual(plain(Result), plain(apply(string, F, [binary(hd(Args)) | tl(Args)]))) end}
     || {F, Args, Result} <- cases()].

binary([_ | _] = S) -> case io_lib:char_list(S) of true -> unicode:characters_to_binary(S); false -> S end;
binary(X) -> X.

plain(B) when is_binary(B) -> unicode:characters_to_list(B);
plain([]) -> [];
plain([C | L]) when is_integer(C) -> [C | plain(L)];
plain(L) when is_list(L) -> [plain(X) || X <- L];
plain(T) when is_tuple(T) -> list_to_tuple([plain(X) || X <- tuple_to_list(T)]);
plain(X) -> X.

cases() ->
    [{length, ["aé€"], 3}, {length, ["e\x{301}"], 1}, {uppercase, ["aßé"], "ASSÉ"}, {lowercase, ["AÉΛ"], "aéλ"},
     {titlecase, ["ǆa"], "ǅa"},
     {casefold, ["ẞÉ"], "ssé"}, {reverse, ["abc"], "cba"}, {slice, ["abcdef", 2, 3], "cde"}, {slice, ["abc", 5], ""},
     {trim, ["  a b \n"], "a b"}, {trim, ["xxaxx", leading, "x"], "axx"}, {trim, ["xxaxx", trailing, "x"], "xxa"},
     {pad, ["a", 3], ["a", 32, 32]}, {find, ["abcabc", "bc"], "bcabc"}, {find, ["abcabc", "bc", trailing], "bc"},
         {find, ["abc", "x"], nomatch},
     {split, ["a,b,c", ","], ["a", "b,c"]}, {split, ["a,b,c", ",", all], ["a", "b", "c"]},
         {split, ["a,b,c", ",", trailing], ["a,b", "c"]},
     {lexemes, ["a b,c", " ,"], ["a", "b", "c"]}, {nth_lexeme, ["a.b.c", 2, "."], "b"}, {prefix, ["abcd", "ab"],
             "cd"}, {prefix, ["abcd", "x"], nomatch},
     {equal, ["abc", "abc"], true}, {equal, ["ABC", "abc", true], true}, {equal, ["é", "e\x{301}", false, nfc], true},
     {take, ["abc123", "abc"], {"abc", "123"}}, {is_empty, ["a"], false}, {to_integer, ["12x"], {12, "x"}},
         {to_float, ["1.5e3x"], {1.5e3, "x"}},
     {replace, ["a-b-c", "-", "+", all], ["a", "+", "b", "+", "c"]}].

old_test_() ->
    [?_assertEqual(["a", "b"], string:tokens("a b", " ")), ?_assertEqual("  a  ", string:centre("a", 5)),
     ?_assertEqual(3, string:str("abcabc", "ca")),
     ?_assertEqual(5, string:rstr("abcabc", "bc")), ?_assertEqual("aXb", string:join(["a", "b"], "X")),
         ?_assertEqual("ababab", string:copies("ab", 3)),
     ?_assertEqual(2, string:words("a b")), ?_assertEqual("abc  ", string:left("abc", 5)), ?_assertEqual("bcd",
             string:sub_string("abcde", 2, 4))].

errors_test_() ->
    [?_assertEqual({error, no_integer}, string:to_integer("x")), ?_assertEqual({error, badarg}, string:to_integer(x)),
     ?_assertEqual({error, no_float}, string:to_float("1")), ?_assertError(_, string:length(x)), ?_assertError(_,
             string:slice("abc", -1))].

graphemes_test_() ->
    Family = [16#1F468, 16#200D, 16#1F469, 16#200D, 16#1F467],
    [?_assertEqual(1, string:length(Family)), ?_assertEqual([Family, $a], string:to_graphemes(Family ++ "a")),
     ?_assertEqual([$a | "b"], string:next_grapheme("ab")), ?_assertEqual([[$\r, $\n]], string:to_graphemes("\r\n")),
     ?_assertEqual(Family, lists:flatten(string:reverse(string:reverse(Family)))),
     ?_assertEqual([$a, 16#301], string:next_codepoint([$a, 16#301]))].

long_test() ->
    Text = lists:flatten(lists:join(",", [integer_to_list(N) || N <- lists:seq(1, 20000)])),
    ?assertEqual(20000, length(string:split(Text, ",", all))),
    ?assertEqual(length(Text), string:length(unicode:characters_to_binary(Text))).
