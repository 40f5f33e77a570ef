%% What re refuses, where and with what error information: values to capture that are none, limits and offsets that do not
%% fit, text that is bad before the offset, data that is no text; and captures that are parts of characters.
-module(r_re_refused).
-export([main/0]).

main() ->
    [io:format("~0p~n", [{Values, Type, Subject, tell(fun() -> re:run(Subject, Pattern, [{capture, Values, Type} | Options]) end)}])
     || Values <- values(), Type <- [index, list, binary, other],
        {Pattern, Subject, Options} <- [{"(?<n>a)(b)?", "xac", []}, {"(?<n>a)(b)?", "y", []}, {"(?<n>a)(b)?", "xac", [global]},
                                        {"(?<n>a)(b)?", [300, $a], [unicode]}]],
    [io:format("~0p~n", [{Option, V, tell(fun() -> re:run("abc", "b", [{Option, V}]) end)}])
     || Option <- [offset, match_limit, match_limit_recursion],
        V <- [3, -1, x, 1 bsl 31, (1 bsl 32) - 1, 1 bsl 59, (1 bsl 60) - 1, 1 bsl 70], not (Option =:= offset andalso V > 3 andalso V < 1 bsl 59)],
    [io:format("~0p~n", [{Text, Offset, tell(fun() -> re:run(Text, pattern(P), [{offset, Offset} | More]) end)}])
     || Text <- [<<255, "abc">>, <<"x", 255, "abc">>, <<"ab", 195, 164, "c">>, <<"abc", 195>>, <<"x", 237, 160, 128, "abc">>],
        P <- ["abc", "(?<=x)abc", ""], Offset <- [0, 1, 2, 3, 4], More <- [[], [global]]],
    [io:format("~0p~n", [{Subject, P, Options, tell(fun() -> re:run(Subject, P, Options) end)}])
     || Subject <- [none, "x", <<1:1>>, [300]], P <- [{}, none, "(", <<1:1>>, {re_pattern, 0, 1, 0, <<"xxx">>}],
        Options <- [[unicode], [global], [caseless], [report_errors, unicode], [global, {capture, none_such}],
                    [unicode, {capture, none_such}]]],
    [io:format("~0p~n", [{Way, tell(fun() -> re:internal_run("x", "x", [], Way) end)}]) || Way <- [true, other]],
    [io:format("~0p~n", [{P, Options, tell(fun() -> re:run(Subject, P, [unicode | Options]) end)}])
     || Subject <- [<<"xäy"/utf8>>, [16#4d2, 16#10000]], P <- [<<"x(\\C)">>, <<"(\\C)(\\C*)">>, <<"x\\C\\K.">>, <<"(">>],
        Options <- [[{capture, all, list}], [{capture, all, binary}], [{capture, all, list}, global], [{capture, none_such, list}, global],
                    [{capture, none_such, list}]]],
    [io:format("~0p~n", [tell(fun() -> re:compile(P, Options) end)]) || P <- [none, <<1:1>>], Options <- [[], [unicode]]],
    [io:format("~s ~0p~n", [P, re:compile(P)])
     || P <- ["(?C", "a(?C", "(?Cx)", "(?C1", "(?C300)", "(?+", "(?+1", "(?-1", "(?-12", "\\g{", "x\\g{}", "\\o{", "a\\o{", "(\\\\g{",
              "(\\(?C", "(a\\(?+", "(?(1)a|b|c)", "[(?C", "a**(?C", "[(?+", "b{2,1}\\g{"]],
    %% However often a pattern was used, its steps are the same.
    [io:format("~0p~n", [{P, Limit, [tell(fun() -> re:run("aaaaaaab", P, [{match_limit, Limit}, report_errors, {capture, none}]) end)
                                     || _ <- lists:seq(1, 6)]}])
     || P <- ["(a+)+[cd]", "a*b"], Limit <- [3, 20]],
    [io:format("~0p~n", [damaged(At, Byte)]) || {At, Byte} <- [{11, 16#40}, {10, 16#80}, {12, 255}, {13, 255}, {14, 1}, {15, 1}, {0, 0}]].

values() ->
    [[-1], [0], [65536], [(1 bsl 31) - 1], [1 bsl 31], [1 bsl 32], [1 bsl 59], [-(1 bsl 70)], [1.0], [{}], [[]], [''], [<<>>],
     ["n"], [<<"n">>], [n], ["zz"], [[300]], [[a]], [["n"]], [["n" | a]], [<<1:3>>], [fun erlang:self/0],
     [lists:duplicate(300, $a)], none_such, [0 | a], {0}, "n", [n, n, 0, 0], [-2, 0]].

pattern(P) -> element(2, re:compile(P, [unicode])).

%% A description of a pattern with other options than anyone can ask for, on viv. (On stock it is code.)
damaged(At, Byte) ->
    {ok, {re_pattern, C, U, L, Code}} = re:compile("a", [unicode]),
    case Code of
        <<"VIVRE", _/binary>> ->
            <<Before:At/binary, _, After/binary>> = Code,
            tell(fun() -> re:run(<<"xa">>, {re_pattern, C, U, L, <<Before/binary, Byte, After/binary>>}) end);
        _ -> {error, badarg, re, run, 2, #{module => erl_stdlib_errors}}
    end.

tell(Fun) ->
    try Fun()
    catch Class:Reason:Stack ->
        {M, F, A, Info} = hd(Stack),
        Arity = if is_list(A) -> length(A); true -> A end,
        {Class, Reason, M, F, Arity, proplists:get_value(error_info, Info)}
    end.
