%% What process_flag(sensitive, true) hides: from process_info, from those who trace, and from sequential tracing.
-module(trace_sensitive).
-export([main/0, f/1, g/1, hide/0, unhide/0]).
-include("trace.hrl").

f(X) -> X.
g(X) -> f(X), ok.
hide() -> process_flag(sensitive, true).
unhide() -> process_flag(sensitive, false).

main() -> infos(), calls(), frames(), events(), inherited(), tokens(), saved(), unlinked(), others().

infos() ->
    P = servant(),
    run(P, fun() -> put(key, value) end),
    P ! {not_me, 1},
    show(set, [run(P, fun hide/0), run(P, fun hide/0),
               run(P, fun() -> catch process_flag(sensitive, 1), process_flag(sensitive, true) end)]),
    show(hidden, [process_info(P, I) || I <- [messages, dictionary, message_queue_len, backtrace, status, last_calls]]),
    show(own, [run(P, fun() -> process_info(self(), I) end)
               || I <- [messages, dictionary, message_queue_len, backtrace]]),
    show(its_use, run(P, fun() -> [get(key), get()] end)),
    show(all, [lists:keyfind(I, 1, process_info(P)) || I <- [dictionary, message_queue_len]]),
    show(stack, is_list(element(2, process_info(P, current_stacktrace)))),
    run(P, fun unhide/0),
    show(shown, [process_info(P, messages), process_info(P, dictionary), run(P, fun() -> get() end)]),
    over(P).

calls() ->
    P = servant(),
    run(P, fun hide/0),
    erlang:trace(P, true, [call]),
    [erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [K]) || K <- [local, meta]],
    erlang:trace_pattern({?MODULE, f, 1}, true, [call_count]),
    erlang:trace_pattern({?MODULE, f, 1}, true, [call_time]),
    run(P, fun() -> g(1) end),
    show(hidden, everything()),
    show(count, erlang:trace_info({?MODULE, f, 1}, call_count)),
    show(time, erlang:trace_info({?MODULE, f, 1}, call_time)),
    show(flags, erlang:trace_info(P, flags)),
    run(P, fun() -> unhide(), g(2), hide(), g(3), unhide() end),
    show(between, lists:sort([setelement(size(M), M, last) || M <- everything()])),
    [erlang:trace_pattern({?MODULE, f, 1}, false, [K]) || K <- [local, meta, call_count, call_time]],
    over(P).

%% Frames on the stack speak, whenever they were pushed.
frames() ->
    P = servant(),
    erlang:trace(P, true, [call]),
    erlang:trace_pattern({?MODULE, hide, 0}, [{'_', [], [{return_trace}]}], [local]),
    erlang:trace_pattern({?MODULE, unhide, 0}, [{'_', [], [{return_trace}]}], [local]),
    run(P, fun() -> [hide()] end),
    show(hide, everything()),
    run(P, fun() -> [unhide()] end),
    show(unhide, everything()),
    [erlang:trace_pattern({?MODULE, F, 0}, false, [local]) || F <- [hide, unhide]],
    over(P).

events() ->
    P = servant(), Self = self(),
    erlang:trace(P, true, [send, 'receive', procs, garbage_collection]),
    run(P, fun hide/0), everything(),
    run(P, fun() ->
                   Self ! sent, link(Self), unlink(Self), register(some_name, self()), unregister(some_name),
                   erlang:garbage_collect(), spawn(fun() -> ok end)
           end),
    show(hidden, collected(P)),
    run(P, fun unhide/0), everything(),
    run(P, fun() -> Self ! again end),
    show(shown, [element(3, M) || M <- collected(P), not is_minor(element(3, M))]),
    receive sent -> ok end, receive again -> ok end,
    over(P).

%% Flags are handed on by a process that tells nothing itself.
inherited() ->
    P = servant(),
    run(P, fun hide/0),
    erlang:trace(P, true, [procs, set_on_spawn]),
    Waits = fun() -> receive never -> ok end end,
    Q = run(P, fun() -> spawn(Waits) end),
    show(child, [erlang:trace_info(Q, flags), [element(3, M) || M <- collected(Q)]]),
    erlang:trace(P, true, [set_on_link]),
    R = run(P, fun() -> spawn_link(Waits) end),
    show(child, [erlang:trace_info(R, flags), [element(3, M) || M <- collected(R)]]),
    S = spawn(Waits),
    run(P, fun() -> link(S) end),
    show(linked, erlang:trace_info(S, flags)),
    [over(X) || X <- [Q, R, S, P]].

tokens() ->
    P = servant(),
    seq_trace:set_system_tracer(self()),
    [begin
         run(P, fun() ->
                        How(),
                        seq_trace:set_token(label, 7),
                        [seq_trace:set_token(F, true) || F <- [send, 'receive', print]],
                        self() ! a, receive a -> ok end, seq_trace:print(hello),
                        seq_trace:set_token([])
                end),
         show(told, seq_told())
     end || How <- [fun hide/0, fun unhide/0]],
    seq_trace:set_system_tracer(false),
    over(P).

seq_told() -> quiet(), seq_hear().
seq_hear() -> receive {seq_trace, 7, T} -> [element(1, T) | seq_hear()] after 50 -> [] end.

saved() ->
    P = servant(),
    run(P, fun() -> process_flag(save_calls, 10) end),
    show(saved, element(2, process_info(P, last_calls)) =/= []),
    run(P, fun hide/0),
    show(hidden, process_info(P, last_calls)),
    over(P).

%% A link that breaks is told only by who survives it.
unlinked() ->
    [begin
         Q = spawn(fun() ->
                           process_flag(trap_exit, Traps),
                           receive {link, P} -> link(P), receive never -> ok end end
                   end),
         erlang:trace(Q, true, [procs]),
         R = spawn(fun() -> receive go -> exit(Why) end end),
         Q ! {link, R}, wait_linked(R), R ! go,
         M = monitor(process, R), receive {'DOWN', M, _, _, _} -> ok end,
         quiet(),
         show({Traps, Why}, [element(3, T) || T <- collected(Q)]),
         over(Q)
     end || Traps <- [true, false], Why <- [normal, bye, kill]].

wait_linked(P) ->
    case process_info(P, links) of
        {links, []} -> erlang:yield(), wait_linked(P);
        _ -> ok
    end.

%% Of another process only save_calls can be set.
others() ->
    P = servant(),
    [show({Flag, Value}, try process_flag(Pid, Flag, Value) catch _:R -> R end)
     || Pid <- [P, self()], {Flag, Value} <- [{save_calls, 10}, {save_calls, 0}, {trap_exit, true}, {sensitive, true},
                                              {save_calls, x}, {no_flag, 1}, {priority, high}]],
    [show(nobody, try process_flag(X, save_calls, 3) catch _:R -> R end) || X <- [x, list_to_pid("<0.9999.0>")]],
    over(P).

over(P) ->
    catch erlang:trace(P, false, [all]),
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.
