-module(re_tests).
-include_lib("eunit/include/eunit.hrl").

runs_test_() ->
    [?_assertEqual(Expected, re:run(Subject, Pattern, Options)) || {Subject, Pattern, Options, Expected} <-
        [{"abc", "b", [], {match, [{1, 1}]}}, {"abc", "x", [], nomatch}, {"aXb", "x", [caseless], {match, [{1, 1}]}},
         {"abcabc", "b(c)", [global], {match, [[{1, 2}, {2, 1}], [{4, 2}, {5, 1}]]}},
         {"key=value", "(?<k>\\w+)=(?<v>\\w+)", [{capture, [v, k], list}], {match, ["value", "key"]}},
         {"ab", "(a)|(b)", [global, {capture, all, binary}], {match, [[<<"a">>, <<"a">>], [<<"b">>, <<>>, <<"b">>]]}},
         {"λx", "x", [unicode], {match, [{2, 1}]}}, {"λx", ".", [unicode, {capture, first, list}], {match, ["λ"]}},
         {"a\nb", "^b", [multiline], {match, [{2, 1}]}}, {"a\nb", "a.b", [dotall], {match, [{0, 3}]}},
             {"a\nb", "a.b", [], nomatch},
         {"aaa", "a+?", [{capture, first, list}], {match, ["a"]}}, {"aaa", "a", [{offset, 2}], {match, [{2, 1}]}},
             {"abc", "b", [anchored], nomatch},
         {"foobar", "foo(?=bar)", [], {match, [{0, 3}]}}, {"abab", "(ab)\\1", [{capture, all_but_first, list}],
                                                           {match, ["ab"]}},
         {"x", "(a)?x", [{capture, all, list}], {match, ["x"]}}, {"", "^$", [], {match, [{0, 0}]}},
             {"abc", "B", [{capture, none}, caseless], match}]].

replace_test_() ->
    [?_assertEqual("axc", re:replace("abc", "b", "x", [{return, list}])), ?_assertEqual(<<"xbxb">>,
            re:replace("abab", "a", "x", [global, {return, binary}])),
     ?_assertEqual("[b][a]", re:replace("ab", "(a)(b)", "[\\2][\\1]", [{return, list}])), ?_assertEqual("a&c",
             re:replace("abc", "b", "\\&", [{return, list}])),
     ?_assertEqual("a<b>c", re:replace("abc", "b", "<&>", [{return, list}])), ?_assertEqual("aλc", re:replace("abc",
             "b", "λ", [unicode, {return, list}]))].

split_test_() ->
    [?_assertEqual(["a", "b", "c"], re:split("a,b;c", "[,;]", [{return, list}])), ?_assertEqual([<<"a">>, <<",">>,
            <<"b">>], re:split("a,b", "(,)")),
     ?_assertEqual(["a", "b,c"], re:split("a,b,c", ",", [{parts, 2}, {return, list}])), ?_assertEqual(["a", "b"],
             re:split("a,b,,", ",", [trim, {return, list}])),
     ?_assertEqual(["a", "b"], re:split("ab", "", [trim, {return, list}]))].

compiled_test() ->
    {ok, P} = re:compile("(\\d+)-(\\d+)"),
    Self = self(),
    [spawn_link(fun() -> Self ! re:run(integer_to_list(N) ++ "-7", P, [{capture, [1], list}]) end)
     || N <- lists:seq(1, 50)],
    Got = lists:sort([receive {match, [L]} -> list_to_integer(L) end || _ <- lists:seq(1, 50)]),
    ?assertEqual(lists:seq(1, 50), Got),
    {namelist, Names} = re:inspect(element(2, re:compile("(?<a>.)(?<b>.)")), namelist),
    ?assertEqual([<<"a">>, <<"b">>], Names).

errors_test_() ->
    [?_assertMatch({error, {_, 1}}, re:compile("(")), ?_assertMatch({error, {_, _}}, re:compile("[a")),
     ?_assertError(badarg, re:run("a", "(")),
     ?_assertError(badarg, re:run(a, "a")), ?_assertError(badarg, re:run("a", "a", [no_such_option])),
         ?_assertError(badarg, re:replace("a", "a", x))].

%% Matching that would go on for ever has an end.
limits_test_() ->
    Slow = lists:duplicate(40, $a) ++ "b",
    [?_assertEqual({error, match_limit}, re:run(Slow, "^(a+)+$", [report_errors, {match_limit, 1000}])),
     ?_assertEqual(nomatch, re:run(Slow, "^(a+)+$", [{match_limit, 1000}])),
     ?_assertEqual({match, [{0, 100000}]}, re:run(binary:copy(<<"ab">>, 50000), "^(?:ab)*$")),
     %% Longer than EUnit's five seconds on a busy machine, in a build that looks for races.
     {timeout, 100, ?_assertEqual(50001, length(re:split(binary:copy(<<"ab">>, 50000), "b")))}].
