%% Flags of processes, and the events that they bring.
-ifndef(TRACE).
-module(trace_flags).
-endif.
-export([main/0, child/1]).
-include("trace.hrl").

main() ->
    logger:set_primary_config(level, none), % the stock runtime also logs a second tracer that is refused
    sends(), procs(), links(), inherit(), everybody(), fresh(), dead(), collections(),
    [refused() || ?TRACE =:= erlang]. % with tracers that a session does not let one choose

%% What the servant's own service sends and receives is in it too.
sends() ->
    P = servant(),
    show(one, ?TRACE:trace(P, true, [send])),
    Me = self(),
    run(P, fun() -> Me ! {hello, "text", <<1, 2, 3>>, #{a => 1.5}} end),
    run(P, fun() -> nobody_has_this_name ! x end),
    run(P, fun() -> {nobody_has_this_name, node()} ! x end),
    {Gone, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    run(P, fun() -> Gone ! to_nobody, self() ! to_self, erlang:send(Me, sent, []) end),
    run(P, fun() -> make_ref() ! no_alias, alias() ! alias end),
    show(send, collected(P)),
    ?TRACE:trace(P, false, [send]),
    run(P, fun() -> self() ! quiet end),
    show(off, collected(P)),
    ?TRACE:trace(P, true, ['receive']),
    P ! {nothing, "of", [interest]},
    run(P, fun() -> self() ! again, 1 end),
    show('receive', collected(P)),
    ?TRACE:trace(P, false, [all]),
    exit(P, kill), await(P), flush().

procs() ->
    P = servant(),
    ?TRACE:trace(P, true, [procs]),
    run(P, fun() -> spawn(?MODULE, child, [a]) end),
    run(P, fun() -> register(trace_flags_name, self()), unregister(trace_flags_name) end),
    register(trace_flags_name, P),
    unregister(trace_flags_name),
    run(P, fun() -> put(x, y), ok end),
    P ! stop,
    await(P),
    show(procs, collected(P)),
    Q = servant(),
    ?TRACE:trace(Q, true, [procs]),
    exit(Q, {some, "reason"}),
    await(Q),
    show(exit, collected(Q)),
    flush().

links() ->
    P = servant(),
    ?TRACE:trace(P, true, [procs]),
    run(P, fun() -> process_flag(trap_exit, true) end),
    Q = servant(),
    run(P, fun() -> link(Q), link(Q), unlink(Q), unlink(Q), link(Q) end),
    run(Q, fun() -> unlink(P) end),
    run(P, fun() -> ok end),
    run(Q, fun() -> link(P) end),
    run(P, fun() -> ok end),
    exit(Q, kill), await(Q),
    run(P, fun() -> ok end),
    run(P, fun() -> L = spawn_link(?MODULE, child, [b]), receive {'EXIT', L, _} -> ok end end),
    show(links, collected(P)),
    exit(P, kill), await(P), flush().

child(_) -> ok.

inherit() ->
    [begin
         P = servant(),
         ?TRACE:trace(P, true, [procs, send, Flag]),
         Me = self(),
         run(P, fun() ->
                        [begin
                             C = Spawn(fun() -> receive go -> Me ! {from, N} end, receive done -> ok end end),
                             C ! go,
                             put(N, C)
                         end || N <- [1, 2]]
                end),
         [receive {from, N} -> ok end || N <- [1, 2]],
         Children = run(P, fun() -> [get(1), get(2)] end),
         show({Flag, events}, lists:keysort(2, collected(P))),
         show({Flag, flags}, [?TRACE:trace_info(C, flags) || C <- [P | Children]]),
         ?TRACE:trace(P, false, [all]),
         [begin exit(C, kill), await(C) end || C <- [P | Children]],
         flush()
     end || {Flag, Spawn} <- [{set_on_spawn, fun erlang:spawn/1}, {set_on_first_spawn, fun erlang:spawn/1},
                              {set_on_link, fun erlang:spawn_link/1}, {set_on_first_link, fun erlang:spawn_link/1}]].

everybody() ->
    P = servant(), Q = servant(),
    true = ?TRACE:trace(existing_processes, true, [send]) > 2,
    run(P, fun() -> self() ! p end),
    run(Q, fun() -> self() ! q end),
    show(some, [M || {trace, Who, send, X, _} = M <- collected(all), Who =:= P orelse Who =:= Q, is_atom(X)]),
    R = servant(),
    show(after_that, ?TRACE:trace_info(R, flags)),
    true = ?TRACE:trace(all, false, [all]) > 2,
    run(P, fun() -> self() ! p end),
    show(none, [M || {trace, Who, _, _, _} = M <- collected(all), Who =:= P]),
    [begin exit(X, kill), await(X) end || X <- [P, Q, R]],
    flush().

fresh() ->
    0 = ?TRACE:trace(new_processes, true, [procs, send]),
    show(info, [?TRACE:trace_info(W, I) || W <- [new, new_processes], I <- [flags, tracer]]),
    P = spawn(?MODULE, child, [c]),
    await(P),
    show(new, collected(P)),
    0 = ?TRACE:trace(new, false, [arity]), % any flag clears all
    show(info, [?TRACE:trace_info(W, I) || W <- [new, new_processes], I <- [flags, tracer]]),
    Q = spawn(?MODULE, child, [c]),
    await(Q),
    show(no_more, collected(Q)),
    flush().

refused() ->
    P = servant(), Tracer = servant(),
    refuse(flag, fun() -> ?TRACE:trace(P, true, [nonsense]) end),
    refuse(improper, fun() -> ?TRACE:trace(P, true, [send | send]) end),
    refuse(how, fun() -> ?TRACE:trace(P, 'maybe', [send]) end),
    refuse(who, fun() -> ?TRACE:trace(everyone, true, [send]) end),
    refuse(no_list, fun() -> ?TRACE:trace(P, true, send) end),
    refuse(tracer, fun() -> ?TRACE:trace(P, true, [send, {tracer, nobody}]) end),
    show(self, [?TRACE:trace(self(), true, [send]), self() ! x, ?TRACE:trace_info(self(), flags), everything(),
                ?TRACE:trace(self(), false, [send])]),
    show(by_other, ?TRACE:trace(P, true, [send, {tracer, Tracer}])),
    refuse(taken, fun() -> ?TRACE:trace(P, true, [procs]) end),
    show(info, [?TRACE:trace_info(P, flags), element(1, ?TRACE:trace_info(P, tracer))]),
    refuse(clear_as_other, fun() -> ?TRACE:trace(P, false, [send, {tracer, self()}]) end),
    show(clear, [?TRACE:trace(P, false, [procs]), ?TRACE:trace_info(P, flags), ?TRACE:trace(P, false, [send]),
                 ?TRACE:trace_info(P, flags), ?TRACE:trace(P, true, [send, arity, {tracer, Tracer}])]),
    exit(Tracer, kill), await(Tracer),
    refuse(free_again, fun() -> ?TRACE:trace(P, true, [procs]) end),
    show(info, [?TRACE:trace_info(P, flags)]),
    ?TRACE:trace(P, false, [all]),
    show(dead_tracer, [?TRACE:trace(W, true, [send, {tracer, Tracer}]) || W <- [P, new]]),
    show(info, [?TRACE:trace_info(W, I) || W <- [P, new], I <- [flags, tracer]]),
    0 = ?TRACE:trace(new, false, [all]),
    [refuse(cpu_timestamp, fun() -> ?TRACE:trace(W, true, [cpu_timestamp]) end) || W <- [P, existing, new, processes]],
    refuse(flag, fun() -> ?TRACE:trace(everyone, 'maybe', [nonsense]) end),
    refuse(delivered, fun() -> erlang:trace_delivered(nobody) end),
    refuse(item, fun() -> ?TRACE:trace_info(P, nonsense) end),
    show(ports, [?TRACE:trace_info(new_ports, I) || I <- [flags, tracer]]),
    refuse(subject, fun() -> ?TRACE:trace_info(nonsense, flags) end),
    exit(P, kill), await(P), flush().

dead() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    refuse(dead, fun() -> ?TRACE:trace(P, true, [send]) end),
    show(info, ?TRACE:trace_info(P, flags)),
    show(delivered, collected(P)).

%% As t/2, without the numbers of pids.
refuse(Name, Fun) ->
    show(Name, try Fun() catch C:R:S -> {M, F, A, _} = hd(S), {C, R, M, F, A} end).

await(P) ->
    M = monitor(process, P),
    receive {'DOWN', M, _, _, _} -> ok end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% What a collection tells: kinds and items; the sizes are each runtime's own.
collections() ->
    P = servant(),
    ?TRACE:trace(P, true, [garbage_collection]),
    run(P, fun() -> garbage_collect() end),
    run(P, fun() -> garbage_collect(self(), [{type, minor}]) end),
    %% The rest are collections of the runtime's own accord.
    show(collections, [{Tag, [K || {K, V} <- Sizes, is_integer(V)]}
                       || {trace, _, Tag, Sizes} <- lists:sublist(collected(P), 4)]),
    ?TRACE:trace(P, false, [all]),
    exit(P, kill), await(P), flush().
