%% The token of a sequential trace between nodes: what carries it, and what the system tracers of both hear.
%%
%% Each case runs a process here (a) and, where it needs one, one there (b), which waits for the first message. Who
%% traces watches both, so that all that they have told has come when they are over. What one node's tracer has heard
%% is sorted: what two processes do has no order.
-module(c_seq_trace).
-export([main/0, collect/2, child/1, idle/0]).

-import(cluster, [do/2, call/2, call/4, named/2, start/1, start/2, wait/1]).

main() ->
    B = start(b),
    cluster:connect(B),
    sends(B),
    labels(B),
    flags(B),
    serials(B),
    exits(B),
    downs(B),
    spawns(B),
    others(B),
    tracers(B),
    through(B).

%% --- what tells of a case ------------------------------------------------------------------------------------------

%% A runs here with the pid of b, B there. Answers: {what a ended with, what b did, what was heard here, and there}.
traced(Node, A, B) -> traced(Node, fun lists:sort/1, A, B).

traced(Node, Sort, A, B) ->
    Here = spawn_link(?MODULE, collect, [self(), local]),
    There = call(Node, fun() -> erlang:spawn(?MODULE, collect, [self(), far]) end),
    Here ! {watch, self(), ready},
    There ! {watch, self(), ready},
    [receive {ready, C} -> ok end || C <- [Here, There]],
    There ! {run, self(), first(B)},
    PB = receive {runs, There, Pid} -> Pid end,
    Here ! {run, self(), fun() -> A(PB) end},
    PA = receive {runs, Here, Pid2} -> Pid2 end,
    Here ! {tell, self()},
    EndA = receive {heard, Here, E1, HeardHere} -> {E1, HeardHere} end,
    There ! {tell, self()},
    EndB = receive {heard, There, E2, HeardThere} -> {E2, HeardThere} end,
    Names = #{PA => a, PB => b, self() => main, Here => tracer, There => far_tracer, group_leader() => leader},
    {R1, L1} = named(EndA, Names),
    {R2, L2} = named(EndB, Names),
    {{a, R1}, {b, R2}, {here, Sort(L1)}, {there, Sort(L2)}}.

first(B) -> fun() -> receive {hello, From} -> B(From) end end.

%% The system tracer of its node: what it has heard, and what the process that it runs has ended with.
collect(_, _) ->
    receive {watch, Pid, ready} -> ok end,
    seq_trace:reset_trace(),
    seq_trace:set_system_tracer(self()),
    Pid ! {ready, self()},
    {Runs, Monitor} = receive {run, Who, Fun} ->
        {P, M} = spawn_monitor(fun() -> exit({value, Fun()}) end),
        Who ! {runs, self(), P},
        {P, M}
    end,
    receive {'DOWN', Monitor, _, Runs, Reason} -> ok end,
    receive {tell, Asks} -> ok end,
    Asks ! {heard, self(), Reason, heard()},
    seq_trace:set_system_tracer(false).

heard() ->
    receive
        {seq_trace, _, _} = Told -> [Told | heard()];
        {seq_trace, _, _, _} = Told -> [Told | heard()];
        {'DOWN', _, _, _, _} -> heard();
        Other -> [{not_a_trace, Other} | heard()]
    after 0 -> []
    end.

