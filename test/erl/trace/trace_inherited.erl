%% Whom a traced process hands its flags on to, and what it keeps: whatever new processes get of their own; by a link
%% that is made later, nobody. Who has no flags left still has a tracer, but another one may take it.
-module(trace_inherited).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none), % whom another one traces already
    [with_none(Flags, How)
     || How <- [spawn, spawn_link, link],
        Flags <- [[set_on_first_spawn], [set_on_first_link], [procs, set_on_first_spawn], [procs, set_on_first_link],
                  [set_on_first_spawn, set_on_first_link], [set_on_spawn, set_on_first_spawn], [set_on_link],
                  [set_on_spawn, call], [set_on_link, set_on_first_link]]],
    [with_new(New, Flags, Same, How)
     || New <- [[send], [procs, set_on_spawn], [set_on_first_spawn, procs]],
        Flags <- [[set_on_first_spawn, call], [set_on_spawn, call], [call], [set_on_first_link, call]],
        Same <- [true, false], How <- [spawn, spawn_link]].

with_none(Flags, How) ->
    {T, T2} = {tracer(), tracer()},
    {P, C} = family(T, Flags, How),
    show({How, Flags}, [state(X, T, T2) || X <- [P, C]]),
    show(again, [again(X, T2) || X <- [P, C]]),
    show(then, [state(X, T, T2) || X <- [P, C]]),
    [exit(X, kill) || X <- [P, C, T, T2]].

with_new(New, Flags, Same, How) ->
    T = tracer(),
    T2 = case Same of true -> T; false -> tracer() end,
    erlang:trace(new, true, [{tracer, T2} | New]),
    {P, C} = family(T, Flags, How),
    erlang:trace(new, false, [all]),
    show({New, Flags, Same, How}, [state(X, T, T2) || X <- [P, C]]),
    [exit(X, kill) || X <- [P, C, T, T2]].

family(T, Flags, How) ->
    Main = self(),
    Waits = fun() -> receive stop -> ok end end,
    L = spawn(Waits),
    P = spawn(fun() ->
        receive go -> ok end,
        Main ! {self(), case How of link -> link(L), L; _ -> erlang:How(Waits) end},
        Waits()
    end),
    erlang:trace(P, false, [all]),
    1 = erlang:trace(P, true, [{tracer, T} | Flags]),
    P ! go,
    receive {P, L} -> {P, L}; {P, C} -> exit(L, kill), {P, C} end.

tracer() -> spawn(fun ignore/0).
ignore() -> receive _ -> ignore() end.

state(P, T, T2) ->
    {flags, Flags} = erlang:trace_info(P, flags),
    {Flags, case erlang:trace_info(P, tracer) of {tracer, T} -> first; {tracer, T2} -> other; {tracer, X} -> X end}.

again(P, T2) -> try erlang:trace(P, true, [procs, {tracer, T2}]) catch error:E -> E end.

show(Name, Terms) -> io:format("~0p ~0p~n", [Name, Terms]).
