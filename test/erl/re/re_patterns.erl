%% Regular expressions: many patterns over many subjects, options, captures, errors with their texts and positions.
-module(re_patterns).
-export([main/0]).
-include("../bif/c.hrl").

main() ->
    [matrix(P) || P <- patterns()],
    [io:format("~0p: ~0p~n", [P, compiled(P, [])]) || P <- bad()],
    [io:format("~0p ~0p: ~0p~n", [P, O, compiled(P, O)]) || {P, O} <- with_options()],
    [c(re, run, Args) || Args <- runs()],
    [c(re, replace, Args) || Args <- replaces()],
    [c(re, split, Args) || Args <- splits()],
    {ok, Named} = re:compile("(?<b>x)(?<a>y)|(?<c>z)"),
    io:format("~0p ~0p~n", [re:inspect(Named, namelist), [re:run(S, Named, [{capture, [a, c], list}]) || S <- ["xy", "z"]]]),
    {ok, Any} = re:compile("a"),
    io:format("~0p~n", [[catch_error(fun() -> re:run("ba", Any, O) end)
                         || O <- [[], [caseless], [{newline, cr}], [anchored], [global], [{offset, 1}], [foo]]]]),
    io:format("~0p~n", [binary_to_term(term_to_binary(Any)) =:= Any]),
    latin1().

catch_error(F) -> try F() catch error:E -> E end.

compiled(P, O) ->
    try re:compile(P, O) of
        {ok, {re_pattern, A, B, C, _}} -> {A, B, C};
        Error -> Error
    catch error:E -> E
    end.

matrix(P) ->
    {ok, MP} = re:compile(P),
    R = [try re:run(S, MP, O) catch error:E -> E end
         || S <- subjects(), O <- [[], [{capture, all, list}], [global, {capture, all, binary}], [notempty], [{offset, 1}], [anchored]],
            S =/= "" orelse O =/= [{offset, 1}]],
    io:format("~0p: ~p~n~0p~n", [P, erlang:phash2(R), lists:sublist(R, 8)]).

subjects() ->
    ["", "a", "aaa", "abcabc", "foo bar baz", "2024-01-31", "x=1;y=22;z=333", "line1\nline2\nline3", "(nested (parens) here)",
     "\"quoted \\\" string\"", "UPPER lower", "aXbXc", "192.168.1.254", "user@example.com", "\t tabs \t", <<0, 1, 2, 255>>, "ababababab"].

patterns() ->
    ["a", "a*", "a+?", "(a)(b)?", "[a-c]+", "[^a-c]+", "\\d+", "(\\d+)-(\\d+)-(\\d+)", "(\\w+)=(\\d+)", "^line\\d$", "(?m)^line\\d$", "(?s)l.*3",
     "\\((?:[^()]|(?R))*\\)", "\"(?:[^\"\\\\]|\\\\.)*\"", "(?i)upper", "X?", "\\b\\w", "(?<=X)b", "b(?=X)", "(?!a).", "(?<n>[a-z])\\k<n>", "(a|ab)(c|bcd)*",
     "^(?:(\\d{1,3})\\.){3}(\\d{1,3})$", "\\s+", "\\S+@\\S+", ".", "(?>a+)b", "a++b", "(ab)+", "(?|(a)|(b))", "[[:alpha:]]+", "\\x61", "[\\d-z]+",
     "\\Aa", "c\\z", "(?:a|b)*?c", "\\R", "\\h+", "(x)?(y)?(z)?", "\\Qa*\\E", "(?#comment)a", "a(*ACCEPT)b", "^", "$", "(a)|b|(c)", "\\N", "\\K", "(?=(\\w+))"].

bad() ->
    ["(", "a)", "*a", "a**", "[a", "[z-a]", "a{2,1}", "(?<n", "(?P<1>a)", "\\", "(?z)", "[[:foo:]]", "(?<n>a)(?<n>b)", "\\x{110000}", "\\p{Foo}",
     "(?(1)a|b|c)", "(?#", "(?<=a*)", "\\1", "(a)\\2", "\\g{3}", "(?P=foo)", "\\k<n>", "(?1)", "(?&foo)", "\\c", "(*FOO)", "a{99999}", "\\L", "(?C256)",
     "[:alpha:]", "[[.a.]]", "(?R", "\\o{9}", "(?<>a)", "(?<a", "(?'a", "\\g", "\\k", "(?P", "(?Pa)", "(?-", "(?", "(?<", "(?<!a+)", "+", "?", "a|*",
     "(?:*)", "(?i*)", "\\p", "\\pQ", "[a-\\d]", "[]", "[]a", "[^]", "\\x{zz}", "(?<n>a)\\k{n", "(a", "((a)", "(a))", "(?(", "(?(a)b", "(?(<n>)a)",
     "(?(DEFINE)a|b)", "\\g{-1}", "\\u0041", "\\U", "\\l", a, [a], {a}, [256]].

