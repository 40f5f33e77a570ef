%% What sessions hand on when a process links to another one, by `set_on_link` and `set_on_first_link`: each its own.
-module(trace_session_links).
-export([main/0]).

main() ->
    [links(Flags, Other) || Flags <- [[set_on_link], [set_on_first_link], [set_on_link, procs], [set_on_first_link, send],
                                      [set_on_link, set_on_first_link, send], [set_on_spawn, procs], [send]],
                            Other <- [none, traced]],
    many(), both_ways(), killed().

links(Flags, Other) ->
    {S, A, B} = {session(), waits(), waits()},
    1 = trace:process(S, A, true, Flags),
    Other =:= traced andalso trace:process(S, B, true, ['receive']),
    io:format("~0p ~p:", [Flags, Other]),
    [begin run(A, F), io:format(" ~0p", [flags(S, [A, B])]) end
     || F <- [fun() -> link(B) end, fun() -> link(B) end, fun() -> unlink(B), link(B) end]],
    io:format("~n"),
    over([S], [A, B]).

%% Two sessions trace the same process; what one hands on says nothing of the other.
many() ->
    {S1, S2, A, B, C} = {session(), session(), waits(), waits(), waits()},
    trace:process(S1, A, true, [set_on_link, procs]),
    trace:process(S2, A, true, [set_on_first_link, send]),
    run(A, fun() -> link(B) end),
    io:format("many ~0p ~0p~n", [flags(S1, [A, B, C]), flags(S2, [A, B, C])]),
    run(A, fun() -> link(C) end),
    io:format("many ~0p ~0p~n", [flags(S1, [A, B, C]), flags(S2, [A, B, C])]),
    trace:session_destroy(S1),
    D = waits(),
    run(A, fun() -> link(D) end),
    io:format("one ~0p~n", [flags(S2, [A, B, C, D])]),
    over([S2], [A, B, C, D]).

%% Who is linked to hands nothing on; whom it was handed on to does.
both_ways() ->
    {S, A, B, C, D} = {session(), waits(), waits(), waits(), waits()},
    trace:process(S, A, true, [set_on_link, procs]),
    run(B, fun() -> link(A) end),
    io:format("back ~0p~n", [flags(S, [A, B])]),
    run(A, fun() -> link(C) end),
    run(C, fun() -> link(D) end),
    io:format("on ~0p~n", [flags(S, [A, C, D])]),
    over([S], [A, B, C, D]).

%% One that is no more.
killed() ->
    {S, A, B} = {session(), waits(), waits()},
    trace:process(S, A, true, [set_on_link, procs]),
    M = monitor(process, B),
    exit(B, kill),
    receive {'DOWN', M, _, _, _} -> ok end,
    io:format("gone ~0p ~0p~n", [run(A, fun() -> catch element(1, catch link(B)) end), flags(S, [A])]),
    over([S], [A]).

session() -> trace:session_create(trace_session_links, spawn(fun ignore/0), []).
ignore() -> receive _ -> ignore() end.

waits() -> spawn(fun loop/0).
loop() -> receive {From, F} -> From ! {self(), F()}, loop() end.
run(P, F) ->
    P ! {self(), F},
    receive {P, R} -> R end.

flags(S, Ps) -> [lists:sort(element(2, trace:info(S, P, flags))) || P <- Ps].

over(Ss, Ps) ->
    [exit(P, kill) || P <- Ps],
    [trace:session_destroy(S) || S <- Ss].
