%% Conditions of groups as the stock runtime's regular expressions read them: (?(VERSION>=8)a) is none, (?(R1)a) may
%% name a group that is not there, and what is wrong is told by its place. And options that are given twice: the bits
%% of both count, which may be another option, or none.
-module(r_regex_conditions).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none), % what nobody catches is logged
    [io:format("~s: ~p~n", [P, compiled(P, [])]) || P <- patterns()],
    Newlines = [cr, lf, crlf, any, anycrlf],
    Lines = fun(Options) -> seen(fun() -> run("^.", [multiline, global | Options]) end) end,
    [io:format("~p ~p: ~p~n", [A, B, {compiled("^.", Twice), Lines(Twice)}])
     || A <- Newlines, B <- Newlines, Twice <- [[{newline, A}, {newline, B}]]],
    Endings = [bsr_anycrlf, bsr_unicode],
    [io:format("~p ~p: ~p~n", [A, B, {compiled("\\R", [A, B]), seen(fun() -> run("\\R", [global, A, B]) end)}])
     || A <- Endings, B <- Endings],
    Later = fun(Then, {ok, Compiled}) -> ended(fun() -> run(Compiled, Then) end) end,
    [io:format("~p, then ~p: ~p~n", [A, Then, Later(Then, re:compile("^.", [multiline | A]))])
     || A <- [[], [{newline, cr}]], Then <- [[{newline, cr}, {newline, lf}], [{newline, any}, {newline, lf}], Endings,
                                             Endings ++ [{capture, x}]]],
    io:format("~p~n", [ended(fun() -> re:run("abc", "a", [{offset, 4}]) end)]).

patterns() ->
    ["(?(VERSION>=8)a)", "(?(VERSION>=8.2)a|b)", "(?(VERSION=8)a)", "(?(VERSION)a)", "(?(VERSION", "(?(VERSION>=1",
     "(?<VERSION>a)(?(VERSION)b)", "(?(R", "(?(R)", "(?(R)a", "(?(R&", "(?(R&a", "(?(R&a)", "(?(R&)a)", "(?(R1",
     "(?(R1)", "(?(R1)a)", "(?(R12)a|b)", "(?(R1)a|b)(?(R22)c|d)", "(?(R1a)b)", "(?(Ra)b)", "(a)(?(R1)b)",
     "(a)(?(R1)b", "(?(R0)a)", "(?<a>a)(?(R&a)b)", "(?<a>a)(?(R&b)b)", "(?<a>a)(?(R&a", "(?(R-1)a)",
     "(?(R12345678901)a)", "(?(R9)a)", "(?(R`", "(?(R`)", "(?(R`a)b)", "x(?(R ", "x(?(R 1)a)", "(?(R=)a)",
     "(?(R'a)b)", "(?(R{1})b)", "(?(R?)a)", "(?<R1>a)(?(R1)b)", "(?(DEFINE", "(?(DEFINE)", "(?(DEFINE)a|b)",
     "(?(DEFINEX)a)", "(?('", "(?('a", "(?('a'", "(?('a')b)", "(?(<a", "(?(<a>", "(?(a", "(?(a)", "(?(1", "(?(1)",
     "(?(1a)", "(?(+1)a)", "(?(-1)a)", "(?(+", "(?(-", "(?(+1", "(?(+a)b)", "(?(0)a)", "(?(99999999999)a)", "(?(?",
     "(?(?=", "(?(?=a)", "(?(?C", "(?(?C1)(?=a)b)", "(?(*", "(?(", "(?()a)", "(?( )a)", "[(?(R`]", "\\Q(?(R`\\E",
     "\\(?(R`)", "(?#(?(R`)a", "[]](?(R`", "[[:alpha:]](?(R`", "a{(?(R`", "(a(?(R`", "\\k<x>(?(R`"].

compiled(Pattern, Options) ->
    case seen(fun() -> re:compile(Pattern, Options) end) of
        {ok, Compiled} ->
            {setelement(5, Compiled, code), [re:run(Text, Compiled) || Text <- ["a", "b", "ac", "abd", "bd"]]};
        Other -> Other
    end.

run(Pattern, Options) -> re:run("x\ra\ny\r\nz\x85w\n\rc", Pattern, Options).

seen(F) ->
    try F() catch Class:Reason -> {Class, Reason} end.

%% Some errors nobody catches.
ended(F) ->
    {Pid, Ref} = spawn_opt(fun() -> exit({returned, seen(F)}) end, [monitor]),
    receive
        {'DOWN', Ref, process, Pid, {returned, Result}} -> Result;
        {'DOWN', Ref, process, Pid, {Reason, [{M, F1, A, _} | _]}} -> {uncaught, Reason, M, F1, length(A)}
    end.