with_options() ->
    [{"a", O} || O <- [[unicode], [{newline, crlf}], [{newline, any}], [{newline, lf}], [foo], foo, [{newline, foo}], [caseless | x],
                       [anchored, caseless, dollar_endonly, dotall, extended, firstline, multiline, ungreedy, no_start_optimize, ucp]]] ++
    [{[1024], []}, {[1024], [unicode]}, {<<255>>, [unicode]}, {<<"a", 0, "b">>, []}, {"(a)(b)", [no_auto_capture]}, {"(?<a>x)(?<a>y)", [dupnames]},
     {"a", [never_utf, unicode]}, {"(*UTF8)a", []}, {"(*UTF8)a", [never_utf]}, {"(*CRLF)a", []}, {"(*ANY)a", []}].

runs() ->
    S = "abc",
    [[S, "b", []], [S, "(x)?b(y)?(c)", []], [S, "b(y)?", []]] ++
    [[S, "b(y)?", [{capture, C}]] || C <- [all_but_first, [1, 2, 0], first, none, all_names, [], foo, [a | b], [1.5]]] ++
    [[S, "b(y)?", [{capture, [1, 2, 0], T}]] || T <- [list, binary, index, foo]] ++
    [[S, "(?<z>b)(?<y>c)", [{capture, C, binary}]] || C <- [all_names, [z, "y", q, <<"y">>, 1, 7]]] ++
    [[S, "b", [{offset, O}]] || O <- [0, 1, 2, 3, -1, a]] ++
    [[S, "^b", [{offset, 1}]], [S, "(", []], [S, "(", [report_errors]], [S, "(", [global, report_errors]], [S, foo, []], [foo, "a", []], [[256], "a", []],
     [[256], "a", [unicode]], [[$a, 1024, $b], [1024], [unicode, {capture, all, list}]], [[$a, 1024, $b], [1024], [unicode, {capture, all, binary}]],
     [[$a, 1024, $b], [1024], [unicode]], [<<$a, 255>>, <<"a">>, [unicode]], [<<$a, 255>>, <<"a">>, [unicode, report_errors]],
     [[$a, 1024, 1025, $b], "[^a-z]", [unicode, global, {capture, all, list}]], [<<"\x{e9}t\x{e9}"/utf8>>, <<".">>, [unicode, global]],
     ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "(a+)+$", [report_errors, {match_limit, 1000}]],
     ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "(a+)+$", [{match_limit, 1000}]],
     ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "(a+)+$", [report_errors, {match_limit_recursion, 10}]], ["a", "a", [{match_limit, -1}]],
     ["a\nb", "^b", [multiline]], ["a\r\nb", "a$", [multiline, {newline, crlf}]], ["a\rb", "a$", [multiline, {newline, cr}]], ["", "", [notempty]],
     ["a", "^a", [notbol]], ["a", "a$", [noteol]], ["ab", "", [notempty_atstart]], [["a", <<"b">>, [$c]], "bc", []], [["a" | b], "bc", []],
     [["a" | <<"bc">>], "bc", []], ["abc", ["b", <<"c">>], []], ["ab", " b ", [extended]], ["aB", "b", [caseless]], [<<1:3>>, "a", []],
     [binary:copy(<<"ab">>, 5000), "b$", []], [binary:copy(<<"ab">>, 5000), "(?:ab)*", [{capture, first, binary}]]].

replaces() ->
    [["abcd", "c", "[&]", []], ["abcd", "c", "[&]", [{return, list}]], ["abcd", "[bd]", "\\0\\0", [global, {return, list}]],
     ["abcd", "(b)(c)", "\\2\\1\\g3\\g{1}", [{return, binary}]], ["abcd", "x", "y", [{return, list}]], ["aaa", "a*?", "-", [global, {return, list}]],
     ["a.b.c", "\\.", "", [global, {return, binary}]], [[1024, $a], "a", [1025], [unicode, {return, list}]], ["abc", "b", "\\&", [{return, list}]],
     ["abc", "(", "x", []]].

splits() ->
    [["a,b,,c", ",", []], ["a,b,,c", ",", [{return, list}]], ["a,b,,c,,", ",", [trim, {return, list}]], ["abc", "", [{return, list}]],
     ["a1b22c", "\\d+", [{return, binary}, {parts, 2}]], ["a1b22c", "(\\d)", [{return, list}]], ["a1b22c", "(\\d)", [group, {return, list}]],
     ["", ",", [{return, list}]], [[1024, $,, 1025], ",", [unicode, {return, list}]]].

%% In Latin-1: which characters are of which class, and which are cases of one another.
latin1() ->
    [io:format("~s ~w~n", [C, [X || X <- lists:seq(0, 255), re:run([X], C, [{capture, none}]) =:= match]])
     || C <- ["\\w", "\\s", "\\d", "\\h", "\\v", "[[:alpha:]]", "[[:upper:]]", "[[:lower:]]", "[[:punct:]]", "[[:graph:]]", "[[:print:]]",
              "[[:cntrl:]]", "[[:space:]]", "[[:blank:]]", "[[:alnum:]]", "[[:xdigit:]]"]],
    io:format("~w~n", [[{A, B} || A <- lists:seq(128, 255), B <- lists:seq(128, 255), A =/= B,
                                  re:run([A], [$\\, B], [caseless, {capture, none}]) =:= match]]).
