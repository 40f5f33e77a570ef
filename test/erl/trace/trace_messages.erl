%% Patterns for messages that are sent and received.
-ifndef(TRACE).
-module(trace_messages).
-endif.
-export([main/0]).
-include("trace.hrl").

main() ->
    infos(), sent(), received(), senders(), silent(), known(), refused(), switched().

pattern(What, Spec) -> ?TRACE:trace_pattern(What, Spec, []).

infos() ->
    [show({W, I}, try ?TRACE:trace_info(W, I) catch C:R:S -> {_, _, _, Info} = hd(S), {C, R, Info} end)
     || W <- [send, 'receive'], I <- [match_spec, traced, all, meta, call_count, call_time, flags, tracer]].

sent() ->
    P = servant(), Q = spawn(fun() -> receive never -> ok end end),
    register(held, Q),
    ?TRACE:trace(P, true, [send]),
    [begin
         show(send, [Spec, pattern(send, Spec), ?TRACE:trace_info(send, match_spec)]),
         run(P, fun() ->
                        Q ! a, held ! b, {held, node()} ! c, Q ! {big, [1, "text"]}, erlang:send(Q, e, [noconnect]),
                        catch no_such ! d, list_to_pid("<0.9999.0>") ! f
                end),
         show(told, collected(P))
     end || Spec <- [true, false, [], [{'_', [], []}], [{['_', a], [], []}], [{[Q, '_'], [], []}],
                     [{[held, '_'], [], []}], [{['$1', '_'], [{is_pid, '$1'}], []}],
                     [{['$1', '$2'], [], [{message, {{'$1', '$2', foo}}}]}], [{'_', [], [{message, false}]}],
                     [{'_', [], [{message, true}]}], [{'_', [], [false]}], [{'_', [], [{return_trace}]}],
                     [{'_', [], [{exception_trace}]}], [{'_', [], [{message, {self}}]}], [{[a], [], []}],
                     [{['_', {big, '$1'}], [], [{message, '$1'}]}, {['_', b], [], []}],
                     [{'_', [], [{silent, true}]}], [{'_', [], [{silent, false}]}], true]],
    over(P), exit(Q, kill).

received() ->
    P = servant(), Self = self(),
    ?TRACE:trace(P, true, ['receive']),
    [begin
         show('receive', [Spec, pattern('receive', Spec), ?TRACE:trace_info('receive', match_spec)]),
         P ! {m, 1}, P ! "text", P ! {deep, [Self, {m, 2.5}]},
         run(P, fun() -> receive "text" -> ok end end),
         show(told, [M || M <- collected(P), element(3, M) =:= 'receive', not is_tuple(element(4, M)) orelse
                                                 element(1, element(4, M)) =/= run])
     end || Spec <- [true, false, [], [{'_', [], []}], [{[node(), '_', '_'], [], []}],
                     [{['$1', '$2', '$3'], [], [{message, {{'$1', '$2'}}}]}], [{['_', self(), '_'], [], []}],
                     [{['_', undefined, '_'], [], []}], [{['_', '_', {m, '$1'}], [], [{message, '$1'}]}],
                     [{['_', '_', {deep, '$1'}], [], [{message, '$1'}]}],
                     [{'_', [], [{message, {self}}]}], [{'_', [], [{message, false}]}], [{'_', [], [{return_trace}]}],
                     true]],
    over(P).

