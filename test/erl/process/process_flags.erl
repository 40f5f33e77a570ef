-module(process_flags).
-export([main/0, wait/0]).
-include("p.hrl").

main() ->
    process_flag(trap_exit, false),
    p(self, self()),
    flags(),
    infos(),
    spawning(),
    suspending(),
    leaders(),
    collections(),
    limits(),
    hibernating(),
    alive().

flags() ->
    [begin
         f({Flag, V}, fun() -> process_flag(Flag, V) end)
     end || {Flag, Vs} <- [{trap_exit, [true, false, x]}, {priority, [high, low, max, normal, x]},
                           {message_queue_data, [off_heap, on_heap, x]}, {error_handler, [foo, error_handler, 1]},
                           {fullsweep_after, [10, 0, 65535, -1, x]}, {min_heap_size, [1000, 233, -1, x]},
                           {min_bin_vheap_size, [50000, 46422, -1]},
                           {max_heap_size, [100000000, 0, #{size => 0, kill => true}, #{size => 100000000,
                               kill => false,
                                            error_logger => false}, #{kill => true}, -1, x,
                                            #{size => 0, kill => true, error_logger => true}]},
                           {monitor_nodes, [true, true, false, false, x]},
                           {{monitor_nodes, []}, [true, true, x, false]},
                           {{monitor_nodes, #{}}, [true, true]}, {{monitor_nodes, #{node_type => visible}}, [true, true]},
                           {{monitor_nodes, #{nodedown_reason => false}}, [true]},
                           {{monitor_nodes, #{nodedown_reason => true, node_type => hidden}}, [true, false, false]},
                           {{monitor_nodes, #{connection_id => true, node_type => all}}, [true, false, false]},
                           {{monitor_nodes, #{connection_id => true, node_type => all}}, [true, false, false]},
                           {{monitor_nodes, #{list => true, nodedown_reason => true}}, [true, true, false]},
                           {{monitor_nodes, #{list => true}}, [true, x]}, {{monitor_nodes, #{list => false}}, [true]},
                           {{monitor_nodes, #{foo => true}}, [true]}, {{monitor_nodes, #{node_type => x}}, [true]},
                           {{monitor_nodes, #{nodedown_reason => 1}}, [true]}, {{monitor_nodes, [a]}, [true]},
                           {{monitor_nodes, #{}}, [false, x]}, {{x, []}, [true]},
                           {sensitive, [true, false, x]}, {foo, [true]}, {1, [1]}],
            V <- Vs],
    p(info, process_info(self(), [trap_exit, priority, message_queue_data, error_handler, min_heap_size,
                                  min_bin_vheap_size, max_heap_size])).

infos() ->
    P = spawn(?MODULE, wait, []),
    ok = eventually(fun() -> process_info(P, status) =:= {status, waiting} end),
    [p(I, process_info(P, I))
        || I <- [current_function, initial_call, status, message_queue_len, messages, links, monitors,
                                       monitored_by, dictionary, trap_exit, error_handler, priority, group_leader,
                                           trace,
                                       catchlevel, sequential_trace_token, suspending, last_calls, registered_name,
                                       message_queue_data, binary, parent, max_heap_size]],
    %% How often it was collected is the runtime's own affair.
    {_, Collecting} = process_info(P, garbage_collection),
    p(garbage_collection, [{K, if K =:= minor_gcs -> is_integer(V); true -> V end} || {K, V} <- Collecting]),
    P ! {put, key, "value"},
    P ! {unknown, 1},
    ok = eventually(fun() -> process_info(P, dictionary) =/= {dictionary, []} end),
    p(list, process_info(P, [dictionary, messages, message_queue_len, registered_name])),
    p(keys, [K || {K, _} <- process_info(P)]),
    p(sizes, [is_integer(V)
        || {_, V} <- process_info(P, [heap_size, total_heap_size, stack_size, memory, reductions])]),
    exit(P, kill),
    p(dead, eventually(fun() -> process_info(P, status) =:= undefined end)),
    p(dead, process_info(P)),
    p(self, process_info(self(), [status, current_function])),
    [f({info, same(X), I}, fun() -> process_info(X, I) end)
        || {X, I} <- [{a, status}, {self(), foo}, {self(), [status, foo]},
                                                                    {self(), [status | x]}, {self(), []}, {1, []}]],
    [f({info, X}, fun() -> process_info(X) end) || X <- [a, 1]].

wait() ->
    receive {put, K, V} -> put(K, V), wait() end.

spawning() ->
    [f({opt, O}, fun() -> {P, R} = spawn_opt(fun() -> receive X -> X end end, [monitor | O]),
                          I = process_info(P, [priority, message_queue_data, min_heap_size, min_bin_vheap_size,
                                               max_heap_size, links]),
                          unlink(P), P ! go, receive {'DOWN', R, _, _, W} -> {I, W} end end)
     || O <- [[], [link], [{priority, high}], [{priority, low}], [{min_heap_size, 1000}], [{min_bin_vheap_size, 1000}],
              [{max_heap_size, 10000}], [{max_heap_size, #{size => 10000, kill => false}}], [{message_queue_data,
                  off_heap}],
              [{fullsweep_after, 5}], [{max_heap_size, 10}], [{priority, x}], [x], [{x, y}], x, [link | x],
              [{min_heap_size, -1}], [{message_queue_data, x}], [{monitor, x}], [{monitor, [{tag, t}, x]}]]],
    [f({spawn, A}, fun() -> apply(erlang, spawn, A) end)
        || A <- [[x], [a, b, c], [1, b, []], [a, 1, []], [a, b, [x | y]]]],
    f(spawn_link, fun() -> spawn_link(x) end),
    f(spawn_monitor, fun() -> spawn_monitor(x) end),
    {_, R} = spawn_monitor(lists, seq, [1, 3]),
    receive {'DOWN', R, _, _, W} -> p(mfa, W) end,
    [begin f({request, A}, fun() -> apply(erlang, spawn_request, A) end), p(reply, flush(50)) end
     || A <- [[a, b, x], [a, b, [], [x]], [1, b, [], []], [a, b, [], x], [a, b, [], [{reply_tag, t}, {reply, x}]],
              [a, b, [], [{reply_tag, t}, {priority, x}]], [lists, seq, [1, 2], [{reply, no}]],
              [lists, seq, [1, 2], [{reply, error_only}]], [lists, seq, [1, 2], [{reply, success_only}]]]],
    p(abandon, spawn_request_abandon(make_ref())).

suspending() ->
    P = spawn(fun Loop() -> receive {F, X} -> F ! X, Loop() end end),
    p(suspend, erlang:suspend_process(P)),
    p(status, process_info(P, status)),
    P ! {self(), hello},
    p(silent, flush(30)),
    p(twice, erlang:suspend_process(P)),
    p(unless, erlang:suspend_process(P, [unless_suspending])),
    p(suspending, process_info(self(), suspending)),
    p(resume, erlang:resume_process(P)),
    p(silent, flush(30)),
    p(resume, erlang:resume_process(P)),
    p(speaks, flush(100)),
    f(resume_more, fun() -> erlang:resume_process(P) end),
    Self = self(),
    {S, R} = spawn_monitor(fun() -> erlang:suspend_process(P), Self ! ready, receive go -> ok end end),
    receive ready -> ok end,
    P ! {self(), freed},
    p(silent, flush(30)),
    S ! go,
    receive {'DOWN', R, _, _, _} -> ok end,
    p(freed, flush(100)),
    erlang:suspend_process(P),
    exit(P, kill),
    p(killed, eventually(fun() -> not is_process_alive(P) end)),
    [f({suspend, same(X)}, fun() -> erlang:suspend_process(X) end) || X <- [a, self(), P]],
    f(options, fun() -> erlang:suspend_process(spawn(fun() -> wait() end), [x]) end).

leaders() ->
    GL = group_leader(),
    P = spawn(fun() -> receive x -> ok end end),
    p(inherited, process_info(P, group_leader) =:= {group_leader, GL}),
    p(set, group_leader(self(), P)),
    p(other, process_info(P, group_leader) =:= {group_leader, self()}),
    Q = spawn(fun() -> ok end),
    ok = eventually(fun() -> not is_process_alive(Q) end),
    [f({leader, same(A), same(B)}, fun() -> group_leader(A, B) end)
        || {A, B} <- [{a, self()}, {self(), a}, {self(), Q}]],
    group_leader(GL, self()),
    exit(P, kill).

collections() ->
    P = spawn(fun Loop() -> receive x -> ok; _ -> Loop() end end),
    p(self, garbage_collect()),
    p(other, garbage_collect(P)),
    p(minor, garbage_collect(P, [{type, minor}])),
    p(async, garbage_collect(P, [{async, id}])),
    p(answer, flush(100)),
    exit(P, kill),
    ok = eventually(fun() -> not is_process_alive(P) end),
    p(dead, garbage_collect(P)),
    f(bad, fun() -> garbage_collect(x) end).

limits() ->
    {_, R} = spawn_opt(fun() -> lists:seq(1, 1000000), ok end,
                       [monitor, {max_heap_size, #{size => 10000, error_logger => false, kill => true}}]),
    receive {'DOWN', R, _, _, Why} -> p(limit, Why) end,
    {_, R2} = spawn_opt(fun() -> length(lists:seq(1, 100000)), exit(done) end,
                        [monitor, {max_heap_size, #{size => 10000, error_logger => false, kill => false}}]),
    receive {'DOWN', R2, _, _, Why2} -> p(no_kill, Why2) end.

hibernating() ->
    Self = self(),
    P = spawn(fun() -> put(a, 1), erlang:hibernate(?MODULE, wait, []) end),
    ok = eventually(fun() -> process_info(P, current_function) =:= {current_function, {erlang, hibernate, 3}} end),
    p(status, process_info(P, status)),
    P ! {put, b, 2},
    ok = eventually(fun() -> process_info(P, dictionary) =/= {dictionary, [{a, 1}]} end),
    p(dictionary, lists:sort(element(2, process_info(P, dictionary)))),
    exit(P, kill),
    Q = spawn(fun() -> self() ! now, erlang:hibernate(erlang, send, [Self, woke]) end),
    p(at_once, flush(50)),
    Q.

alive() ->
    P = spawn(fun() -> receive x -> ok end end),
    p(alive, is_process_alive(P)),
    exit(P, kill),
    p(killed, is_process_alive(P)),
    p(self, is_process_alive(self())),
    p(processes, lists:member(self(), processes())),
    p(not_in, lists:member(P, processes())),
    [f({alive, X}, fun() -> is_process_alive(X) end) || X <- [a, 1]].
