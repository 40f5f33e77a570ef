%% Sessions of the module trace: handles, what is refused, several at a time, and their end. The answers are OTP 27.3's.
-module(trace_sessions).
-export([main/0, f/1, g/1, held/1]).
-include("trace.hrl").

f(X) -> g(X).
g(X) -> X.
held(P) -> trace_sessions_main ! {P, held}, receive go -> returned end.

main() ->
    register(trace_sessions_main, self()),
    Idle = spawn(fun idle/0),
    handles(Idle), refused(Idle), settings(Idle), two(), ten(), dead_tracer(), dropped(Idle), late(), copies(Idle), actions().

idle() -> receive stop -> ok; _ -> idle() end.

%% As show/2 of what it gives, or of the error; weak handles without their numbers.
try_it(Name, Fun) ->
    show(Name, try unnumbered(Fun())
               catch C:R:S -> {M, F, _, Extra} = hd(S), {C, R, M, F, proplists:get_value(error_info, Extra)}
               end).

unnumbered({Name, N}) when is_atom(Name), is_integer(N), Name =/= call_count -> {Name, n};
unnumbered(T) when is_tuple(T) -> list_to_tuple(unnumbered(tuple_to_list(T)));
unnumbered([H | T]) -> [unnumbered(H) | unnumbered(T)];
unnumbered(T) -> T.

handles(Idle) ->
    try_it(all, fun() -> trace:session_info(all) end),
    S = {Strong, {one, N}} = trace:session_create(one, Idle, []),
    {_, {two, N1}} = T = trace:session_create(two, Idle, []),
    show(handle, [S, T, is_reference(Strong), N1 - N]),
    try_it(all, fun() -> trace:session_info(all) end),
    [try_it(use, fun() -> trace:process(H, self(), true, [call]) end)
     || H <- [S, {one, N}, Strong, {one, N1}, {two, N}, {one, -1}, {Strong, {two, N1}}, {Strong, {one, N1}}, {Strong, x},
              {make_ref(), {one, N}}, {Strong, {one, N}, x}, {legacy, default}, {legacy, 0}, {legacy, -1}, legacy, one,
              []]],
    [try_it(end_of, fun() -> trace:session_destroy(H) end)
     || H <- [Strong, {Strong, {two, N}}, {legacy, default}, {legacy, -1}, one, {one, N}, {one, N}, S, T, T]],
    try_it(all, fun() -> trace:session_info(all) end),
    [try_it(over, F) || F <- [fun() -> trace:process(S, self(), true, [call]) end,
                              fun() -> trace:port(S, new, true, [send]) end,
                              fun() -> trace:function(S, {?MODULE, f, 1}, true, []) end,
                              fun() -> trace:info(S, self(), flags) end,
                              fun() -> trace:info(S, {?MODULE, f, 1}, traced) end,
                              fun() -> is_reference(trace:delivered(S, self())) end]].

