%% Tracing in a cluster: who may trace whom, what is told of processes that have to do with other nodes, and what dbg
%% and ttb make of it.
-module(c_trace).
-export([main/0, idle/0, called/1]).

-import(cluster, [do/2, call/2, call/4, named/2, start/1, wait/1]).

main() ->
    B = start(b),
    cluster:connect(B),
    refused(B),
    events(B),
    from_there(B),
    tools(B).

idle() -> receive stop -> ok; F when is_function(F) -> F(), idle(); _ -> idle() end.
called(X) -> X.

caught(F) -> try F() catch C:R -> {C, R} end.

refused(B) ->
    do("who is away is not traced, and does not trace", fun() ->
        P = call(B, erlang, spawn, [?MODULE, idle, []]),
        [caught(F) || F <- [
            fun() -> erlang:trace(P, true, [send]) end,
            fun() -> erlang:trace(P, false, [all]) end,
            fun() -> erlang:trace(self(), true, [send, {tracer, P}]) end,
            fun() -> erlang:trace(new, true, [send, {tracer, P}]) end,
            fun() -> erlang:trace_info(P, flags) end,
            fun() -> erlang:trace_info(P, tracer) end,
            fun() -> erlang:trace_delivered(P) end,
            fun() -> erlang:trace_pattern({?MODULE, called, 1}, true, [{meta, P}]) end,
            fun() -> erlang:system_monitor(P, [busy_port]) end,
            fun() -> erlang:system_profile(P, [runnable_procs]) end,
            fun() -> erlang:system_flag(system_logger, P) end,
            fun() -> process_info(P) end,
            fun() -> process_info(P, tracer) end,
            fun() -> erlang:suspend_process(P) end,
            fun() -> erlang:resume_process(P) end,
            fun() -> sys:get_state(P, 50) end,
            fun() -> erlang:monitor(port, P) end,
            fun() -> erlang:hibernate(no, no, no_list) end,
            fun() -> erlang:process_flag(P, save_calls, 1) end,
            fun() -> erlang:garbage_collect(P) end,
            fun() -> erlang:is_process_alive(P) end,
            fun() -> erlang:port_info(hd(call(B, erlang, ports, []))) end,
            fun() -> erlang:port_info(hd(call(B, erlang, ports, [])), connected) end,
            fun() -> erlang:port_command(hd(call(B, erlang, ports, [])), "x") end,
            fun() -> erlang:port_connect(hd(erlang:ports()), P) end,
            fun() -> erlang:link(hd(call(B, erlang, ports, []))) end,
            fun() -> ets:give_away(ets:new(t, []), P, x) end,
            fun() -> ets:new(t, [{heir, P, x}]) end,
            fun() -> erlang:send_after(10, P, x) end,
            fun() -> erlang:start_timer(10, {name, B}, x) end,
            fun() -> erlang:send_after(10, {name, node()}, x) end,
            fun() -> register(some_name, P) end]]
    end).

%% A process here with everything traced, that does what is told; what was told of it, with names for pids.
traced(B, Do) -> traced(B, [send, 'receive', procs], Do).

