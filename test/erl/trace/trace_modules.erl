%% Tracers that are modules: what their functions are asked and told, and what their answers do.
%% Not under give_away: a process that has given its scheduler away has none, and says so.
-module(trace_modules).
-export([main/0, log/2, foo/1, bar/1, thrower/1, child/1, kept/2]).
-include("trace.hrl").

-define(M, trace_tracer).

main() ->
    reported(),
    logger:set_primary_config(level, none),
    refused(), begins(), messages(), process_events(), scheduling(), collections(), calls(), silent(), answers(), metas(),
    inheritance(), groups(), actions(), patterns(), sequential(), states(), replaced(), interface(), by_process().

%% A second tracer is refused, and that is reported.
reported() ->
    logger:remove_handler(default),
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    [P, Other] = [servant(), servant()],
    [show(reported, [erlang:trace(Pid, true, [send, {tracer, Tracer}]),
                     element(1, catch erlang:trace(Pid, true, ['receive', {tracer, Other}])),
                     receive {log, Event} -> Event after 60000 -> none end])
     || {Pid, Tracer} <- [{P, self()}, {self(), P}]],
    off(self()),
    [exit(Pid, kill) || Pid <- [P, Other]],
    logger:remove_handler(?MODULE).

log(#{level := Level, msg := Message, meta := #{error_logger := How}}, #{config := Pid}) ->
    Pid ! {log, {Level, Message, How}}.

trace(Pid, Answers, Flags) -> catch erlang:trace(Pid, true, [{tracer, ?M, {self(), Answers}} | Flags]).
off(Pid) -> erlang:trace(Pid, false, [all]), flush().

%% All that tracers have told so far.
heard() -> quiet(), hear().
hear() -> receive M when element(1, M) =:= asked; element(1, M) =:= told -> [M | hear()] after 50 -> [] end.
flush() -> quiet(), drop().
drop() -> receive _ -> drop() after 50 -> ok end.

failure(Fun) ->
    try Fun()
    catch C:R:S ->
            {M, F, A, I} = hd(S),
            {C, R, M, F, if is_list(A) -> length(A); true -> A end, proplists:get_value(error_info, I)}
    end.

settings(Pid) -> {erlang:trace_info(Pid, flags), erlang:trace_info(Pid, tracer)}.

refused() ->
    Me = self(),
    Before = settings(Me),
    show(refused, [failure(fun() -> erlang:trace(Me, true, [call | Flags]) end)
                   || Flags <- [[{tracer, lists, x}], [{tracer, no_such_module, x}], [{tracer, ?M}], [{tracer, {?M, x}}],
                                [{tracer, 1, x}], [{tracer, []}], [{tracer, ?M, x, y}], [{tracer, Me, x}]]]),
    show(refused_off, [failure(fun() -> erlang:trace(Me, false, [call, {tracer, lists, x}]) end),
                       failure(fun() -> erlang:trace(Me, false, [call, {tracer, no_such_module, x}]) end)]),
    show(refused_meta, [failure(fun() -> erlang:trace_pattern({?MODULE, foo, 1}, true, [T]) end)
                        || T <- [{meta, lists, x}, {meta, no_such_module, x}, {meta, {?M, x}}, {meta, 1, x}, {meta, ?M}]]),
    show(none, {settings(Me) =:= Before, erlang:trace_info({?MODULE, foo, 1}, meta)}).

begins() ->
    P = servant(),
    show(one, [trace(P, #{}, [send]), settings(P)]),
    show(same_again, [trace(P, #{}, ['receive']), settings(P)]),
    show(another, [element(1, catch trace(P, #{a => 1}, [procs])), settings(P)]),
    show(process, [element(1, failure(fun() -> erlang:trace(P, true, [procs]) end)), settings(P)]),
    off(P),
    show(removes, [trace(P, #{trace_status => remove}, [send]), settings(P)]),
    show(discards, [trace(P, #{trace_status => discard}, [send]), settings(P)]),
    off(P),
    show(answers_something, [trace(P, #{trace_status => something}, [send]), settings(P)]),
    off(P),
    show(any_state, [erlang:trace(P, true, [send, {tracer, ?M, any}]), settings(P)]),
    off(P),
    exit(P, kill).

messages() ->
    P = servant(),
    Me = self(),
    trace(P, #{}, [send]),
    run(P, fun() -> Me ! hello, self() ! {a, "b", <<"c">>} end),
    run(P, fun() -> catch no_such_name ! x, Me ! bye end),
    {Gone, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    run(P, fun() -> Gone ! x end),
    show(send, heard()),
    off(P),
    trace(P, #{}, ['receive']),
    run(P, fun() -> self() ! {received, #{1 => 2}} end),
    show('receive', heard()),
    off(P),
    [begin
         trace(P, #{}, [send | Flags]),
         run(P, fun() -> ok end),
         show(Flags, [without_scheduler(M) || M <- heard()]),
         off(P)
     end || Flags <- [[timestamp], [monotonic_timestamp], [strict_monotonic_timestamp], [scheduler_id],
                      [monotonic_timestamp, timestamp], [strict_monotonic_timestamp, monotonic_timestamp],
                      [strict_monotonic_timestamp, scheduler_id]]],
    exit(P, kill).

without_scheduler({told, F, Tag, P, T, #{scheduler_id := N} = O, S}) when is_integer(N), N > 0 ->
    {told, F, Tag, P, T, O#{scheduler_id := number}, S};
without_scheduler(M) -> M.

child(Parent) -> receive go -> Parent ! gone end.

process_events() ->
    P = servant(),
    Me = self(),
    trace(P, #{}, [procs]),
    Child = run(P, fun() -> spawn(?MODULE, child, [Me]) end),
    run(P, fun() -> register(trace_modules_name, self()), unregister(trace_modules_name) end),
    Linked = run(P, fun() -> spawn_link(?MODULE, child, [Me]) end),
    run(P, fun() -> unlink(Linked), link(Linked), link(Child) end),
    Linked ! go,
    receive gone -> ok end,
    show(procs, heard()),
    Ref = monitor(process, P),
    exit(P, {some, reason}),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    show(exit, heard()),
    flush().

scheduling() ->
    P = servant(),
    trace(P, #{}, [running]),
    run(P, fun() -> ok end),
    show(running, lists:usort([case M of
                                   {told, F, Tag, Pid, {_, _, _}, Options, Self} -> {F, Tag, Pid, Options, Self};
                                   _ -> M
                               end || M <- heard()])),
    off(P),
    trace(P, #{}, [exiting]),
    exit(P, kill),
    show(exiting, lists:usort([{element(2, M), element(3, M)} || M <- heard()])).

collections() ->
    P = servant(),
    trace(P, #{}, [garbage_collection]),
    run(P, fun() -> erlang:garbage_collect() end),
    Told = [M || M <- heard(), lists:member(element(3, M), [gc_major_start, gc_major_end])],
    show(collections, lists:usort([{element(1, M), element(2, M), element(3, M)} || M <- Told])),
    show(collections_told, lists:usort([{lists:sort([K || {K, _} <- element(5, M)]), element(6, M), element(7, M) =:= P}
                                        || M <- Told, element(1, M) =:= told])),
    off(P),
    exit(P, kill).

foo(X) -> X.
bar(X) -> {foo(X)}.
thrower(X) -> throw(X).

calls() ->
    P = servant(),
    erlang:trace_pattern({?MODULE, foo, 1}, [{['$1'], [], [{message, {{'$1', {caller}}}}, {return_trace}]}], [local]),
    erlang:trace_pattern({?MODULE, bar, 1}, true, [local]),
    erlang:trace_pattern({?MODULE, thrower, 1}, [{'_', [], [{exception_trace}]}], [local]),
    Run = fun() -> run(P, fun() -> ?MODULE:bar(1), catch ?MODULE:thrower({big, 1 bsl 70}) end) end,
    [begin
         trace(P, #{}, [call | Flags]),
         Run(),
         show({call, Flags}, heard()),
         off(P)
     end || Flags <- [[], [arity], [return_to], [return_to, arity, timestamp]]],
    [begin
         trace(P, Answers, [call, return_to]),
         Run(),
         show({call, Answers}, [heard(), settings(P)]),
         off(P)
     end || Answers <- [#{call => discard}, #{call => remove}, #{call => something}, #{return_from => discard},
                        #{return_to => remove}, #{exception_from => remove}, #{trace_status => discard}]],
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    erlang:trace_pattern({?MODULE, foo, 1}, [{[1], [], [{message, false}]}, {'_', [], [{message, []}]}], [global]),
    trace(P, #{}, [call]),
    run(P, fun() -> ?MODULE:foo(1), ?MODULE:foo(2), foo(3) end),
    show(global, heard()),
    erlang:trace_pattern({?MODULE, foo, 1}, false, [global]),
    off(P),
    exit(P, kill).

silent() ->
    P = servant(),
    erlang:trace_pattern({?MODULE, foo, 1}, [{[quiet], [], [{silent, true}]}, {[loud], [], [{silent, false}]}], [local]),
    trace(P, #{}, [call]),
    run(P, fun() -> foo(loud), foo(quiet), foo(loud) end),
    show(silent, heard()),
    erlang:trace_pattern({?MODULE, foo, 1}, false, [local]),
    off(P),
    exit(P, kill).

answers() ->
    Me = self(),
    [begin
         P = servant(),
         trace(P, #{Tag => Answer}, [Flag]),
         run(P, fun() -> Me ! something, self() ! something, register(trace_modules_name, self()), ok end),
         show({Tag, Answer}, [heard(), settings(P)]),
         exit(P, kill),
         flush()
     end || {Flag, Tag} <- [{send, send}, {'receive', 'receive'}, {procs, register}],
            Answer <- [trace, discard, remove, something]].

metas() ->
    P = servant(),
    Meta = fun(Answers, Spec) -> erlang:trace_pattern({?MODULE, foo, 1}, Spec, [{meta, ?M, {self(), Answers}}]) end,
    show(meta, Meta(#{}, [{'_', [], [{message, {caller}}, {return_trace}]}])),
    show(meta_info, [erlang:trace_info({?MODULE, foo, 1}, I) || I <- [traced, meta, meta_match_spec]]),
    run(P, fun() -> ?MODULE:bar(1) end),
    show(meta_told, heard()),
    [begin
         Meta(Answers, true),
         run(P, fun() -> ?MODULE:bar(1), ?MODULE:bar(2) end),
         show({meta, Answers}, [heard(), erlang:trace_info({?MODULE, foo, 1}, meta)])
     end || Answers <- [#{call => discard}, #{call => remove}, #{trace_status => remove}]],
    show(meta_off, [erlang:trace_pattern({?MODULE, foo, 1}, false, [meta]), erlang:trace_info({?MODULE, foo, 1}, meta)]),
    returns_after_the_pattern(P),
    exit(P, kill).

%% What is on a stack goes on although the pattern is gone; its state moves with the heap.
returns_after_the_pattern(P) ->
    Me = self(),
    State = {self(), #{state => {lists:seq(1, 20), binary:copy(<<"state">>, 50)}}},
    erlang:trace_pattern({?MODULE, kept, 2}, [{'_', [], [{return_trace}]}], [{meta, ?M, State}]),
    P ! {run, fun() -> ?MODULE:kept(Me, 3) end},
    [begin receive {kept, N} -> ok end, P ! go end || N <- [3, 2]],
    receive {kept, 1} -> ok end,
    erlang:trace_pattern({?MODULE, kept, 2}, false, [meta]),
    P ! go,
    receive {P, Result} -> show(kept, Result) end,
    show(kept_told, heard()).

kept(Pid, N) ->
    Pid ! {kept, N},
    erlang:garbage_collect(),
    receive go -> ok end,
    if
        N > 1 -> 1 + kept(Pid, N - 1);
        true -> lists:sum(lists:seq(1, 1000))
    end.

inheritance() ->
    Me = self(),
    [begin
         P = servant(),
         trace(P, #{}, [send, Flag]),
         Child = run(P, fun() -> C = spawn_link(?MODULE, child, [Me]), D = spawn_link(?MODULE, child, [Me]),
                                 [X ! go || X <- [C, D]], {C, D} end),
         [receive gone -> ok end || _ <- [1, 2]],
         show(Flag, by_tracee(heard())),
         show({Flag, parent}, [erlang:trace_info(P, flags), tuple_size(Child)]),
         exit(P, kill),
         flush()
     end || Flag <- [set_on_spawn, set_on_first_spawn, set_on_link, set_on_first_link]].

by_tracee(Heard) ->
    Tracees = lists:usort([tracee(M) || M <- Heard]),
    [[M || M <- Heard, tracee(M) =:= T] || T <- Tracees].

tracee({asked, _, _, T, _}) -> T;
tracee({told, _, _, T, _, _, _}) -> T.

%% `new` and `existing`: the tracer's own process must not be among them.
groups() ->
    Tracer = servant(),
    State = {Tracer, #{}},
    show(new, [erlang:trace(new_processes, true, [send, {tracer, ?M, State}]),
               erlang:trace_info(new_processes, flags), erlang:trace_info(new_processes, tracer) =:= {tracer, {?M, State}}]),
    P = servant(),
    show(new_off, [erlang:trace(new_processes, false, [all]), erlang:trace_info(new_processes, tracer)]),
    show(new_has, [erlang:trace_info(P, flags), erlang:trace_info(P, tracer) =:= {tracer, {?M, State}}]),
    off(P),
    N = erlang:trace(existing_processes, true, ['receive', {tracer, ?M, {Tracer, #{trace_status => remove}}}]),
    show(existing, [N > 5, settings(P)]),
    erlang:trace(existing_processes, false, [all]),
    show(new_removes, [erlang:trace(new_processes, true, [send, {tracer, ?M, {Tracer, #{trace_status => remove}}}]),
                       erlang:trace_info(new_processes, flags), erlang:trace_info(new_processes, tracer)]),
    Q = servant(),
    show(new_without, settings(Q)),
    erlang:trace(new_processes, false, [all]),
    [exit(X, kill) || X <- [P, Q, Tracer]].

actions() ->
    Me = self(),
    State = {Me, #{}},
    [begin
         P = servant(),
         Set = failure(fun() -> erlang:trace_pattern({?MODULE, foo, 1}, [{'_', [], [Action]}], [local]) end),
         erlang:trace(P, true, [call]),
         run(P, fun() -> foo(1) end),
         show(action, [Set, heard(), settings(P)]),
         erlang:trace_pattern({?MODULE, foo, 1}, false, [local]),
         exit(P, kill),
         flush()
     end || Action <- [{trace, [], [send, {const, {tracer, ?M, State}}]},
                       {trace, [call], [send, {{tracer, ?M, {{Me, #{}}}}}]},
                       {trace, [{const, {tracer, ?M, State}}], ['receive']},
                       {trace, [send], [{const, {tracer, ?M, State}}]},
                       {trace, [], [send, {tracer, ?M, {{Me, #{}}}}]},
                       {trace, [], [send, {const, {tracer, lists, State}}]},
                       {trace, [], [send, {const, {tracer, ?M, {Me, #{trace_status => discard}}}}]}]].

patterns() ->
    P = servant(),
    Me = self(),
    erlang:trace_pattern(send, [{[Me, {'_', '$1'}], [], [{message, {{sent, '$1'}}}]}], []),
    erlang:trace_pattern('receive', [{['_', '_', {run, '_'}], [], [{message, {self}}]}], []),
    trace(P, #{}, [send, 'receive']),
    run(P, fun() -> Me ! not_this, self() ! nor_this, done end),
    show(patterns, heard()),
    erlang:trace_pattern(send, true, []),
    erlang:trace_pattern('receive', true, []),
    exit(P, kill),
    flush().

sequential() ->
    State = {self(), #{}},
    P = servant(),
    Set = fun(T) -> failure(fun() -> seq_trace:set_system_tracer(T) end) end,
    show(seq_refused, [Set({lists, x}), Set({no_such_module, x}), Set({?M}), Set({?M, {self(), #{trace_status => remove}}})]),
    show(seq_set, [Set({?M, State}), seq_trace:get_system_tracer(), Set({?M, State})]),
    [begin
         seq_trace:set_token(label, {label, Flag}),
         [seq_trace:set_token(F, true) || F <- [send, 'receive', print, Flag]],
         P ! {run, fun() -> ok end},
         receive {P, ok} -> ok end,
         spawn(erlang, date, []),
         seq_trace:print({printed, "text"}),
         seq_trace:set_token([]),
         show(Flag, heard()),
         seq_trace:reset_trace(),
         flush()
     end || Flag <- [print, timestamp, monotonic_timestamp, strict_monotonic_timestamp]],
    [begin
         Set({?M, {self(), #{seq_trace => Answer}}}),
         seq_trace:set_token(send, true),
         P ! nothing,
         seq_trace:set_token([]),
         show({seq, Answer}, [heard(), seq_trace:get_system_tracer() =/= false])
     end || Answer <- [discard, remove]],
    Set(false),
    show(seq_off, seq_trace:get_system_tracer()),
    exit(P, kill),
    flush().

%% A state is copied: it outlives who gave it, and comes back as it was.
states() ->
    P = servant(),
    Me = self(),
    [begin
         {Giver, Ref} = spawn_monitor(fun() ->
             erlang:trace(P, true, [send, {tracer, ?M, {Me, #{send => discard, state => State}}}])
         end),
         receive {'DOWN', Ref, process, Giver, Reason} -> ok end,
         {tracer, {?M, {Me, Map}}} = erlang:trace_info(P, tracer),
         run(P, fun() -> erlang:garbage_collect(), Me ! x end),
         show(state, [Reason, length(heard()), maps:get(state, Map) =:= State]),
         off(P)
     end || State <- [1, 1.5, 1 bsl 100, "list", <<"small">>, binary:copy(<<"large">>, 1000), make_ref(),
                      maps:from_list([{N, {N}} || N <- lists:seq(1, 100)]), fun() -> Me end, lists:seq(1, 10000)]],
    exit(P, kill).

replaced() ->
    P = servant(),
    Me = self(),
    Send = fun() -> run(P, fun() -> Me ! x end) end,
    trace(P, #{}, [send]),
    ?M:use("trace_modules_topics"),
    show(load, [code:purge(?M), code:load_file(?M)]),
    Send(),
    show(new_code, heard()),
    show(purge, code:purge(?M)),
    Send(),
    show(purged, heard()),
    erlang:trace_pattern({?MODULE, foo, 1}, [{'_', [], [{return_trace}]}], [local]),
    off(P),
    [begin
         trace(P, #{}, [Flag]),
         run(P, fun() -> erlang:garbage_collect(), register(trace_modules_name, self()), unregister(trace_modules_name),
                         foo(1) end),
         show({topic, Flag}, lists:usort([{element(1, M), element(2, M), element(3, M)}
                                          || M <- heard(), not lists:member(element(3, M), [gc_minor_start, gc_minor_end])])),
         off(P)
     end || Flag <- [send, 'receive', call, procs, garbage_collection, running]],
    erlang:trace_pattern({?MODULE, foo, 1}, false, [local]),
    trace(P, #{}, [send]),
    show(delete, [code:delete(?M), code:purge(?M)]),
    Send(),
    show(without, [heard(), settings(P)]),
    trace(P, #{}, [send]),
    show(loaded_again, [code:is_loaded(?M) =/= false, settings(P)]),
    Send(),
    show(again, heard()),
    off(P),
    exit(P, kill).

interface() ->
    ?M:use("trace_modules_interface"),
    code:purge(?M),
    show(interface, code:load_file(?M)),
    P = servant(),
    register(trace_modules_name, self()),
    trace(P, #{}, [send, procs, 'receive']),
    run(P, fun() -> spawn(fun() -> ok end), ok end),
    unregister(trace_modules_name),
    show(facts, [{Tag, Facts#{integer := is_integer(I)}, size_of(Term)}
                 || {told, Tag, {#{integer := I} = Facts, Term}} <- heard()]),
    exit(P, kill),
    flush().

size_of(T) when is_tuple(T) -> tuple_size(T);
size_of(_) -> other.

%% The module erl_tracer is how a process is spelt as a module.
by_process() ->
    P = servant(),
    show(erl_tracer, [erlang:trace(P, true, [send, {tracer, erl_tracer, self()}]), settings(P)]),
    run(P, fun() -> ok end),
    show(erl_tracer_told, collected(P)),
    {Gone, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    show(erl_tracer_enabled, [[erl_tracer:enabled(Tag, S, T) || Tag <- [trace_status, call, seq_trace]]
                              || {S, T} <- [{self(), P}, {self(), self()}, {Gone, P}, {x, P}]]),
    [begin
         Result = erl_tracer:trace(Tag, self(), P, term, Options),
         show({erl_tracer, Tag, Options}, [Result, receive M -> shown_time(M) after 0 -> none end])
     end || {Tag, Options} <- [{call, #{}}, {call, #{extra => x, match_spec_result => y, scheduler_id => 7}},
                               {call, #{timestamp => timestamp}}, {call, #{timestamp => wrong}}, {call, no_map},
                               {seq_trace, #{}}, {seq_trace, #{timestamp => timestamp}},
                               {seq_trace, #{timestamp => monotonic}}]],
    exit(P, kill).

shown_time(M) ->
    case element(tuple_size(M), M) of
        Time when is_integer(Time), Time < 0 -> setelement(tuple_size(M), M, monotonic);
        _ -> M
    end.