%% Who counts as the sender of what the runtime makes.
senders() ->
    Self = self(),
    P = spawn(fun() -> process_flag(trap_exit, true), served(Self, ready) end),
    receive {P, ready} -> ok end,
    ?TRACE:trace(P, true, ['receive']),
    pattern('receive', [{['$1', '$2', '$3'], [], [{message, {{'$1', {is_pid, '$2'}, '$2'}}}]}]),
    run(P, fun() ->
                   spawn_link(fun() -> exit(bye) end), receive {'EXIT', _, bye} -> ok end,
                   {_, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> ok end,
                   N = monitor(process, no_such), receive {'DOWN', N, _, _, _} -> ok end,
                   link(list_to_pid("<0.9999.0>")), receive {'EXIT', _, noproc} -> ok end,
                   erlang:send_after(1, self(), tick), receive tick -> ok end,
                   R = erlang:start_timer(1, self(), tock), receive {timeout, R, tock} -> ok end,
                   I = erlang:spawn_request(erlang, date, [], []), receive {spawn_reply, I, ok, _} -> ok end,
                   self() ! own, receive own -> ok end,
                   A = alias(), spawn(fun() -> A ! by_alias end), receive by_alias -> ok end,
                   erlang:garbage_collect(Self, [{async, x}]), receive {garbage_collect, x, _} -> ok end,
                   T = erlang:trace_delivered(Self), receive {trace_delivered, Self, T} -> ok end
           end),
    show(senders, [case {M, Extra} of
                       {{run, _}, _} -> run;
                       {{Ref, _}, _} when is_reference(Ref) -> []; % of a module that is loaded
                       {_, {Node, IsPid, _}} -> {tag(M), Node, IsPid, element(3, Extra) =:= Self,
                                                 element(3, Extra) =:= P}
                   end || {trace, _, 'receive', M, Extra} <- collected(P)]),
    pattern('receive', true),
    over(P).

tag(M) when is_tuple(M) -> element(1, M);
tag(M) -> M.

silent() ->
    P = servant(), Self = self(),
    ?TRACE:trace(P, true, [send, silent]),
    Send = fun() -> [Self ! {x, X} || X <- [c, a, c, b, c, d]] end,
    [begin
         pattern(send, Spec), run(P, Send),
         show({silent, Spec}, collected(P)), everything_else()
     end || Spec <- [true, [{'_', [], []}],
                     [{['_', {x, a}], [], [{silent, false}]}, {['_', {x, b}], [], [{silent, true}]},
                      {['_', {x, c}], [], []}],
                     true]],
    pattern(send, true),
    over(P).

everything_else() -> receive {x, _} -> everything_else() after 0 -> ok end.

%% Which actions each kind of pattern knows.
known() ->
    Actions = [{message, x}, {message, {self}}, {return_trace}, {exception_trace}, {caller}, {caller_line},
               {current_stacktrace}, {current_stacktrace, 1}, {process_dump}, {display, x}, {enable_trace, call},
               {enable_trace, self(), call}, {disable_trace, call}, {trace, [], []}, {trace, self(), [], []},
               {silent, true}, {get_tcw}, {set_tcw, 1}, {is_seq_trace}, {set_seq_token, label, 1}, {get_seq_token}],
    [show(W, {A, try pattern(W, [{'_', [], [A]}]) catch _:R -> R end}) || W <- [send, 'receive'], A <- Actions],
    [pattern(W, true) || W <- [send, 'receive']].

refused() ->
    [show(A, try apply(erlang, trace_pattern, A) catch C:R:S -> {_, _, _, I} = hd(S), {C, R, I} end)
     || A <- [[send, true, [local]], [send, true, [meta]], ['receive', true, [global]], [send, pause, []],
              ['receive', restart, []], [send, foo, []], [send, [foo], []], [send, true, foo],
              [send, true, [call_count]], ['receive', [{'_', [], [{no_such}]}], []], [send, true, [nonsense]],
              [send, true]]].

%% Patterns that change while messages flow: each message is told or not, whole and in order.
switched() ->
    Self = self(), Sink = spawn(fun sink/0), % not in the way of what is told
    pattern(send, true),
    P = spawn(fun() -> receive go -> [Sink ! {x, N} || N <- lists:seq(1, 20000)], Self ! sent end end),
    ?TRACE:trace(P, true, [send]),
    P ! go,
    [pattern(send, S) || _ <- lists:seq(1, 300),
                         S <- [false, [{['_', {x, '$1'}], [{'>', '$1', 0}], [{message, '$1'}]}], true]],
    receive sent -> ok end,
    R = erlang:trace_delivered(P), receive {trace_delivered, P, R} -> ok end,
    Told = [case M of
                {trace, P, send, {x, N}, Sink} -> N;
                {trace, P, send, {x, N}, Sink, N} -> N
            end || M <- everything(), element(4, M) =/= sent],
    exit(Sink, kill),
    show(in_order, Told =:= lists:usort(Told)).

sink() -> receive _ -> sink() end.

over(P) ->
    ?TRACE:trace(P, false, [all]),
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.