traced(B, Flags, Do) ->
    There = call(B, erlang, spawn, [?MODULE, idle, []]),
    Self = self(),
    {P, M} = spawn_monitor(fun() -> receive go -> ok end, process_flag(trap_exit, true), Do(There) end),
    Tracer = spawn_link(fun() -> tell(Self, []) end),
    1 = erlang:trace(P, true, [{tracer, Tracer} | Flags]),
    P ! go,
    receive {'DOWN', M, _, _, _} -> ok end,
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> Tracer ! done end,
    receive {told, List} -> named(List, #{P => p, There => there, Tracer => tracer, Self => main}) end.

tell(To, List) -> receive done -> To ! {told, lists:reverse(List)}; Event -> tell(To, [Event | List]) end.

got() -> receive M -> M after 90000 -> missing end.

events(B) ->
    do("messages", fun() ->
        traced(B, fun(T) ->
            S = self(),
            T ! fun() -> S ! answer end, got(),
            {nobody_of_this_name, B} ! lost,
            erlang:send(T, sent, [nosuspend]), erlang:send_nosuspend(T, sent)
        end)
    end),
    do("to an alias", fun() ->
        Alias = call(B, erlang, apply, [fun() -> alias() end, []]),
        traced(B, fun(_) -> Alias ! lost end)
    end),
    do("links", fun() ->
        traced(B, fun(T) -> S = self(),
            link(T), unlink(T), link(T), T ! fun() -> S ! linked end, got(), T ! fun() -> exit(reason) end, got() end)
    end),
    do("links from there", fun() ->
        traced(B, fun(T) -> S = self(),
            T ! fun() -> link(S), S ! linked end, got(), T ! fun() -> unlink(S), S ! unlinked end, got(),
            T ! fun() -> link(S), S ! linked end, got(), T ! fun() -> exit(reason) end, got() end)
    end),
    do("exits", fun() ->
        traced(B, fun(T) -> S = self(), T ! fun() -> exit(S, reason) end, got(), link(T), got_linked(T),
                            exit(over) end)
    end),
    do("killed from there", fun() ->
        traced(B, fun(T) -> S = self(), T ! fun() -> exit(S, kill) end, got() end)
    end),
    do("monitors", fun() ->
        traced(B, fun(T) -> M = monitor(process, T), demonitor(M), monitor(process, T),
                            monitor(process, {nobody_of_this_name, B}), got(), T ! stop, got() end)
    end),
    do("nodes", fun() ->
        traced(B, fun(_) -> monitor_node(B, true), monitor_node(B, false) end)
    end),
    do("spawn", fun() -> traced(B, fun(_) -> spawn(B, ?MODULE, idle, []) end) end),
    do("spawn_link", fun() -> traced(B, fun(_) -> P = spawn_link(B, ?MODULE, idle, []), P ! stop, got() end) end),
    do("spawn_monitor", fun() ->
        traced(B, fun(_) -> {P, _} = spawn_monitor(B, ?MODULE, idle, []), P ! stop, got() end)
    end),
    do("spawn_request", fun() ->
        traced(B, fun(_) -> spawn_request(B, ?MODULE, idle, [], [link, {reply_tag, mine}]), {mine, _, ok, P} = got(),
                            P ! stop, got(), spawn_request(B, ?MODULE, idle, [], [no_option]), got() end)
    end),
    do("spawn_request, inherited", fun() ->
        traced(B, [procs, set_on_spawn, set_on_link], fun(_) -> spawn_request(B, ?MODULE, idle, [], [link]), got() end)
    end),
    do("a register that is asked", fun() ->
        traced(B, [procs, send, 'receive', call], fun(_) -> catch gen_server:call({nobody_of_this_name, B}, x) end)
    end),
    do("group leader", fun() -> traced(B, fun(T) -> group_leader(T, self()) end) end),
    do("senders, as a pattern has them", fun() ->
        erlang:trace_pattern('receive', [{['$1', '$2', '_'], [], [{message, {{'$1', '$2'}}}]}], []),
        Told = traced(B, ['receive', procs], fun(T) -> S = self(),
            T ! fun() -> S ! small end, got(), T ! fun() -> S ! binary:copy(<<"large">>, 1000) end, got(),
            register(by_name, self()), Here = node(), T ! fun() -> {by_name, Here} ! named end, got(),
            A = alias(), T ! fun() -> A ! aliased end, got(), T ! fun() -> exit(S, asked) end, got(),
            spawn_request(B, ?MODULE, idle, [], []), got(),
            link(T), monitor(process, T), T ! fun() -> exit(reason) end, got(), got(), S ! mine, got() end),
        erlang:trace_pattern('receive', true, []),
        Told
    end),
    do("times", fun() ->
        [[tuple_size(E) || E <- traced(B, [send, F], fun(T) -> T ! hello end)] || F <- [timestamp, monotonic_timestamp,
            strict_monotonic_timestamp]]
    end).

got_linked(T) -> S = self(), T ! fun() -> S ! is_linked end, got().

%% Processes that the other node makes here.
from_there(B) ->
    do("spawned from there", fun() ->
        Here = node(),
        Self = self(),
        Tracer = spawn_link(fun() -> tell(Self, []) end),
        erlang:trace(new_processes, true, [procs, 'receive', send, {tracer, Tracer}]),
        Parent = call(B, erlang, spawn, [?MODULE, idle, []]),
        Parent ! fun() -> Self ! {child, spawn_opt(Here, ?MODULE, idle, [], [link, monitor])} end,
        {child, {Child, _}} = got(),
        erlang:trace(new_processes, false, [all]),
        Child ! stop,
        wait(fun() -> not is_process_alive(Child) end),
        Ref = erlang:trace_delivered(all),
        receive {trace_delivered, all, Ref} -> Tracer ! done end,
        receive {told, List} ->
            named([E || E <- List, element(2, E) =:= Child], #{Child => child, Parent => parent, Self => main})
        end
    end),
    do("where it begins", fun() ->
        Here = node(),
        Self = self(),
        1 = erlang:trace_pattern({erts_internal, dist_spawn_init, 1}, [], [meta]),
        Sent = [small, lists:seq(1, 5000)],
        [call(B, erlang, spawn, [Here, erlang, send, [Self, {sent, What}]]) || What <- Sent],
        Starts = [receive {trace_ts, _, call, {erts_internal, dist_spawn_init, [Start]}, _} -> Start end || _ <- Sent],
        1 = erlang:trace_pattern({erts_internal, dist_spawn_init, 1}, false, [meta]),
        {Starts, lists:sort([receive {sent, What} -> erlang:phash2(What) end || _ <- Sent])}
    end),
    do("traced there by rpc", fun() ->
        Self = self(),
        Tracer = call(B, erlang, spawn, [fun() -> receive {trace, _, call, What} -> Self ! {called, What} end end]),
        P = call(B, erlang, spawn, [?MODULE, idle, []]),
        R = [rpc:call(B, erlang, trace, [P, true, [call, {tracer, Tracer}]]),
             rpc:call(B, erlang, trace_pattern, [{?MODULE, called, 1}, true, [global]]),
             element(1, rpc:call(B, erlang, trace, [P, true, [send, {tracer, Self}]]))],
        P ! fun() -> ?MODULE:called(a_call) end,
        {R, got(), rpc:call(B, erlang, trace_pattern, [{?MODULE, called, 1}, false, [global]])}
    end).

tools(B) ->
    do("dbg on two nodes", fun() ->
        Self = self(),
        {ok, _} = dbg:tracer(process, {fun(E, N) -> Self ! {traced, E}, N + 1 end, 0}),
        Nodes = dbg:n(B),
        P = call(B, erlang, spawn, [?MODULE, idle, []]),
        C = [lists:sort(element(2, dbg:p(P, [c]))), sorted(dbg:tpl(?MODULE, called, 1, [{'_', [], [{return_trace}]}]))],
        P ! fun() -> ?MODULE:called({from, there}) end,
        E = [got(), got()],
        dbg:p(self(), [c]),
        ?MODULE:called(here),
        F = [got(), got()],
        dbg:cn(B),
        dbg:stop_clear(),
        {Nodes, named(C, #{}), named(E, #{P => there}), named(F, #{Self => main})}
    end),
    do("ttb on two nodes", fun() ->
        {ok, Nodes} = ttb:tracer([node(), B], [{file, "ttb_of_test"}, {timer, 600000}]),
        {ok, Ps} = ttb:p(all, [call]),
        {ok, Ts} = ttb:tp(?MODULE, called, 1, []),
        called_here(ttb),
        call(B, ?MODULE, called, [ttb_there]),
        Leader = group_leader(),
        group_leader(spawn(fun nowhere/0), self()), %% it prints where it has put them
        {stopped, Dir} = ttb:stop([return_fetch_dir]),
        group_leader(Leader, self()),
        Self = self(),
        Handler = {fun(_, E, _, S) -> Self ! {formatted, E}, S end, no},
        ttb:format(Dir, [{handler, Handler}, {out, filename:join(Dir, "formatted")}]),
        {lists:sort(Nodes), element(1, hd(Ps)) =/= x, sorted({ok, Ts}), lists:sort(calls(cluster:rest()))}
    end).

nowhere() -> receive {io_request, From, As, _} -> From ! {io_reply, As, ok}, nowhere() end.

called_here(X) -> ?MODULE:called(X).

calls(L) ->
    [Call || {formatted, {trace_ts, _, call, Call, _}} <- L] ++ [Call || {formatted, {trace_ts, _, call, Call}} <- L].

sorted({ok, L}) -> lists:sort([case T of {matched, N, C} -> {matched, N, C}; O -> element(1, O) end || T <- L]).
