%% To clear flags of processes and ports to come in the name of a tracer clears those alone, and the rest is that
%% tracer's; without one it clears all.
-module(r_trace_fresh_off).
-export([main/0]).

main() ->
    A = spawn(fun waits/0),
    B = spawn(fun waits/0),
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Dead, _} -> ok end,
    [io:format("~p ~p ~p: ~p~n", [Who, First, Then, on(Who, First, Then, #{a => A, b => B, dead => Dead})]) ||
        Who <- [new, new_processes, new_ports, all], First <- [[send, call, ports], [send], []],
        Then <- [[], [send], [{tracer, b}], [send, {tracer, a}], [send, {tracer, b}], [call, {tracer, b}],
                 [send, call, {tracer, b}], [ports, {tracer, b}], [procs, {tracer, b}], [all, {tracer, b}],
                 [send, {tracer, dead}], [call, {tracer, dead}], [send, {tracer, none}]]],
    ok.

waits() -> receive stop -> ok end.

on(Who, First, Then, Names) ->
    First =/= [] andalso erlang:trace(Who, true, named([{tracer, a} | First], Names)),
    Answer = try erlang:trace(Who, false, named(Then, Names)) of _ -> done catch error:Reason -> Reason end,
    Seen = [{What, seen(What, Names)} || What <- [new_processes, new_ports]],
    P = spawn(fun waits/0),
    Child = seen(P, Names),
    exit(P, kill),
    erlang:trace(all, false, [all]),
    {Answer, Seen, Child}.

named(Flags, Names) -> [case F of {tracer, N} -> {tracer, maps:get(N, Names, nobody)}; _ -> F end || F <- Flags].

seen(What, Names) ->
    {flags, Flags} = erlang:trace_info(What, flags),
    {tracer, Tracer} = erlang:trace_info(What, tracer),
    {lists:sort(Flags), [N || {N, T} <- maps:to_list(Names), T =:= Tracer]}.