token(Label) ->
    seq_trace:set_token(label, Label),
    [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive', print]].

%% Whoever has sent it is told when the token is with the other.
hello(B) -> B ! {hello, self()}, got().

got() -> receive M -> {M, seq_trace:get_token()} after 90000 -> missing end.

answer(To) -> To ! {reply, seq_trace:get_token()}.

%% --- messages ------------------------------------------------------------------------------------------------------

sends(Node) ->
    do("no token", fun() -> traced(Node, fun hello/1, fun answer/1) end),
    do("a message and its answer", fun() ->
        traced(Node, fun(B) -> token(17), hello(B) end, fun answer/1)
    end),
    do("messages by name", fun() ->
        traced(Node,
               fun(B) ->
                   register(a_name, self()),
                   token(18),
                   B ! {hello, {a_name, node()}},
                   {reply, _} = element(1, got()),
                   {b_name, Node} ! once_more,
                   erlang:send({b_name, Node}, options, [nosuspend]),
                   got()
               end,
               fun(A) ->
                   register(b_name, self()),
                   A ! {reply, seq_trace:get_token()},
                   {once_more, T1} = got(),
                   {options, T2} = got(),
                   A ! {T1, T2}
               end)
    end),
    do("to nobody", fun() ->
        traced(Node,
               fun(B) ->
                   token(19),
                   {nobody_of_this_name, Node} ! lost,
                   hello(B)
               end, fun answer/1)
    end),
    do("an alias", fun() ->
        traced(Node, fun(B) -> token(20), B ! {hello, alias()}, got() end, fun answer/1)
    end),
    do("an alias of a monitor", fun() ->
        traced(Node, fun(B) -> token(21), B ! {hello, monitor(process, B, [{alias, reply_demonitor}])}, got() end,
               fun answer/1)
    end),
    do("a token is lost by what has none", fun() ->
        traced(Node,
               fun(B) ->
                   token(22),
                   Reply = hello(B),
                   Reply2 = got(),
                   [Reply, Reply2, seq_trace:get_token()]
               end,
               fun(A) -> answer(A), seq_trace:set_token([]), answer(A) end)
    end),
    do("many turns", fun() ->
        traced(Node,
               fun(B) ->
                   token(23),
                   B ! {hello, self()},
                   [begin {N, T} = got(), B ! N, T end || N <- lists:seq(1, 5)]
               end,
               fun(A) -> [begin A ! N, {N, T} = got(), T end || N <- lists:seq(1, 5)] end)
    end),
    do("a large message", fun() ->
        Large = binary:copy(<<"abc">>, 100000),
        traced(Node, fun(B) -> token(24), B ! {hello, self()}, {L, T} = got(), {L =:= Large, T} end,
               fun(A) -> seq_trace:set_token('receive', false), seq_trace:set_token(send, false), A ! Large, ok end)
    end),
    do("print", fun() ->
        traced(Node, fun(B) -> token(25), seq_trace:print(here), seq_trace:print(25, label), seq_trace:print(26, other),
                               hello(B) end,
               fun(A) -> seq_trace:print(there), answer(A) end)
    end),
    do("send_after there", fun() ->
        traced(Node, fun(B) -> token(27), B ! {hello, self()}, got() end,
               fun(A) -> erlang:send_after(1, self(), timed), {timed, T} = got(), A ! {T, seq_trace:get_token()} end)
    end).

labels(Node) ->
    [do(io_lib:format("the label ~0tp", [L]), fun() ->
         traced(Node, fun(B) -> token(L), hello(B) end, fun answer/1)
     end) || L <- [0, -1, 1 bsl 27, 1 bsl 59, 1 bsl 60, -(1 bsl 70), label, "list", {tu, ple}, 1.5, <<"binary">>,
                   #{a => 1}, [], [a | b], <<1:3>>, binary:copy(<<"x">>, 70)]],
    do("a label of pids", fun() ->
        Self = self(),
        {_, {b, _}, _, _} = traced(Node, fun(B) -> token({Self, B}), hello(B) end, fun answer/1)
    end).

flags(Node) ->
    [do(io_lib:format("the flags ~0p", [Flags]), fun() ->
         traced(Node,
                fun(B) ->
                    seq_trace:set_token(label, 5),
                    [seq_trace:set_token(F, true) || F <- Flags],
                    seq_trace:print(here),
                    B ! {hello, self()},
                    {{R, T}, T2} = got(),
                    {R, [T, T2]}
                end,
                fun(A) -> seq_trace:print(there), A ! {reply, seq_trace:get_token()} end)
     end) || Flags <- [[], [send], ['receive'], [print], [send, 'receive'], ['receive', print]]],
    [do(io_lib:format("times by ~0p", [Flag]), fun() ->
         {_, _, {here, H}, {there, T}} = traced(Node,
                fun(B) -> token(6), seq_trace:set_token(Flag, true), hello(B) end, fun answer/1),
         [{element(1, element(3, Told)), tuple_size(Told), kind_of_time(element(4, Told))} || Told <- H ++ T]
     end) || Flag <- [timestamp, strict_monotonic_timestamp, monotonic_timestamp]].

kind_of_time({A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> now;
kind_of_time(N) when is_integer(N) -> nanoseconds;
kind_of_time({N, U}) when is_integer(N), is_integer(U) -> unique.

serials(Node) ->
    do("serials that are given", fun() ->
        traced(Node, fun(B) -> token(1), seq_trace:set_token(serial, {100, 200}), hello(B) end,
               fun(A) -> seq_trace:set_token(serial, {7, 9}), answer(A) end)
    end),
    do("large serials", fun() ->
        traced(Node, fun(B) -> token(1), seq_trace:set_token(serial, {1 bsl 27, 1 bsl 40}), hello(B) end, fun answer/1)
    end),
    do("a token is set anew there", fun() ->
        traced(Node, fun(B) -> token(1), hello(B) end,
               fun(A) -> Old = seq_trace:set_token([]), token(2), A ! {old, Old, seq_trace:get_token()}, ok end)
    end),
    do("a token is kept and set back", fun() ->
        traced(Node, fun(B) -> token(1), T = seq_trace:get_token(), B ! {hello, self()}, R = got(),
                               seq_trace:set_token(T), {R, seq_trace:get_token()} end, fun answer/1)
    end),
    do("reset there", fun() ->
        traced(Node, fun(B) -> token(1), hello(B) end, fun(A) -> seq_trace:reset_trace(), answer(A) end)
    end),
    do("reset here, while it is there", fun() ->
        traced(Node, fun(B) -> token(1), B ! {hello, self()}, seq_trace:reset_trace(), got() end, fun answer/1)
    end).

%% --- ends ----------------------------------------------------------------------------------------------------------

%% b traps exits if told to, and says what it got and with which token.
waits(Traps) ->
    fun(A) ->
        process_flag(trap_exit, Traps),
        seq_trace:set_token([]),
        A ! ready,
        got()
    end.

exits(Node) ->
    [begin
         do(["a link's end, ", Name], fun() ->
             traced(Node, fun(B) -> link(B), hello(B), token(31), exit(over) end, waits(Traps))
         end),
         do(["a link is taken back, ", Name], fun() ->
             traced(Node,
                    fun(B) -> link(B), B ! {hello, self()}, got(), token(32), B ! by, got(), normal end,
                    fun(A) -> R = (waits(Traps))(A), unlink(A), A ! {by, R}, ok end)
         end),
         do(["exit/2, ", Name], fun() ->
             traced(Node, fun(B) -> hello(B), token(33), exit(B, over), seq_trace:get_token() end, waits(Traps))
         end),
         do(["exit/2, killed, ", Name], fun() ->
             traced(Node, fun(B) -> hello(B), token(34), exit(B, kill), seq_trace:get_token() end, waits(Traps))
         end),
         do(["exit/2 with a large reason, ", Name], fun() ->
             traced(Node, fun(B) -> hello(B), token(35), exit(B, lists:duplicate(3000, $x)), seq_trace:get_token() end,
                    fun(A) -> case (waits(Traps))(A) of {{'EXIT', P, R}, T} -> {P, length(R), T}; O -> O end end)
         end)
     end || {Name, Traps} <- [{"trapped", true}, {"not trapped", false}]],
    do("exit/2 with normal, trapped", fun() ->
        traced(Node, fun(B) -> hello(B), token(36), exit(B, normal), seq_trace:get_token() end, waits(true))
    end),
    do("links from there", fun() ->
        traced(Node, fun(B) -> process_flag(trap_exit, true), token(37), B ! {hello, self()}, got() end,
               fun(A) -> link(A), exit(reason) end)
    end),
    do("exit/2 from there", fun() ->
        traced(Node, fun(B) -> process_flag(trap_exit, true), token(38), B ! {hello, self()}, got() end,
               fun(A) -> exit(A, reason), seq_trace:get_token() end)
    end),
    do("link to nobody", fun() ->
        Dead = call(Node, fun() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end end),
        traced(Node, fun(B) -> process_flag(trap_exit, true), token(39), link(Dead), R = got(), B ! {hello, self()},
                               {R, got()} end, fun answer/1)
    end),
    do("unlink and link", fun() ->
        traced(Node, fun(B) -> token(40), link(B), unlink(B), link(B), unlink(B), hello(B) end, fun answer/1)
    end).

downs(Node) ->
    do("a monitor's end", fun() ->
        traced(Node, fun(B) -> monitor(process, B), token(41), R = hello(B), {R, got(), seq_trace:get_token()} end,
               fun answer/1)
    end),
    do("a monitor by name", fun() ->
        traced(Node, fun(B) -> token(42), monitor(process, {nobody_of_this_name, Node}), R = got(), {R, hello(B)} end,
               fun answer/1)
    end),
    do("a monitor of a process here", fun() ->
        traced(Node, fun(B) -> token(45), spawn_monitor(fun() -> ok end), R = got(), {R, hello(B)} end, fun answer/1)
    end),
    do("a monitor's end there", fun() ->
        traced(Node, fun(B) -> token(46), B ! {hello, self()}, got(), ok end,
               fun(A) -> monitor(process, A), A ! go, got() end)
    end),
    [do(["the connection is lost, ", Name], fun() ->
        D = start(d),
        cluster:connect(D),
        P = call(D, erlang, spawn, [?MODULE, idle, []]),
        {Killer, Killed} = spawn_monitor(fun() -> receive kill -> cluster:kill(D) end end),
        Told = traced(Node, fun(B) ->
            process_flag(trap_exit, true),
            token(47),
            Ties(P, D),
            Killer ! kill,
            R = got(),
            {R, hello(B)}
        end, fun answer/1),
        receive {'DOWN', Killed, _, _, _} -> Told end
     end) || {Name, Ties} <- [{"linked", fun(P, _) -> link(P) end}, {"monitored", fun(P, _) -> monitor(process, P) end},
                              {"a node monitored", fun(_, D) -> monitor_node(D, true) end}]],
    do("a monitor taken back", fun() ->
        traced(Node, fun(B) -> token(43), M = monitor(process, B), R = demonitor(M, [info]), {R, hello(B)} end,
               fun answer/1)
    end),
    do("a monitor of a node", fun() ->
        traced(Node, fun(B) -> token(44), monitor_node(Node, true), monitor_node(Node, false), hello(B) end,
               fun answer/1)
    end).

%% --- spawned -------------------------------------------------------------------------------------------------------

child(To) -> To ! {child, seq_trace:get_token()}.
idle() -> receive stop -> ok end.

spawns(Node) ->
    do("spawn", fun() ->
        traced(Node, fun(B) -> token(51), P = spawn(Node, ?MODULE, child, [self()]),
                               R = got(), stop(B), {is_pid(P), R} end, fun(_) -> ok end)
    end),
    do("spawn_link", fun() ->
        traced(Node, fun(B) -> process_flag(trap_exit, true), token(52), spawn_link(Node, ?MODULE, child, [self()]),
                               R = [got(), got()], stop(B), R end, fun(_) -> ok end)
    end),
    do("spawn_monitor", fun() ->
        traced(Node, fun(B) -> token(53), spawn_monitor(Node, ?MODULE, child, [self()]),
                               R = [got(), got()], stop(B), R end, fun(_) -> ok end)
    end),
    do("spawn_opt", fun() ->
        traced(Node, fun(B) -> token(54), spawn_opt(Node, ?MODULE, child, [self()], [monitor, {priority, high}]),
                               R = [got(), got()], stop(B), R end, fun(_) -> ok end)
    end),
    do("a fun is spawned", fun() ->
        Self = self(),
        traced(Node, fun(B) -> token(55), spawn(Node, fun() -> Self ! {fun_child, seq_trace:get_token()} end),
                               stop(B) end, fun(_) -> ok end),
        receive {fun_child, T} -> setelement(4, T, pid) end
    end),
    [do(io_lib:format("spawn_request, ~0p", [Options]), fun() ->
        traced(Node, fun(B) -> token(56), spawn_request(Node, ?MODULE, idle, [], Options),
                               T = seq_trace:get_token(),
                               R = case proplists:get_value(reply, Options) of
                                   no -> none;
                                   error_only -> none;
                                   _ -> got()
                               end,
                               stop(B), {T, R} end, fun(_) -> ok end)
     end) || Options <- [[], [link], [monitor], [{reply, yes}], [{reply, no}], [{reply, error_only}],
                         [{reply, success_only}], [{reply_tag, mine}], [link, monitor, {priority, low}]]],
    do("spawn_request, in its order", fun() ->
        traced(Node, fun(L) -> L end,
               fun(B) -> token(59), spawn_request(Node, ?MODULE, idle, [], []), R = got(), stop(B), R end,
               fun(_) -> ok end)
    end),
    do("spawn_request, refused", fun() ->
        traced(Node, fun(B) -> token(57), spawn_request(Node, ?MODULE, idle, [], [no_such_option]),
                               R = got(), stop(B), R end, fun(_) -> ok end)
    end),
    do("spawned from there", fun() ->
        Here = node(),
        traced(Node, fun(B) -> token(58), B ! {hello, self()}, [got(), got()] end,
               fun(A) -> spawn(Here, ?MODULE, child, [A]), A ! {b, seq_trace:get_token()} end)
    end).

stop(B) -> seq_trace:set_token([]), B ! {hello, self()}.

others(Node) ->
    do("rpc", fun() ->
        traced(Node, fun(B) -> token(61), R = rpc:call(Node, seq_trace, get_token, [label]),
                               stop(B), {R, seq_trace:get_token(label)} end, fun(_) -> ok end) =/= none
    end),
    do("erpc", fun() ->
        {{a, R}, _, _, _} = traced(Node, fun(B) -> token(62), R = erpc:call(Node, seq_trace, get_token, [label]),
                               stop(B), {R, seq_trace:get_token(label)} end, fun(_) -> ok end),
        R
    end),
    do("group_leader", fun() ->
        traced(Node, fun(B) -> token(63), group_leader(self(), B), hello(B) end, fun answer/1)
    end).

%% --- who hears -----------------------------------------------------------------------------------------------------

tracers(Node) ->
    do("a tracer on another node", fun() ->
        P = call(Node, erlang, spawn, [?MODULE, idle, []]),
        [catch_it(fun() -> seq_trace:set_system_tracer(P) end),
         catch_it(fun() -> call(Node, seq_trace, set_system_tracer, [self()]) end),
         catch_it(fun() -> erlang:system_flag(sequential_tracer, P) end),
         seq_trace:get_system_tracer(), call(Node, seq_trace, get_system_tracer, [])]
    end),
    do("nobody hears", fun() ->
        Self = self(),
        {_, M} = spawn_monitor(fun() -> token(71), B = call(Node, erlang, spawn, [fun() ->
            receive {hello, A} -> answer(A) end end]), Self ! {r, hello(B)} end),
        receive {'DOWN', M, _, _, R} -> R end,
        receive {r, {X, {F, L, S, P, O}}} -> {element(1, X), [F, L, S, is_pid(P), O]} end
    end),
    do("who hears has no token", fun() ->
        Self = self(),
        spawn_link(fun() ->
            seq_trace:reset_trace(),
            seq_trace:set_system_tracer(self()),
            token(72),
            B = call(Node, erlang, spawn, [fun() -> receive {hello, A} -> answer(A) end end]),
            R = hello(B),
            seq_trace:set_system_tracer(false),
            Self ! {r, R, seq_trace:get_token()}
        end),
        receive {r, R, T} -> {R, T} end
    end).

catch_it(Fun) -> try Fun() catch C:R -> {C, R} end.

%% A third node in between.
through(Node) ->
    C = start(c),
    cluster:connect(C),
    do("a third node", fun() ->
        Relay = call(C, erlang, spawn, [fun Loop() ->
            receive {To, M} -> To ! {M, seq_trace:get_token()}, Loop() end end]),
        {{a, R}, {b, _}, _, _} = traced(Node,
            fun(B) -> token(80), Relay ! {B, {hello, self()}}, B ! {hello, self()}, [got(), got()] end,
            fun(A) -> A ! one, {{{hello, A}, _}, T} = got(), A ! {two, T}, ok end),
        R
    end),
    do("each node of three", fun() ->
        Pids = [call(N, erlang, spawn, [fun() -> receive {go, [Next | Rest]} -> Next ! {go, Rest}; {go, []} -> ok end
                                        end]) || N <- [Node, C, Node, C]],
        {{a, R}, _, _, _} = traced(Node,
            fun(B) -> token(81), hd(Pids) ! {go, tl(Pids) ++ [self()]}, R = got(), stop(B), R end, fun(_) -> ok end),
        {value, {{go, []}, T}} = R,
        setelement(4, T, pid)
    end).