refused(Idle) ->
    S = trace:session_create(one, Idle, []),
    Dead = spawn(fun() -> ok end),
    M = monitor(process, Dead), receive {'DOWN', M, _, _, _} -> ok end,
    Port = list_to_port("#Port<0.99999>"),
    [try_it(create, fun() -> apply(trace, session_create, tuple_to_list(A)) end)
     || A <- [{"x", Idle, []}, {x, name, []}, {x, {no_module_at_all, s}, []}, {x, Idle, x}, {x, Idle, [x]},
              {x, Idle, [{a, b}]}, {x, [], []}]],
    [try_it(process, fun() -> trace:process(S, Who, How, Flags) end)
     || {Who, How, Flags} <- [{nobody, true, [send]}, {nobody, perhaps, [nonsense]}, {self(), perhaps, [send]},
                              {self(), perhaps, [nonsense]}, {self(), true, send}, {self(), true, [send | send]},
                              {Dead, true, [send]}, {self(), true, [send, {tracer, self()}]},
                              {self(), true, [{tracer, Idle}]}, {self(), true, [cpu_timestamp]}, {ports, true, []},
                              {new_processes, true, []}, {Port, true, [send]}]],
    try_it(process, fun() -> trace:process(nothing, nobody, true, []) end),
    try_it(process, fun() -> trace:process(nothing, self(), perhaps, [nonsense]) end),
    [try_it(port, fun() -> trace:port(S, Who, How, Flags) end)
     || {Who, How, Flags} <- [{nobody, true, [send]}, {self(), true, [send]}, {Port, true, [send]}, {Port, false, [send]},
                              {new, true, [send]}, {new_ports, false, [send]}, {new, true, [nonsense]},
                              {new, perhaps, [send]}, {processes, true, [send]}]],
    [try_it(function, fun() -> trace:function(S, What, Spec, Options) end)
     || {What, Spec, Options} <- [{x, true, []}, {{m, f}, true, []}, {{m, f, x}, true, []}, {{m, f, 1}, nonsense, []},
                                  {{m, f, 1}, [x], []}, {x, nonsense, []}, {x, nonsense, nonsense},
                                  {{m, f, 1}, true, [nonsense]}, {{m, f, 1}, true, nonsense},
                                  {{m, f, 1}, true, [{meta, Idle}]}, {{m, f, 1}, true, [local, global]},
                                  {{m, f, 1}, true, [local]}]],
    try_it(function, fun() -> trace:function(nothing, x, nonsense, nonsense) end),
    [try_it({info, Item}, fun() -> trace:info(S, What, Item) end)
     || {What, Item} <- [{nobody, flags}, {nobody, nonsense}, {self(), nonsense}, {self(), traced}, {Dead, flags},
                         {new, traced}, {{m, f}, traced}, {{m, f, x}, traced}, {{m, f, 1}, traced},
                         {{m, f, -1}, traced}, {{?MODULE, f, 1}, nonsense}, {{?MODULE, f, 1}, flags},
                         {{m, f, 1}, nonsense}, {self(), session}, {{?MODULE, f, 1}, session}, {[], flags}]],
    try_it(info, fun() -> trace:info(nothing, nobody, nonsense) end),
    [try_it(session_info, fun() -> trace:session_info(What) end)
     || What <- [self(), Dead, {?MODULE, f, 1}, {?MODULE, nosuch, 1}, {no_module_at_all, f, 1}, {m, f, x}, {m, f}, nonsense,
                 [], new, new_processes, new_ports, on_load]],
    try_it(delivered, fun() -> trace:delivered(S, nobody) end),
    trace:session_destroy(S).

settings(Idle) ->
    S = trace:session_create(one, Idle, []),
    P = servant(),
    Ask = fun(Name) ->
                  show(Name, [trace:info(S, P, flags), element(2, trace:info(S, P, tracer)) =:= Idle,
                              trace:info(S, new, flags), element(2, trace:info(S, new_processes, tracer)) =:= Idle,
                              trace:info(S, new_ports, flags), trace:info(S, new_ports, tracer),
                              unnumbered(trace:session_info(P)), unnumbered(trace:session_info(new)),
                              unnumbered(trace:session_info(on_load)), unnumbered(trace:session_info({?MODULE, f, 1}))] ++
                           [trace:info(S, W, I) || W <- [{?MODULE, f, 1}, on_load], I <- [traced, match_spec]] ++
                           [erlang:trace_info(P, flags), erlang:trace_info({?MODULE, f, 1}, traced)])
          end,
    Ask(before),
    show(set, [trace:process(S, P, true, [call, procs]), trace:process(S, new, true, [send, arity]),
               trace:function(S, {?MODULE, f, 1}, [{'_', [], []}], [local]), trace:function(S, on_load, true, []),
               trace:function(S, {?MODULE, f, '_'}, true, [meta])]),
    Ask(set),
    show(meta, [element(2, trace:info(S, {?MODULE, f, 1}, meta)) =:= Idle, trace:info(S, {?MODULE, f, 1}, meta_match_spec)]),
    show(changed, [trace:process(S, P, false, [call]), trace:process(S, new, true, [procs]),
                   trace:function(S, {?MODULE, f, 1}, true, []), trace:function(S, on_load, true, [local])]),
    Ask(changed),
    show(everybody, [trace:process(S, all, true, [procs, 'receive']) > 2, trace:info(S, P, flags),
                     trace:info(S, new, flags), trace:info(S, Idle, flags), erlang:trace_info(P, flags)]),
    show(new, [trace:process(S, new, false, [arity]), trace:info(S, new, flags), trace:info(S, new, tracer)]),
    show(nobody, [trace:process(S, existing, false, [all]) > 2, trace:info(S, P, flags), trace:info(S, new, flags)]),
    trace:session_destroy(S),
    show(over, [unnumbered(trace:session_info(W)) || W <- [P, new, on_load, {?MODULE, f, 1}]]),
    over(P).

over(P) ->
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.

