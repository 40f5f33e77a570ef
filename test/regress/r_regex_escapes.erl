%% What PCRE 8 takes and PCRE2 refuses: backslashes before letters that mean nothing, groups nested deeply. Where an
%% error stands is counted in the pattern as it was given.
-module(r_regex_escapes).
-export([main/0]).

main() ->
    [io:format("~p ~p~n", [Pattern, tell(fun() -> re:compile(Pattern) end)]) || Pattern <- patterns()],
    [io:format("~c ~p~n", [C, letter(C)]) || C <- lists:seq($A, $Z) ++ lists:seq($a, $z)],
    [io:format("control ~b ~p~n", [X, control(X)]) || X <- [0, 10, 31, $A, $?, 126, 127, 128, 255]],
    [io:format("~s ~b ~p~n", [Group, N, tell(fun() -> re:compile(nested(N, Group)) end)])
     || {Group, Ns} <- [{"(", [250, 251, 798, 799, 4000]}, {"(a|", [251, 798, 799]}, {"(?:", [251, 500]},
                        {"(?=", [251, 400]}, {"(?>", [300]}], N <- Ns].

patterns() ->
    ["ab\\idef\\j(", "[\\i]", "\\x{2z}", "[\\R]", "a\\", "[\\B]", "\\E\\y", "\\Q\\y\\E\\m)", "\\400", "[\\400]",
     "\\K\\G\\i\\N{", "[^\\i-\\y]", "[\\y-\\i]", "\\i*(", "\\i(?<n", "[\\d-z](", "(*UTF8)(", "[\\d-z]\\i[\\d-x]\\y)",
     "\\i{2,1}", "(?x) \\i \\ # \\j (", "\\F\\i)"].

letter(C) ->
    [tell(fun() -> re:run(Subject, Pattern, [{capture, first}]) end)
     || {Subject, Pattern} <- [{[C, C, $x], [$\\, C, $+, $x]}, {[C, C, $x], [$[, $\\, C, $], $+, $x]},
                               {[C], [$[, $\\, C, $-, $z, $], $+]}]].

%% What stands behind \c, alone and in a class.
control(X) ->
    [tell(fun() -> re:run([X bxor 64, X bxor 64, $x], [Before, $\\, $c, X | After], [{capture, first}]) end)
     || {Before, After} <- [{[], "+x"}, {[$[], "]+"}, {"\\i", "("}]].

nested(N, Group) -> [lists:duplicate(N, Group), lists:duplicate(N, $))].

tell(Fun) ->
    try Fun() of
        {ok, _} -> ok;
        Other -> Other
    catch error:Reason -> Reason
    end.
