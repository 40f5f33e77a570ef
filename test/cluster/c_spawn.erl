%% Processes started on other nodes, calls to them, and what the libraries build on that: rpc, erpc, gen_server,
%% global, pg.
-module(c_spawn).
-export([main/0, echo/1, fail/1, log/2, init/1, handle_call/3, handle_cast/2, handle_info/2, greet/1]).

-import(cluster, [do/2, call/2, call/4, start/1, got/1, rest/0, wait/1, disconnect/1, connect/1, deep/2]).

main() ->
    B = start(b),
    C = start(c),
    connect(B),
    connect(C),
    spawns(B),
    requests(B),
    failed(B),
    unconnected(),
    logged(B),
    leaders(B),
    erpc(B, C),
    rpc(B, C),
    servers(B, C),
    names(B, C),
    conflict(),
    groups(B, C).

echo(To) -> To ! {self(), node()}.

greet(Name) -> io:format("hello ~s from ~s~n", [Name, node()]), done.

fail({Class, Reason}) -> erlang:Class(Reason).

%% Errors without the lines of the stack that a release may change.
caught(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

traced(Fun) ->
    try Fun() catch
        Class:Reason:Stack -> {Class, Reason, [{M, F, case A of _ when is_list(A) -> A; _ -> A end} || {M, F, A,
            _} <- Stack]}
    end.

spawns(B) ->
    do("spawn", fun() ->
        Me = self(),
        P1 = spawn(B, ?MODULE, echo, [Me]),
        P2 = spawn(B, fun() -> echo(Me) end),
        P3 = spawn_opt(B, ?MODULE, echo, [Me], [{priority, high}, {min_heap_size, 1000}]),
        P4 = spawn_opt(B, fun() -> echo(Me) end, []),
        {lists:sort(got(4)) =:= lists:sort([{P, B} || P <- [P1, P2, P3, P4]]), lists:usort([node(P) || P <- [P1, P2,
            P3, P4]])}
    end),
    do("spawn_link", fun() ->
        process_flag(trap_exit, true),
        P1 = spawn_link(B, ?MODULE, fail, [{exit, one}]),
        P2 = spawn_link(B, fun() -> exit(two) end),
        P3 = spawn_opt(B, erlang, exit, [three], [link]),
        lists:sort(got(3)) =:= lists:sort([{'EXIT', P1, one}, {'EXIT', P2, two}, {'EXIT', P3, three}])
    end),
    do("spawn_monitor", fun() ->
        {P1, M1} = spawn_monitor(B, ?MODULE, fail, [{exit, one}]),
        {P2, M2} = spawn_monitor(B, fun() -> exit(two) end),
        {P3, M3} = spawn_opt(B, erlang, exit, [three], [monitor]),
        {P4, M4} = spawn_opt(B, fun() -> exit(four) end, [{monitor, [{tag, tagged}, {alias, demonitor}]}]),
        lists:sort(got(4)) =:= lists:sort([{'DOWN', M1, process, P1, one}, {'DOWN', M2, process, P2, two},
            {'DOWN', M3, process, P3, three}, {tagged, M4, process, P4, four}])
    end),
    do("both", fun() ->
        process_flag(trap_exit, true),
        {P, M} = spawn_opt(B, erlang, exit, [foo], [link, monitor]),
        lists:sort(got(2)) =:= lists:sort([{'EXIT', P, foo}, {'DOWN', M, process, P, foo}])
    end),
    do("what it is there", fun() ->
        Me = self(),
        process_flag(trap_exit, true),
        Options = [{priority, low}, {min_heap_size, 987}, {fullsweep_after, 3}, {message_queue_data, off_heap}, link],
        spawn_opt(B, fun() ->
            Me ! [process_info(self(), I) || I <- [priority, fullsweep_after, message_queue_data, initial_call,
                dictionary,
                registered_name, trap_exit, messages]] ++ [lists:member(Me, element(2, process_info(self(), links))),
                element(2, process_info(self(), group_leader)) =:= group_leader(), node(group_leader())]
        end, Options),
        got(1)
    end),
    do("with large arguments", fun() ->
        Me = self(),
        Large = lists:seq(1, 100000),
        Binary = binary:copy(<<1, 2, 3>>, 500000),
        spawn(B, erlang, send, [Me, {Large, Binary}]),
        got(1) =:= [{Large, Binary}]
    end),
    do("many", fun() ->
        Me = self(),
        Count = deep(1000, 20000),
        Ps = [spawn(B, ?MODULE, echo, [Me]) || _ <- lists:seq(1, Count)],
        lists:sort(got(Count)) =:= lists:sort([{P, B} || P <- Ps])
    end),
    do("wrong", fun() ->
        [caught(fun() -> spawn(N, M, F, A) end) || {N, M, F, A} <- [{B, 1, a, []}, {B, a, 1, []}, {B, a, a, a},
            {B, a, a, [1 | 2]}, {1, a, a, []}]] ++
            [caught(fun() -> spawn_opt(B, erlang, self, [], O) end) || O <- [[foo], foo, [{priority, foo}],
                [{min_heap_size, -1}], [link | foo], [{monitor, foo}]]]
    end),
    do("here by the name of here", fun() ->
        Me = self(),
        P = spawn(node(), ?MODULE, echo, [Me]),
        got(1) =:= [{P, node()}]
    end).

requests(B) ->
    do("spawn_request", fun() ->
        R1 = spawn_request(B, ?MODULE, echo, [self()], []),
        [{spawn_reply, R1, ok, P1}, {P1, N}] = lists:sort(fun(X, _) -> element(1, X) =:= spawn_reply end, got(2)),
        {N, node(P1)}
    end),
    do("its replies", fun() ->
        [begin
             R = spawn_request(B, erlang, exit, [foo], Options),
             L = [case M of
                 {Tag, R, ok, P} when is_pid(P) -> {Tag, ok};
                 {Tag, R, process, P, Why} when is_pid(P) -> {Tag, process, Why};
                 _ -> {other, M}
             end || M <- got(Count)],
             {Options, L}
         end || {Options, Count} <- [{[], 1}, {[{reply_tag, mine}], 1}, {[{reply, yes}], 1}, {[monitor], 2},
             {[monitor, {reply, error_only}], 1}, {[monitor, {reply, no}], 1}, {[{monitor, [{tag, t}]}, {reply_tag,
                 {x, y}}], 2},
             {[{reply, success_only}, monitor], 2}]]
    end),
    do("no reply", fun() ->
        Me = self(),
        R = [begin spawn_request(B, ?MODULE, echo, [Me], [{reply, Reply}]), [{P, _}] = got(1), is_pid(P) end
             || Reply <- [no, error_only]],
        {R, rest()}
    end),
    do("linked", fun() ->
        process_flag(trap_exit, true),
        R = spawn_request(B, erlang, exit, [foo], [link]),
        [{spawn_reply, R, ok, P}, {'EXIT', P, foo}] = got(2),
        fine
    end),
    do("abandoned", fun() ->
        process_flag(trap_exit, true),
        Me = self(),
        R = [begin
             Ref = spawn_request(B, fun() -> receive {'EXIT', Me, Why} -> Me ! {ended, Why} after 0 -> ok end,
                 Me ! here, receive after infinity -> ok end end, Options),
             A = spawn_request_abandon(Ref),
             B1 = spawn_request_abandon(Ref),
             [here] = got(1),
             {A, B1}
         end || Options <- [[], [monitor], [{reply, no}]]],
        {R, rest(), spawn_request_abandon(make_ref())}
    end),
    do("abandoned while linked", fun() ->
        process_flag(trap_exit, true),
        Me = self(),
        Ref = spawn_request(B, fun() -> process_flag(trap_exit, true), receive {'EXIT', Me, Why} -> Me ! {ended,
            Why} end end, [link]),
        {spawn_request_abandon(Ref), got(1)}
    end),
    do("abandoned too late", fun() ->
        Ref = spawn_request(B, erlang, self, [], []),
        [{spawn_reply, Ref, ok, _}] = got(1),
        spawn_request_abandon(Ref)
    end),
    do("wrong requests", fun() ->
        [caught(fun() -> spawn_request(B, erlang, self, [], O) end) || O <- [[foo], foo, [{reply, foo}],
            [link | x]]] ++
            [caught(fun() -> spawn_request(N, erlang, self, [], []) end) || N <- [1, "a"]]
    end),
    do("options refused there", fun() ->
        All = [begin
             R = spawn_request(B, erlang, self, [], O),
             [{spawn_reply, R, What, Why}] = got(1),
             {O, What, Why}
         end || O <- [[{priority, foo}], [{no_such, option}], [{max_heap_size, -3}], [{min_heap_size, foo},
             monitor]]],
        {All, rest()}
    end).

failed(B) ->
    do("nobody runs it", fun() ->
        {P, M} = spawn_monitor(B, no_such_module, no_such_function, [1, 2]),
        [{'DOWN', M, process, P, {R, [Top | _]}}] = got(1),
        {R, Top}
    end),
    do("more arguments than a function can have", fun() ->
        [begin
             {P, M} = spawn_monitor(B, no_such_module, no_such_function, lists:seq(1, Count)),
             [{'DOWN', M, process, P, {R, [{_, _, Arguments, _} | _]}}] = got(1),
             {R, length(Arguments)}
         end || Count <- [255, 256, 300]]
    end),
    do("exceptions", fun() ->
        [begin
             {P, M} = spawn_monitor(B, ?MODULE, fail, [What]),
             [{'DOWN', M, process, P, R}] = got(1),
             case R of {Reason, [{Mod, F, A, _} | _]} -> {Reason, Mod, F, A}; _ -> R end
         end || What <- [{error, foo}, {throw, foo}, {exit, foo}]]
    end).

unconnected() ->
    do("on a node that is none", fun() ->
        process_flag(trap_exit, true),
        N = nobody@localhost,
        P1 = spawn(N, erlang, self, []),
        P2 = spawn_link(N, erlang, self, []),
        {P3, M3} = spawn_monitor(N, erlang, self, []),
        L = got(2),
        R = spawn_request(N, erlang, self, [], []),
        Q = spawn_request(N, erlang, self, [], [{reply, success_only}]),
        K = spawn_request(N, erlang, self, [], [{reply_tag, t}, monitor, link]),
        {[is_pid(P) || P <- [P1, P2, P3]], lists:sort(L) =:= lists:sort([{'EXIT', P2, noconnection},
            {'DOWN', M3, process, P3, noconnection}]), lists:sort(got(2)) =:= lists:sort([{spawn_reply, R, error,
                noconnection},
            {t, K, error, noconnection}]), is_reference(Q), rest()}
    end),
    do("spawning connects", fun() ->
        D = start(d),
        P = spawn(D, ?MODULE, echo, [self()]),
        {got(1) =:= [{P, D}], lists:member(D, nodes())}
    end),
    do("requests and the connection is lost", fun() ->
        D = start(d),
        connect(D),
        Rs = [spawn_request(D, timer, sleep, [infinity], [monitor]) || _ <- lists:seq(1, 500)],
        cluster:kill(D),
        L = got(500),
        More = got(length([R || {spawn_reply, R, ok, _} <- L])),
        Failed = [R || {spawn_reply, R, error, noconnection} <- L ++ More],
        Down = [R || {'DOWN', R, process, _, noconnection} <- L ++ More],
        lists:sort(Rs) =:= lists:sort(Failed ++ Down)
    end).

log(#{msg := Message, level := Level, meta := #{pid := Pid}}, #{config := To}) ->
    {Format, Arguments} = case Message of {report, R} -> logger:format_report(R); {F, A} -> {F, A} end,
    To ! {logged, Level, node(Pid), unicode:characters_to_list(io_lib:format(Format, Arguments))}.

%% What fails there is logged where its group leader is.
logged(B) ->
    do("what is logged", fun() ->
        logger:set_primary_config(level, error),
        logger:set_handler_config(default, level, none),
        ok = logger:add_handler(here, ?MODULE, #{config => self()}),
        R = [begin spawn(B, M, F, [A]), got(1) end || {M, F, A} <- [{?MODULE, fail, {error, {for, "a reason"}}},
            {?MODULE, fail, {throw, x}}, {no_such_module, foo, 1}]],
        spawn(B, ?MODULE, fail, [{'exit', not_told}]),
        proc_lib:spawn(B, ?MODULE, fail, [{'exit', crash}]),
        [{logged, Level, Node, Text}] = got(1),
        logger:remove_handler(here),
        logger:set_primary_config(level, none),
        {R, Level, Node, string:find(Text, "crash") =/= nomatch}
    end),
    do("bad funs", fun() ->
        {P, M} = spawn_monitor(B, fun(X) -> X end),
        [{'DOWN', M, process, P, R}] = got(1),
        R
    end).

%% Output of what runs there comes to the caller's group leader.
leaders(B) ->
    do("output comes here", fun() ->
        [rpc:call(B, ?MODULE, greet, ["rpc"]), erpc:call(B, ?MODULE, greet, ["erpc"]),
         begin {_, M} = spawn_monitor(B, ?MODULE, greet, ["spawn"]), [{'DOWN', M, _, _, R}] = got(1), R end,
         node(rpc:call(B, erlang, group_leader, []))]
    end),
    do("another leader", fun() ->
        Me = self(),
        Leader = spawn(fun() -> receive {io_request, From, As, Request} -> From ! {io_reply, As, ok}, Me ! {asked,
            Request} end end),
        Old = group_leader(),
        group_leader(Leader, self()),
        spawn(B, fun() -> Me ! {said, io:put_chars("text"), node(group_leader())} end),
        group_leader(Old, self()),
        lists:sort(got(2))
    end),
    do("input is asked here", fun() -> rpc:call(B, io, get_line, [""]) end),
    do("user there", fun() -> R = rpc:call(B, io, format, [user, "to the user there~n", []]),
        {R, cluster:wait_line(B, "to the user")} end).

erpc(B, C) ->
    do("erpc:call", fun() ->
        [erpc:call(B, erlang, node, []), erpc:call(B, fun() -> {node(), 1} end), erpc:call(B, erlang, '+', [1, 2],
            10000),
         erpc:call(node(), erlang, node, [])]
    end),
    [do(io_lib:format("erpc:call of ~0p", [What]), fun() -> traced(fun() -> erpc:call(B, ?MODULE, fail,
        [What]) end) end)
     || What <- [{error, foo}, {throw, foo}, {'exit', foo}, {error, {badmatch, 1}}, {error, undef}]],
    do("erpc:call, more errors", fun() ->
        [caught(fun() -> erpc:call(N, M, F, A, T) end) || {N, M, F, A, T} <- [{B, no_such, f, [1], infinity},
            {nobody@localhost, a, b, [], infinity}, {B, timer, sleep, [infinity], 10}, {1, a, b, [], 1}, {B, a, b, c,
                1},
            {B, a, b, [], -1}, {B, erlang, exit, [normal], infinity}, {B, lists, map, [a, b], infinity}]]
    end),
    do("erpc:call, a node that dies", fun() ->
        D = start(d),
        Dying = caught(fun() -> erpc:call(D, erlang, halt, []) end),
        wait(fun() -> call(D, erlang, node, []) =:= gone end), % while it dies it may be reached again
        [Dying, caught(fun() -> erpc:call(D, erlang, node, []) end)]
    end),
    do("erpc:multicall", fun() ->
        [erpc:multicall([B, C, node(), nobody@localhost], erlang, node, []),
         erpc:multicall([B, nobody@localhost, C], fun() -> exit(foo) end),
         [case R of {error, {exception, X, _}} -> {exception, X}; _ -> R end
          || R <- erpc:multicall([B, C, B], ?MODULE, fail, [{error, x}])], erpc:multicall([], a, b, [])]
    end),
    do("erpc:cast, multicast", fun() ->
        Me = self(),
        [erpc:cast(B, erlang, send, [Me, one]), erpc:cast(B, fun() -> Me ! one end), erpc:cast(nobody@localhost, a,
            b, []),
         erpc:multicast([B, C, nobody@localhost], erlang, send, [Me, one]), got(4)]
    end),
    do("erpc:send_request", fun() ->
        R1 = erpc:send_request(B, erlang, node, []),
        R2 = erpc:send_request(B, timer, sleep, [infinity]),
        R3 = erpc:send_request(C, fun() -> exit(foo) end),
        R4 = erpc:send_request(B, erlang, self, []),
        [erpc:receive_response(R1), caught(fun() -> erpc:receive_response(R2, 0) end), caught(fun() ->
            erpc:wait_response(R3, 60000) end),
         erpc:check_response(hello, R4), receive M -> {response, P} = erpc:check_response(M, R4), node(P) end]
    end),
    do("erpc requests, many", fun() ->
        Collection = lists:foldl(fun(I, Some) -> erpc:send_request(lists:nth(I rem 2 + 1, [B, C]), erlang, '+', [I,
            1], I, Some) end,
            erpc:reqids_new(), lists:seq(1, 200)),
        Get = fun Get(Some, L) -> case erpc:receive_response(Some, infinity, true) of
            no_request -> lists:sort(L); {V, Label, Rest} -> Get(Rest, [{Label, V} | L]) end end,
        Get(Collection, []) =:= [{I, I + 1} || I <- lists:seq(1, 200)]
    end).

rpc(B, C) ->
    do("rpc:call", fun() ->
        [rpc:call(B, erlang, node, []), rpc:call(B, ?MODULE, fail, [{throw, foo}]), rpc:call(B, ?MODULE, fail,
            [{'exit', foo}]),
         rpc:call(nobody@localhost, a, b, []), rpc:call(B, timer, sleep, [infinity], 10), rpc:call(B, no_such, f, []),
         case rpc:call(B, ?MODULE, fail, [{error, foo}]) of {badrpc, {'EXIT', {R, [{M, F, A, _} | _]}}} -> {R, M, F,
             A} end,
         rpc:block_call(B, erlang, node, []), rpc:block_call(B, ?MODULE, fail, [{'exit', foo}])]
    end),
    do("rpc, the others", fun() ->
        K = rpc:async_call(B, lists, seq, [1, 3]),
        L = rpc:async_call(nobody@localhost, lists, seq, [1, 3]),
        [rpc:yield(K), rpc:yield(L), rpc:multicall([B, C, nobody@localhost, node()], erlang, node, []),
         rpc:multicall([B, C], ?MODULE, fail, [{'exit', foo}]), rpc:cast(B, erlang, send, [self(), from_cast]),
             got(1),
         rpc:parallel_eval([{lists, sum, [[1, I]]} || I <- [1, 2, 3]]), rpc:pmap({erlang, abs}, [], [-1, -2]),
         rpc:nb_yield(rpc:async_call(B, timer, sleep, [infinity]), 1), rpc:pinfo(whereis(init), registered_name),
         rpc:pinfo(rpc:call(B, erlang, whereis, [init]), registered_name)]
    end),
    do("rpc:sbcast, abcast", fun() ->
        register(cast_here, self()),
        [rpc:abcast([node(), B], cast_here, one), lists:sort(tuple_to_list(rpc:sbcast([node(), B], cast_here, two))),
         rpc:eval_everywhere([B, C], erlang, send, [self(), three]), lists:sort(got(4))]
    end),
    do("ancestors", fun() ->
        Me = self(),
        P = proc_lib:spawn(B, fun() -> Me ! {get('$ancestors') =:= [Me], get('$initial_call') =/= undefined} end),
        Q = proc_lib:spawn_link(B, fun() -> Me ! {get('$ancestors') =:= [Me], linked} end),
        R = got(2),
        {lists:sort(R), node(P), node(Q)}
    end).

%% --- gen_server ----------------------------------------------------------------------------------------------------

init(Args) -> {ok, Args}.
handle_call(where, _, State) -> {reply, {node(), State}, State};
handle_call(never, _, State) -> {noreply, State};
handle_call({late, From}, Caller, State) -> From ! {later, Caller}, {noreply, State};
handle_call(halt, _, _) -> halt(0);
handle_call({stop, Reason}, _, State) -> {stop, Reason, State}.
handle_cast({tell, To}, State) -> To ! {told, node(), State}, {noreply, State}.
handle_info(_, State) -> {noreply, State}.

server(Node, Name) ->
    rpc:call(Node, erlang, apply, [fun() -> logger:set_primary_config(level, none),
        {ok, P} = gen_server:start({local, Name}, ?MODULE, Name, []), P end, []]).

servers(B, C) ->
    do("gen_server", fun() ->
        P = server(B, one),
        server(C, one),
        Me = self(),
        gen_server:cast({one, B}, {tell, Me}),
        gen_server:abcast([B, C], one, {tell, Me}),
        [gen_server:call(P, where), gen_server:call({one, B}, where), gen_server:multi_call([B, C, node(),
            nobody@localhost], one, where),
         lists:sort(got(3)), caught(fun() -> gen_server:call({one, B}, never, 10) end) =:= {'exit', {timeout,
             {gen_server, call,
             [{one, B}, never, 10]}}}]
    end),
    do("calls that fail", fun() ->
        [caught(fun() -> gen_server:call({N, Node}, where) end) || {N, Node} <- [{nobody_of_this_name, B}, {one,
            nobody@localhost}]]
    end),
    do("the server stops during the call", fun() ->
        server(B, two),
        R = caught(fun() -> gen_server:call({two, B}, {stop, foo}) end),
        {R, caught(fun() -> gen_server:call({two, B}, where) end)}
    end),
    do("the node goes during the call", fun() ->
        D = start(d),
        P = server(D, one),
        Me = self(),
        Callers = [spawn(fun() -> Me ! caught(fun() -> gen_server:call(P, {late, Me}, infinity) end) end) || _ <- [1,
            2, 3]],
        [{later, _}, {later, _}, {later, _}] = got(3),
        R = caught(fun() -> gen_server:call({one, D}, halt) end),
        {length(Callers), R, lists:usort(got(3)) =:= [{'exit', {{nodedown, D}, {gen_server, call, [P, {late, Me},
            infinity]}}}]}
    end),
    do("answers to who has gone, and late ones", fun() ->
        P = server(B, three),
        Me = self(),
        spawn(fun() -> caught(fun() -> gen_server:call(P, {late, Me}, 10) end), Me ! timed_out end),
        [{later, From}] = [M || {later, _} = M <- got(2)],
        rpc:call(B, gen_server, reply, [From, too_late]),
        gen_server:stop({three, B}),
        rest()
    end),
    do("gen_server over requests", fun() ->
        P = server(B, four),
        Ids = [gen_server:send_request(S, where) || S <- [P, {four, B}, {nobody_of_this_name, C}, {four,
            nobody@localhost}]],
        [gen_server:receive_response(Id, 60000) || Id <- Ids]
    end).

%% --- global and pg -------------------------------------------------------------------------------------------------

names(B, C) ->
    do("global names", fun() ->
        global:sync(),
        P = rpc:call(B, erlang, spawn, [timer, sleep, [infinity]]),
        yes = global:register_name(far, P),
        Me = self(),
        yes = rpc:call(C, global, register_name, [near, Me]),
        Where = [rpc:call(N, global, whereis_name, [Name]) =:= Pid || N <- [B, C, node()], {Name, Pid} <- [{far, P},
            {near, Me}]],
        global:send(near, hello),
        rpc:call(B, global, send, [near, there]),
        Names = lists:sort(global:registered_names()),
        R = [global:register_name(far, Me), rpc:call(B, global, register_name, [near, P])],
        yes = global:re_register_name(far, Me),
        Two = [rpc:call(N, global, whereis_name, [far]) =:= Me || N <- [B, C]],
        global:unregister_name(far),
        exit(P, kill),
        {lists:usort(Where), lists:sort(got(2)), Names, R, Two, [rpc:call(N, global, whereis_name, [far]) || N <- [B,
            C]]}
    end),
    do("a name goes with its process", fun() ->
        P = rpc:call(B, erlang, spawn, [timer, sleep, [infinity]]),
        yes = global:register_name(gone, P),
        One = global:whereis_name(gone) =:= P,
        exit(P, kill),
        {One, cluster:is_soon(fun() -> lists:all(fun(N) -> rpc:call(N, global, whereis_name,
            [gone]) =:= undefined end,
            [node(), B, C]) end), caught(fun() -> global:send(gone, x) end)}
    end),
    do("a name goes with its node", fun() ->
        D = start(d),
        connect(D),
        global:sync(),
        P = rpc:call(D, erlang, spawn, [timer, sleep, [infinity]]),
        yes = global:register_name(gone, P),
        One = rpc:call(C, global, whereis_name, [gone]) =:= P,
        cluster:kill(D),
        {One, cluster:is_soon(fun() -> lists:all(fun(N) -> rpc:call(N, global, whereis_name,
            [gone]) =:= undefined end,
            [node(), B, C]) end)}
    end),
    do("global:trans", fun() ->
        Counter = counters:new(1, []),
        Me = self(),
        [spawn_link(fun() ->
            [ok = global:trans({counter, self()}, fun() -> V = counters:get(Counter, 1), erlang:yield(),
                counters:put(Counter, 1, V + 1) end,
                [node(), B, C]) || _ <- lists:seq(1, 10)], Me ! done end) || _ <- [1, 2, 3]],
        got(3),
        Held = {held, self()},
        true = global:set_lock(Held, [B, C]),
        Other = rpc:call(B, global, set_lock, [{held, other}, [B, C], 0]),
        global:del_lock(Held, [B, C]),
        {counters:get(Counter, 1), Other, rpc:call(B, global, set_lock, [{held, other}, [B, C], 0])}
    end),
    do("via global", fun() ->
        P = rpc:call(B, erlang, apply, [fun() -> {ok, P} = gen_server:start({global, service}, ?MODULE, state, []),
            P end, []]),
        R = {gen_server:call({global, service}, where), gen_server:call({via, global, service}, where),
            caught(fun() -> gen_server:call({global, no_service}, where) end),
            element(1, rpc:call(C, gen_server, start, [{global, service}, ?MODULE, state, []])),
                global:whereis_name(service) =:= P},
        gen_server:stop(P),
        R
    end).

%% Two nodes that have the same name registered meet: one process stays.
conflict() ->
    do("a name on both sides", fun() ->
        D = start(d),
        E = start(e),
        Register = fun() -> P = spawn(fun() -> receive {global_name_conflict, N, _} -> put(conflict, N),
            timer:sleep(infinity) end end),
            yes = global:register_name(twice, P, fun global:notify_all_name/3), P end,
        P1 = call(D, Register),
        P2 = call(E, Register),
        true = call(D, net_kernel, connect_node, [E]),
        R = cluster:is_soon(fun() -> {[], []} =:= {call(D, global, registered_names, []), call(E, global,
            registered_names, [])} end),
        {P1 =/= P2, R, cluster:is_soon(fun() -> call(D, erlang, process_info, [P1, dictionary]) =:= {dictionary,
            [{conflict, twice}]} end),
         cluster:is_soon(fun() -> call(E, erlang, process_info, [P2, dictionary]) =:= {dictionary, [{conflict,
             twice}]} end)}
    end),
    do("a name on both sides, one is killed", fun() ->
        D = start(d),
        E = start(e),
        Register = fun() -> P = spawn(timer, sleep, [infinity]), yes = global:register_name(twice, P), P end,
        P1 = call(D, Register),
        P2 = call(E, Register),
        true = call(E, net_kernel, connect_node, [D]),
        One = fun() -> [P || P <- [P1, P2], call(node(P), erlang, is_process_alive, [P])] end,
        cluster:is_soon(fun() ->
            case One() of
                [P] -> [call(N, global, whereis_name, [twice]) || N <- [D, E]] =:= [P, P];
                _ -> false
            end
        end)
    end).

groups(B, C) ->
    do("pg", fun() ->
        Me = self(),
        [rpc:call(N, pg, start, [scope]) || N <- [B, C]],
        {ok, _} = pg:start_link(scope),
        Ps = [rpc:call(N, erlang, apply, [fun() -> P = spawn(timer, sleep, [infinity]), ok = pg:join(scope, group,
            P), P end, []])
              || N <- [B, B, C]],
        ok = pg:join(scope, group, [Me, Me]),
        All = lists:sort([Me, Me | Ps]),
        Same = cluster:is_soon(fun() -> lists:all(fun(N) -> lists:sort(rpc:call(N, pg, get_members, [scope,
            group])) =:= All end,
            [node(), B, C]) end),
        Local = [length(rpc:call(N, pg, get_local_members, [scope, group])) || N <- [node(), B, C]],
        {Ref, Members} = pg:monitor(scope, group),
        ok = pg:leave(scope, group, Me),
        exit(hd(Ps), kill),
        Events = lists:sort(got(2)) =:= lists:sort([{Ref, leave, group, [Me]}, {Ref, leave, group, [hd(Ps)]}]),
        Left = lists:sort([Me | tl(Ps)]),
        Then = cluster:is_soon(fun() -> lists:all(fun(N) -> lists:sort(rpc:call(N, pg, get_members, [scope,
            group])) =:= Left end,
            [node(), B, C]) end),
        disconnect(C),
        Gone = cluster:is_soon(fun() -> length(pg:get_members(scope, group)) =:= 2 end),
        connect(C),
        Back = cluster:is_soon(fun() -> lists:sort(pg:get_members(scope, group)) =:= Left end),
        {Same, Local, length(Members), Events, Then, Gone, Back, pg:which_groups(scope)}
    end).
