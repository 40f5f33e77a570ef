%% Text: formatted output and input, regular expressions, strings, Unicode.
-module(stdlib_text).
-export([main/0]).
-include("../t.hrl").

f(Format, Args) -> lists:flatten(io_lib:format(Format, Args)).

main() ->
    t(formats, fun formats/0),
    t(pretty, fun pretty/0),
    t(columns, fun columns/0),
    t(floats, fun floats/0),
    t(bad_formats, fun bad_formats/0),
    t(fread, fun fread/0),
    t(limited, fun() -> io_lib:format("~P ~W", [lists:seq(1, 100), 10, {a, {b, {c, {d}}}}, 4], [{chars_limit, 60}]) end),
    t(re_run, fun re_run/0),
    t(re_replace, fun re_replace/0),
    t(re_split, fun re_split/0),
    t(re_errors, fun re_errors/0),
    t(strings, fun strings/0),
    t(graphemes, fun graphemes/0),
    t(unicode, fun unicode_forms/0),
    t(casing, fun() -> [string:uppercase("stra\x{df}e"), string:titlecase(<<"\x{1c6}"/utf8>>),
                        string:casefold("\x{130}x"), string:lowercase("\x{3a3}A")] end),
    t(old_strings, fun old_strings/0),
    t(base64, fun base64_forms/0),
    t(uri, fun uris/0).

