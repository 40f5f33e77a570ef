%% Matches, and patterns with much to mend, that take long hold up nobody: beside them others run, on one scheduler.
-module(r_re_held).
-export([main/0]).

main() ->
    Scan = binary:copy(<<"a">>, 30000),
    Short = binary:copy(<<"a">>, 200),
    alone(scan, fun() -> re:run(Scan, "[a-z][^b]*+[cd]") end),
    alone(many, fun() -> [re:run(Short, "(a|aa)+[cd]", [{match_limit, 5000}]) || _ <- lists:seq(1, 300)] end),
    %% Of the order of seconds, if each were compiled after the one before.
    {ok, _} = re:compile(lists:append(lists:duplicate(20000, "\\y"))),
    {ok, _} = re:compile(lists:append(lists:duplicate(500, "\\y\\Q\\y\\E[\\i]\\j\\\\y"))),
    io:format("~p~n", [re:run("yyy\\yi" ++ "j\\y", lists:append(["\\y" || _ <- lists:seq(1, 3)] ++ ["\\Q\\y\\E[\\i]\\j\\\\y"]))]),
    Many = lists:append(lists:duplicate(60, "\\y\\Q\\y\\E[\\i]\\j\\\\y")),
    io:format("~p~n", [re:run(lists:append(lists:duplicate(60, "y\\yij\\y")), Many)]),
    [io:format("~p~n", [re:run("x", lists:append(lists:duplicate(N, "[\\d-z]?\\8?") ++ ["x"]))]) || N <- [2, 15, 40]],
    [io:format("~0p~n", [tell(P)]) || P <- patterns()].

%% Somebody who wants the scheduler each millisecond gets it meanwhile: not once behind it only.
alone(What, Fun) ->
    Schedulers = erlang:system_flag(schedulers_online, 1),
    Self = self(),
    Ticker = spawn_link(fun() -> tick(Self, 0) end),
    receive ready -> ok end,
    Fun(),
    Ticker ! {stop, Self},
    receive {ticks, N} -> io:format("~p ~p~n", [What, N > 0]) end,
    erlang:system_flag(schedulers_online, Schedulers).

tick(Parent, 0) ->
    Parent ! ready,
    tick_on(0).
tick_on(N) ->
    receive {stop, From} -> From ! {ticks, N}
    after 1 -> tick_on(N + 1)
    end.

patterns() ->
    ["a\\g0b", "a\\g{0}b", "\\g00", "x\\k{n}y", "x\\g{n}y", "(a)\\g{-2}b", "\\g{2}x", "(*FOO)", "a(*FOO)b", "(*foo)", "(*FOO1)",
     "(*FOO:a)", "(*UTF8)a(*UTF8)", "(*LIMIT_MATCH=a)", "a(*SKIP:b)(*LIMIT_RECURSION=2)", "(?X)a", "(?iX)a(", "(?X-i)a", "(?-X)a",
     "(?iXm-sX)b(", "(?Xi", "(?XQ)", "a(?X)b(?X)c)", "\\x{}", "\\x{", "(?&)", "(?P=)", "\\k<>", "\\k{}"].

tell(P) ->
    case re:compile(P) of
        {ok, _} -> {P, ok};
        {error, E} -> {P, E}
    end.