%% Each session is told what it asked for, in its form; the default one too.
two() ->
    P = servant(),
    Me = self(),
    A = trace:session_create(a, Me, []),
    {Other, Collected} = collector(),
    B = trace:session_create(b, Other, []),
    erlang:trace(P, true, [call, arity]),
    trace:process(A, P, true, [call, send]),
    trace:process(B, P, true, [call, return_to, monotonic_timestamp, procs]),
    trace:function(A, {?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [local]),
    trace:function(B, {?MODULE, '_', '_'}, [{'_', [], [{message, {caller}}]}], [local]),
    run(P, fun() -> ?MODULE:f(1), register(two_sessions, self()), unregister(two_sessions) end),
    show(a, collected(P)), show(b, untimed(Collected(P))),
    trace:function(A, {?MODULE, f, 1}, true, []),
    erlang:trace_pattern({?MODULE, g, 1}, [{'_', [], [{message, legacy}]}], [local]),
    run(P, fun() -> f(1), ?MODULE:f(2) end),
    show(a, collected(P)), show(b, untimed(Collected(P))),
    show(traced, [[trace:info(S, {?MODULE, F, 1}, traced) || S <- [A, B]] || F <- [f, g]]),
    %% Actions are those of their session.
    trace:function(A, {?MODULE, f, 1}, [{'_', [], [{disable_trace, call}, {enable_trace, procs}]}], [local]),
    trace:function(B, {?MODULE, g, 1}, [{'_', [], [{silent, true}]}], [local]),
    run(P, fun() -> ?MODULE:f(1), ?MODULE:f(2) end),
    show(flags, [trace:info(S, P, flags) || S <- [A, B]] ++ [erlang:trace_info(P, flags)]),
    show(a, collected(P)), show(b, untimed(Collected(P))),
    show(ends, trace:session_destroy(A)),
    run(P, fun() -> ?MODULE:f(1) end),
    show(a, collected(P)), show(b, untimed(Collected(P))),
    show(ends, trace:session_destroy(B)),
    run(P, fun() -> ?MODULE:f(1) end),
    show(a, collected(P)), show(b, untimed(Collected(P))),
    erlang:trace_pattern({?MODULE, g, 1}, false, [local]),
    erlang:trace(P, false, [all]),
    over(P).

untimed(Messages) -> [list_to_tuple(lists:droplast(tl(tuple_to_list(M)))) || M <- Messages].

%% A tracer, and a fun that fetches what it has got.
collector() ->
    Me = self(),
    C = spawn(fun L() ->
                      receive
                          {fetch, P} -> Me ! {self(), collected(P)}, L();
                          stop -> ok
                      end
              end),
    {C, fun(P) -> C ! {fetch, P}, receive {C, Messages} -> Messages end end}.

%% A function that ten sessions trace, with returns and exceptions: more frames than there is room for at first.
ten() ->
    P = servant(),
    All = [{N, C, F, trace:session_create(list_to_atom("s" ++ integer_to_list(N)), C, [])}
           || N <- lists:seq(1, 10), {C, F} <- [collector()]],
    [begin
         trace:process(S, P, true, [call, return_to]),
         trace:function(S, {?MODULE, f, 1}, [{'_', [], [{exception_trace}, {message, N}]}], [local])
     end || {N, _, _, S} <- All],
    show(sessions, lists:sort(unnumbered(trace:session_info({?MODULE, f, 1})))),
    show(sessions, lists:sort(unnumbered(trace:session_info(P)))),
    run(P, fun() -> ?MODULE:f(x) end),
    run(P, fun() -> catch ?MODULE:f(length(lists:seq(1, 2000))) + ?MODULE:f(atom) end),
    [show(N, Fetch(P)) || {N, _, Fetch, _} <- All],
    [trace:session_destroy(S) || {N, _, _, S} <- All, N rem 2 =:= 0],
    run(P, fun() -> ?MODULE:f(y) end),
    [show(N, Fetch(P)) || {N, _, Fetch, _} <- All],
    [trace:session_destroy(S) || {N, _, _, S} <- All, N rem 2 =:= 1],
    show(sessions, [trace:session_info({?MODULE, f, 1}), trace:session_info(P)]),
    [C ! stop || {_, C, _, _} <- All],
    over(P).

%% The session stays; what leads to its tracer goes.
dead_tracer() ->
    P = servant(),
    {C, _} = collector(),
    S = trace:session_create(dead, C, []),
    show(set, [trace:process(S, P, true, [send]), trace:process(S, new, true, [send]),
               trace:function(S, {?MODULE, f, 1}, true, [local]), trace:function(S, {?MODULE, g, 1}, true, [meta])]),
    over(C),
    try_it(all, fun() -> trace:session_info(all) end),
    show(info, [trace:info(S, P, flags), trace:info(S, P, tracer), trace:info(S, {?MODULE, f, 1}, traced)]),
    run(P, fun() -> ?MODULE:f(1) end),
    show(info, [trace:info(S, P, flags), trace:info(S, {?MODULE, f, 1}, traced), trace:info(S, {?MODULE, g, 1}, meta)]),
    show(set, [trace:process(S, P, true, [send]), trace:info(S, P, flags), trace:function(S, {?MODULE, f, 1}, true, [])]),
    try_it(born_dead, fun() -> trace:session_create(born_dead, C, []) end),
    show(over, [trace:session_destroy(S), trace:session_info({?MODULE, f, 1})]),
    over(P).

%% A session ends with its last strong handle.
dropped(Idle) ->
    P = servant(),
    Me = self(),
    Pid = spawn(fun() ->
                        S = {_, Weak} = trace:session_create(dropped, Idle, []),
                        trace:process(S, P, true, [call]),
                        trace:function(S, {?MODULE, f, 1}, true, [local]),
                        Me ! {weak, Weak},
                        receive stop -> S end
                end),
    receive {weak, Weak} -> ok end,
    try_it(lives, fun() -> [trace:info(Weak, P, flags), trace:session_info(P), trace:session_info({?MODULE, f, 1})] end),
    Pid ! stop,
    until(fun() -> not lists:member(Weak, trace:session_info(all)) end),
    until(fun() -> trace:session_info({?MODULE, f, 1}) =:= [] end),
    try_it(gone, fun() -> trace:info(Weak, P, flags) end),
    try_it(gone, fun() -> [trace:session_info(P), trace:session_destroy(Weak)] end),
    over(P).

until(Fun) -> Fun() orelse begin receive after 5 -> ok end, until(Fun) end.

%% A frame of a session that is over tells nobody.
late() ->
    P = servant(),
    S = trace:session_create(late, self(), []),
    trace:process(S, P, true, [call, return_to]),
    trace:function(S, {?MODULE, held, 1}, [{'_', [], [{exception_trace}]}], [local]),
    P ! {run, fun() -> [?MODULE:held(self())] end},
    receive {P, held} -> ok end,
    show(called, [M || {trace, _, _, _} = M <- collected(P)]),
    trace:session_destroy(S),
    P ! go,
    receive {P, [returned]} -> ok end,
    show(returned, collected(P)),
    over(P).

%% Handles travel as bytes too.
copies(Idle) ->
    S = trace:session_create(copied, Idle, []),
    Bytes = term_to_binary(S),
    show(same, [binary_to_term(Bytes) =:= S, trace:info(binary_to_term(Bytes), self(), flags),
                trace:session_destroy(binary_to_term(Bytes)), trace:session_destroy(S)]).

%% What actions of a session set is its own, with its own tracer; it can name no other.
actions() ->
    P = servant(), Q = servant(), Me = self(),
    {Other, _} = collector(),
    S = trace:session_create(actions, Me, []),
    Run = fun(Spec) ->
                  trace:process(S, P, true, [call]),
                  trace:function(S, {?MODULE, f, 1}, [{'_', [], [{message, Spec}]}], [local]),
                  run(P, fun() -> ?MODULE:f(1) end),
                  show(told, collected(P)),
                  show(flags, [trace:info(S, W, I) || W <- [P, Q], I <- [flags, tracer]] ++ [erlang:trace_info(P, flags)])
          end,
    Run({{{trace, [], [{{tracer, Other}}, arity]}, x}}),
    Run({{{trace, [arity], [{{tracer, Me}}, procs]}, x}}),
    Run({{{trace, Q, [], [{{tracer, Other}}, send]}, x}}),
    Run({{{trace, Q, [], [send]}, {enable_trace, Q, call}, x}}),
    Run({{{trace, Q, [send, call], []}, {disable_trace, P, call}, x}}),
    erlang:trace(P, true, [procs, {tracer, Other}]),
    Run({{{trace, [], [procs]}, {enable_trace, arity}, {silent, true}, x}}),
    trace:function(S, {?MODULE, f, 1}, false, [local]),
    trace:process(S, P, false, [all]),
    trace:function(S, {?MODULE, f, 1}, [{'_', [], [{message, {{{enable_trace, send}, {trace, [], [procs]}}}}]}], [meta]),
    run(P, fun() -> ?MODULE:f(1) end),
    show(meta, collected(P)),
    show(flags, [trace:info(S, P, flags), erlang:trace_info(P, flags)]),
    trace:session_destroy(S),
    over(P), over(Q).