formats() ->
    [f("~p ~w ~s ~ts ~c~n", [{a, "b"}, "b", "text", [955], $x]), f("~10s|~-10s|~.3s|~10.3.*s", ["abc", "abc", "abcdef", $_, "abcdef"]),
     f("~b ~B ~.16b ~.36B ~#~n" -- "~n", [10, -10, 255, 123456]), f("~.16x ~.16X ~.8#", [255, "0x", 255, "0x", 64]),
     f("~e ~f ~g ~.3e ~.2f ~12.4f", [1.5, 2.25, 1.0e10, 12345.678, 2.005, 3.14159]), f("~i~w", [skipped, shown]),
     f("~5w|~-5w|~5c|~*c", [abcdefg, ab, $x, 3, $y]), f("~~ ~p", [<<"bin">>]), f("~tp ~tw", ["\x{3bb}", 'a\x{3bb}']),
     f("~lp ~lw", ["abc", "abc"]), f("~0p", [lists:seq(1, 60)]), f("~999p", [#{b => 1, a => [x, {y}]}])].

pretty() ->
    Data = {server, [{name, "a longer name of a thing"}, {items, lists:seq(1, 40)}, {map, #{key => <<"value">>, other => [a, b]}}]},
    io:format("~p~n~60p~n~20p~n", [Data, Data, Data]),
    io:format("~p~n", [[list_to_atom("atom number " ++ integer_to_list(N)) || N <- lists:seq(1, 20)]]),
    io:format("~p~n~p~n", [<<"\x00\x01binary">>, <<1:3, 255, 7:5>>]),
    io:format("~p ~p ~p~n", ["quo\"te\n", 'it\'s', "\x{e9}"]),
    io_lib_pretty:print({point, 1, {nested, [2, 3]}}, fun(point, 2) -> [x, y]; (_, _) -> no end).

columns() ->
    io:format("~s~n", [[$- || _ <- lists:seq(1, 20)]]),
    [io:format("~-8s~6b~8.2f~n", [N, L, L / 3]) || {N, L} <- [{"one", 1}, {"seventeen", 17}, {"x", -100}]],
    ok.

floats() ->
    [f("~p", [F]) || F <- [0.1, 1.0, 1.0e22, 1.0e21, 123456789.125, 1.0e-5, 0.0001, 5.0e-324, 1.7976931348623157e308, -0.0, 1 / 3]]
        ++ [float_to_list(F, [{decimals, D}, compact]) || F <- [1.0, 0.125, 1.0e20], D <- [0, 2, 10]]
        ++ [float_to_list(2.5, [{scientific, 3}]), float_to_binary(7.1, [short])].

bad_formats() ->
    [try io_lib:format(F, A) catch C:E -> {C, E} end
     || {F, A} <- [{"~p", []}, {"~q", [1]}, {"~s", [1]}, {"~b", [a]}, {"~", []}, {"x", [1]}, {"~f", [a]}, {"~c", ["a"]}]].

fread() ->
    [io_lib:fread("~d ~s ~f", "12 abc 1.5 rest"), io_lib:fread("~a:~c", "atom:xyz"), io_lib:fread("~u~-", "12-"),
     io_lib:fread("~d", "abc"), io_lib:fread("~16u ~#", "ff 16#1f"), io_lib:fread("~3s~*d~l", "abcdef 12")].

re_run() ->
    [re:run("hello world", "o", [global]), re:run("hello", "l+", [{capture, all, list}]),
     re:run("key=value", "(?<k>\\w+)=(?<v>\\w+)", [{capture, [k, v], binary}]), re:run("abc", "x"),
     re:run("ABC", "b", [caseless, {capture, first, list}]), re:run("a\nb", "^b$", [multiline]),
     re:run("\x{e5}\x{e4}\x{f6}", "\x{e4}", [unicode]), re:run("aaa", "a*?", [global]), re:run("abcabc", "(a)(x)?", [global]),
     re:run("line1\r\nline2", ".+", [{newline, crlf}, global, {capture, all, list}]), re:run("abc", "", [global]),
     re:run("foobar", "foo(?=bar)", [{capture, all, index}]), re:run("xay", "a", [{offset, 2}]), re:run("aXb", "X", [notempty, anchored]),
     begin {ok, P} = re:compile("(\\d+)-(\\d+)"), re:run(<<"10-20 30-40">>, P, [global, {capture, all_but_first, binary}]) end].

re_replace() ->
    [re:replace("abcd", "c", "[&]", [{return, list}]), re:replace("abcd", "(b)(c)", "\\2\\1\\g{1}", [{return, binary}]),
     re:replace("aaa", "a", "b", [global, {return, list}]), re:replace("x y", "\\s", <<>>, [{return, list}]),
     re:replace("h\x{e9}", ".", "\x{3bb}", [unicode, global, {return, list}]), iolist_to_binary(re:replace("abc", "b", "\\\\")),
     re:replace("hello", "(x)?", "<\\1>", [global, {return, list}])].

re_split() ->
    [re:split("a,b;c", "[,;]", [{return, list}]), re:split("a1b2c", "(\\d)", [{return, binary}]),
     re:split("abc", "", [{return, list}]), re:split("a b  c ", " ", [trim, {return, list}]), re:split("a,b,c", ",", [{parts, 2}]),
     re:split("a,b", "(,)|(;)", [group, {return, list}])].

re_errors() ->
    [re:compile("("), re:compile("a**"), re:compile("[z-a]"), re:run("a", "a{1001", []),
     try re:run("a", "(") catch C:E -> {C, E} end, try re:run("a", "a", [no_option]) catch C1:E1 -> {C1, E1} end].

strings() ->
    S = "  the quick,brown fox  ",
    [string:trim(S), string:trim(S, leading), string:split(S, " ", all), string:lexemes(S, " ,"), string:find(S, "quick"),
     string:replace(S, "o", "0", all), string:pad("ab", 5, both, $*), string:slice("hello", 1, 3), string:length("a\x{301}b"),
     string:equal("A", "a", true), string:prefix("prefix-x", "prefix-"), string:reverse("abc"), string:take("aabbcc", "ab"),
     string:chomp("line\r\n"), string:to_integer("12abc"), string:to_float("1.5e3x"), string:is_empty(<<>>),
     string:nth_lexeme("a b c", 2, " "), string:concat("a", "b"), string:to_graphemes("e\x{301}x")].

graphemes() ->
    Family = [16#1F468, 16#200D, 16#1F469, 16#200D, 16#1F467],
    [string:length(Family), string:length("\r\n"), string:next_grapheme(Family ++ "x"), string:reverse([$a, 16#308, $b]),
     string:length([16#1100, 16#1161]), string:to_graphemes(<<"\x{1F1E9}\x{1F1EA}\x{1F1EB}"/utf8>>)].

unicode_forms() ->
    Text = [$a, 16#e9, 16#3bb, 16#1F600, $e, 16#301],
    [unicode:characters_to_binary(Text), unicode:characters_to_list(unicode:characters_to_binary(Text, utf8, utf16), utf16) =:= Text,
     unicode:characters_to_binary(Text, unicode, latin1), unicode:characters_to_nfc_list(Text), unicode:characters_to_nfd_binary(Text),
     unicode:characters_to_nfkc_list([16#FB01]), unicode:characters_to_list(<<"a", 16#ff, "b">>), unicode:characters_to_list(<<"ab", 16#e2, 16#82>>),
     unicode:bom_to_encoding(<<16#EF, 16#BB, 16#BF>>), unicode:encoding_to_bom({utf16, little})].

old_strings() ->
    [string:tokens("a b,c", " ,"), string:join(["a", "b"], ", "), string:str("hello", "l"), string:rstr("hello", "l"), string:substr("hello", 2, 3),
     string:strip("..a..", both, $.), string:words("a b c"), string:sub_word("a b c", 2), string:left("ab", 4), string:right("ab", 4, $-),
     string:centre("ab", 6), string:to_upper("aB\x{e9}"), string:span("aabc", "ab"), string:chr("abc", $c), string:copies("ab", 3)].

base64_forms() ->
    Data = list_to_binary(lists:seq(0, 255)),
    [base64:encode("any carnal pleas"), base64:decode("YW55IGNhcm5hbCBwbGVhcw=="), base64:decode(base64:encode(Data)) =:= Data,
     base64:mime_decode("YW55\r\n*IGNh"), base64:encode_to_string(<<1, 2>>), try base64:decode("a") catch C:_ -> C end].

uris() ->
    [uri_string:parse("https://user@host:8080/path/a%20b?q=1&r=2#frag"), uri_string:normalize("HTTP://EXAMPLE.com/a/../b"),
     uri_string:compose_query([{"a b", "1&2"}, {"c", true}]), uri_string:dissect_query("a+b=1%262&c"),
     uri_string:resolve("../x", "http://h/a/b/c"), uri_string:percent_decode(<<"a%20b">>), uri_string:parse("//:bad:")].
