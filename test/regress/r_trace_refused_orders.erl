%% An order to all that is refused by a process, for another tracer has it, is refused by one that sleeps meanwhile, too,
%% whatever has been said since of the flags that the other had.
-module(r_trace_refused_orders).
-export([main/0]).

main() ->
    Tracers = list_to_tuple([spawn(fun waits/0) || _ <- [a, b, c]]),
    A = {on, 1, [call]},
    B = {on, 2, [send]},
    [io:format("~w: ~w~n", [Orders, after_all(Orders, Tracers)]) ||
        Orders <- [[A, B, {off, [call]}], [A, B, A], [{off, [call]}, B, {off, [call]}], [A, B, {off, [call]}, B],
                   [A, {off, [call]}, B, {off, [call]}], [A, B, {off, 1, [call]}, B, A], [A, B, A, {off, [call]}, B]]],
    rand:seed(exsss, {1, 2, 3}),
    [io:format("~w ~w~n", [N, after_all([any() || _ <- lists:seq(1, 3 + N rem 12)], Tracers)]) || N <- lists:seq(1, 300)],
    ok.

waits() -> receive stop -> ok end.

any() ->
    Flags = lists:usort([lists:nth(rand:uniform(4), [call, procs, garbage_collection, return_to]) || _ <- [1, 2]]),
    case rand:uniform(5) of
        1 -> {off, Flags};
        2 -> {off, rand:uniform(3), Flags};
        _ -> {on, rand:uniform(3), Flags}
    end.

%% Of one that was there from the beginning, and of some that came later.
after_all(Orders, Tracers) ->
    Ps = [spawn(fun waits/0) | [begin order(O, Tracers), spawn(fun waits/0) end || O <- Orders]],
    Seen = [traced(P, Tracers) || P <- Ps],
    erlang:trace(existing, false, [all]),
    [begin Ref = monitor(process, P), exit(P, kill), receive {'DOWN', Ref, process, P, _} -> ok end end || P <- Ps],
    Seen.

order({on, N, Flags}, Tracers) -> erlang:trace(existing, true, [{tracer, element(N, Tracers)} | Flags]);
order({off, N, Flags}, Tracers) -> erlang:trace(existing, false, [{tracer, element(N, Tracers)} | Flags]);
order({off, Flags}, _) -> erlang:trace(existing, false, Flags).

traced(P, Tracers) ->
    {flags, Flags} = erlang:trace_info(P, flags),
    {tracer, Tracer} = erlang:trace_info(P, tracer),
    {lists:sort(Flags), [N || N <- lists:seq(1, 3), element(N, Tracers) =:= Tracer]}.
