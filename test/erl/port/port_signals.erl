%% What processes do to ports: commands, owners, links, monitors, names, ends; and what ports tell of themselves.
-module(port_signals).
-export([main/0]).
-include("../heard.hrl").

main() ->
    ok = logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    [step(What, Fun) || {What, Fun} <- [{bytes, fun bytes/0}, {packets, fun packets/0}, {messages, fun messages/0},
                                        {owner, fun owner/0}, {ends, fun ends/0}, {monitors, fun monitors/0},
                                        {names, fun names/0}, {gone, fun gone/0}, {info, fun info/0},
                                        {links, fun links/0}, {busy, fun busy/0}, {written_still, fun written_still/0},
                                        {many, fun many/0}, {ping_pong, fun ping_pong/0}]].

step(What, Fun) ->
    io:format("--- ~p~n", [What]),
    Fun(),
    io:format("left ~p~n", [come()]),
    [] = erlang:ports() -- get(ports_before()).

ports_before() ->
    case get(ports_before) of
        undefined -> put(ports_before, erlang:ports());
        _ -> ok
    end,
    ports_before.

cat() -> cat([binary]).
cat(Options) ->
    ports_before(),
    open_port({spawn, "cat"}, Options).

%% Everything that comes until nothing has come for a while in which no child wanted to run; no port or pid is shown.
come() -> come(90).
come(Wait) -> heard(0, Wait, fun next/1).

next(Wait) ->
    receive Message -> [shown(Message)]
    after Wait ->
        case lists:any(fun wants_to_run/1, erlang:ports()) of
            true -> next(Wait);
            false -> []
        end
    end.

shown({P, What}) when is_port(P) -> What;
shown({'EXIT', P, Reason}) when is_port(P) -> {exit, Reason};
shown({'EXIT', P, Reason}) when is_pid(P) -> {process, Reason};
shown({'DOWN', _, Type, P, Reason}) when is_port(P) -> {down, Type, Reason};
shown({'DOWN', _, Type, What, Reason}) -> {down, Type, What, Reason};
shown(Other) -> Other.

%% The same, but first of all so many messages, however long they take; or so many with data, and what comes meanwhile.
come_first(N) -> heard(N, 90, fun next/1).
come_with_data(N) -> heard(N, 90, fun next_with_data/1).

next_with_data(Wait) ->
    case next(Wait) of
        [] -> [];
        [{data, _}] = Data -> Data;
        Other -> Other ++ next_with_data(Wait)
    end.

%% Whether a port's child is not asleep, where it is there.
wants_to_run(Port) ->
    case erlang:port_info(Port, os_pid) of
        {os_pid, Pid} when is_integer(Pid) ->
            case file:read_file("/proc/" ++ integer_to_list(Pid) ++ "/stat") of
                {ok, Stat} -> [State | _] = lists:last(string:split(binary_to_list(Stat), ") ", trailing)), State =:= $R;
                {error, _} -> false
            end;
        _ -> false
    end.

%% The same, but first of all so many bytes.
come_with(Bytes, Wait) when Bytes =< 0 -> come(Wait);
come_with(Bytes, Wait) ->
    receive {P, {data, D}} when is_port(P) -> [{data, D} | come_with(Bytes - iolist_size(D), Wait)] end.

try_it(Fun) ->
    try Fun()
    catch error:Reason:Stack -> {M, F, _, Info} = hd(Stack), {Reason, M, F, Info}
    end.

bytes() ->
    P = cat(),
    [begin
         Answer = try_it(fun() -> port_command(P, Data) end),
         Bytes = case {Answer, catch iolist_size(Data)} of {true, N} when is_integer(N) -> N; _ -> 0 end,
         io:format("~P -> ~p ~P~n", [Data, 10, Answer, come_with(Bytes, 60), 10])
     end || Data <- ["abc", <<"de">>, [1, [2, <<"x">>], [] | <<"y">>], "", [a], a, [256], <<1:3>>, [<<1:3>>], [1 | 2]]],
    Large = binary:copy(<<"0123456789">>, 20000),
    port_command(P, [Large, "x", binary:part(Large, 7, 5000), 10]),
    io:format("~p~n", [iolist_size([D || {data, D} <- come_with(iolist_size(Large) + 5002, 90)])]),
    Answers = [try_it(fun() -> port_command(P, "x", O) end) || O <- [[], [nosuspend], [force], [foo], a]],
    [io:format("~p~n", [Answer]) || Answer <- Answers],
    [{data, _} | _] = come_with(length([taken || true <- Answers]), 90),
    port_close(P).

packets() ->
    [begin
         P = cat([binary, {packet, N}]),
         [begin
              port_command(P, binary:copy(<<"a">>, Size)),
              io:format("~p: ~p~n", [Size, sizes(come_with_data(1))])
          end || Size <- [0, 1, 255]],
         port_command(P, binary:copy(<<"b">>, 256)),
         io:format("~p~n", [sizes(come_first(1))]),
         catch port_close(P)
     end || N <- [1, 2, 4]],
    Lists = cat([{packet, 2}]),
    port_command(Lists, "xyz"),
    io:format("~p~n", [come_with_data(1)]),
    port_close(Lists).

sizes(Come) -> [case W of {data, D} -> {data, byte_size(D)}; _ -> W end || W <- Come].

messages() ->
    P = cat(),
    Other = spawn(fun() -> receive stop -> ok end end),
    [begin
         P ! Message,
         io:format("~p~n", [come_first(Heard)])
     end || {Heard, Message} <- [{1, foo}, {1, {self(), foo}}, {1, {self(), {command, a}}},
                                 {1, {self(), {command, "ok"}}}, {1, {Other, close}}, {1, {Other, {command, "x"}}},
                                 {1, {self(), {connect, foo}}}, {1, {self(), {foo, 1}}}, {1, {self(), close, 1}},
                                 {1, {foo, close}}, {2, {self(), close}}, {0, {self(), close}},
                                 {0, {self(), {command, "x"}}}]],
    Other ! stop.

owner() ->
    P = cat(),
    Me = self(),
    New = fun() -> spawn(fun F() -> receive {P, X} -> Me ! {new_owner, X}, F(); stop -> ok end end) end,
    A = New(),
    P ! {self(), {connect, A}},
    io:format("~p~n", [come_first(1)]),
    io:format("~p ~p~n", [erlang:port_info(P, connected) =:= {connected, A}, erlang:port_info(P, links) =:= {links, [Me]}]),
    P ! {self(), {command, "mine?"}},
    io:format("~p~n", [come()]),
    P ! {A, {command, "his"}},
    io:format("~p~n", [come()]),
    B = New(),
    io:format("~p~n", [[try_it(fun() -> erlang:port_connect(P, To) end) || To <- [B, foo]]]),
    A ! stop,
    port_command(P, "b"),
    io:format("~p~n", [come_first(1)]),
    io:format("~p~n", [try_it(fun() -> erlang:port_connect(P, A) end)]),
    io:format("~p~n", [try_it(fun() -> erlang:port_connect(P, self()) end)]),
    B ! stop,
    port_command(P, "c"),
    io:format("~p~n", [come_first(1)]),
    port_close(P).

ends() ->
    [begin
         P = cat(),
         End(P),
         io:format("~p~n", [come_first(Heard)]),
         catch port_close(P),
         come()
     end || {Heard, End} <- [{1, fun(P) -> port_close(P) end}, {2, fun(P) -> P ! {self(), close} end},
                             {1, fun(P) -> exit(P, foo) end}, {1, fun(P) -> exit(P, kill) end},
                             {1, fun(P) -> exit(P, normal) end},
                             {1, fun(P) -> spawn(fun() -> exit(P, normal) end) end},
                             {1, fun(P) -> spawn(fun() -> exit(P, foo) end) end},
                             {0, fun(P) -> unlink(P), port_close(P) end},
                             {1, fun(P) -> spawn_link(fun() -> link(P), exit(normal) end) end},
                             {2, fun(P) -> spawn_link(fun() -> link(P), exit(bad) end) end},
                             {0, fun(P) -> Q = spawn(fun() -> receive after 50 -> exit(normal) end end),
                                           erlang:port_connect(P, Q), unlink(P) end}]],
    %% The end of its owner is its end.
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> P = cat(), Me ! {port, P}, receive stop -> ok end end),
    Port = receive {port, Opened} -> Opened end,
    Watched = monitor(port, Port),
    Pid ! stop,
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    receive {'DOWN', Watched, port, Port, Reason} -> io:format("~p~n", [Reason]) end.

monitors() ->
    P = cat(),
    R1 = monitor(port, P),
    R2 = monitor(port, P, [{tag, hello}]),
    R3 = monitor(port, P),
    io:format("~p ~p~n", [erlang:port_info(P, monitored_by) =:= {monitored_by, [self(), self(), self()]},
                          process_info(self(), monitors) =:= {monitors, [{port, P}, {port, P}, {port, P}]}]),
    io:format("~p~n", [demonitor(R3, [info])]),
    port_close(P),
    receive {'DOWN', R1, port, P, A} -> io:format("~p~n", [A]) end,
    receive {hello, R2, port, P, B} -> io:format("~p~n", [B]) end,
    monitor(port, P),
    io:format("~p~n", [come_first(2)]),
    io:format("~p~n", [[try_it(fun() -> monitor(port, What), come(20) end)
                        || What <- [no_such_name, init, {no_such_name, node()}, {a, b}, 1, self()]]]).

names() ->
    P = cat(),
    true = register(a_port, P),
    io:format("~p ~p ~p~n", [whereis(a_port) =:= P, lists:member(a_port, registered()),
                             erlang:port_info(a_port, registered_name)]),
    io:format("~p~n", [try_it(fun() -> register(a_port, P) end)]),
    io:format("~p~n", [try_it(fun() -> register(another, P) end)]),
    a_port ! {self(), {command, "by name"}},
    port_command(a_port, "x"),
    io:format("~p~n", [[iolist_to_binary([D || {data, D} <- come_with(length("by namex"), 90)])]]),
    unregister(a_port),
    io:format("~p ~p~n", [whereis(a_port), erlang:port_info(P, registered_name)]),
    register(a_port, P),
    monitor(port, a_port),
    port_close(a_port),
    io:format("~p ~p~n", [whereis(a_port), come_first(2)]).

gone() ->
    P = cat(),
    port_close(P),
    come(),
    io:format("~p~n", [[try_it(fun() -> F(P) end)
                        || F <- [fun port_close/1, fun(X) -> port_command(X, "") end, fun(X) -> port_info(X) end,
                                 fun(X) -> erlang:port_info(X, name) end, fun(X) -> unlink(X) end,
                                 fun(X) -> erlang:port_connect(X, self()) end,
                                 fun(X) -> erlang:port_control(X, 1, "") end, fun(X) -> erlang:port_call(X, 1, "") end,
                                 fun(X) -> X ! {self(), {command, "x"}}, sent end,
                                 fun(X) -> link(X), come_first(1) =:= [{exit, noproc}] end,
                                 fun(X) -> exit(X, foo) end, fun(X) -> erlang:is_port(X) end]]]),
    process_flag(trap_exit, false),
    io:format("~p~n", [try_it(fun() -> link(P) end)]),
    process_flag(trap_exit, true),
    io:format("~p~n", [[try_it(fun() -> F(X) end)
                        || X <- [init, no_such_name, self(), 1],
                           F <- [fun port_close/1, fun(Y) -> port_command(Y, "") end,
                                 fun(Y) -> erlang:port_info(Y) end, fun(Y) -> erlang:port_info(Y, name) end]]]).

port_info(P) -> erlang:port_info(P).

info() ->
    P = cat(),
    port_command(P, "12345"),
    come_with(5, 90),
    io:format("~p~n", [[erlang:port_info(P, I) || I <- [name, input, output, registered_name, monitors, monitored_by,
                                                         parallelism, queue_size, locking]]]),
    io:format("~p~n", [[try_it(fun() -> erlang:port_info(P, I) end) || I <- [foo, 1, control_flags]]]),
    {os_pid, Pid} = erlang:port_info(P, os_pid),
    io:format("~p~n", [filelib:is_dir("/proc/" ++ integer_to_list(Pid))]),
    io:format("~p~n", [[Item || {Item, _} <- erlang:port_info(P)]]),
    register(a_port, P),
    io:format("~p~n", [[Item || {Item, _} <- erlang:port_info(P)]]),
    {memory, Memory} = erlang:port_info(P, memory),
    io:format("~p ~p~n", [is_integer(Memory), lists:member(P, erlang:ports())]),
    io:format("~p~n", [[erlang:system_info(I) > 0 || I <- [port_limit, port_count]]]),
    port_close(P).

links() ->
    P = cat(),
    {links, Links} = process_info(self(), links),
    io:format("~p ~p~n", [lists:member(P, Links), erlang:port_info(P, links) =:= {links, [self()]}]),
    unlink(P),
    io:format("~p ~p~n", [erlang:port_info(P, links), link(P)]),
    io:format("~p~n", [erlang:port_info(P, links) =:= {links, [self()]}]),
    port_close(P).

%% A program that does not read.
busy() ->
    P = open_port({spawn, "sleep 20"}, [binary]),
    fill(P),
    io:format("~p~n", [port_command(P, "x", [nosuspend])]),
    {Pid, Ref} = spawn_monitor(fun() -> port_command(P, "x") end),
    {Pid2, Ref2} = spawn_monitor(fun() -> P ! {element(2, erlang:port_info(P, connected)), {command, "x"}} end),
    timer:sleep(100),
    io:format("~p ~p~n", [is_process_alive(Pid), is_process_alive(Pid2)]),
    {queue_size, Queued} = erlang:port_info(P, queue_size),
    io:format("~p~n", [Queued > 4096]),
    exit(P, kill),
    io:format("~p~n", [[receive {'DOWN', R, process, _, Why} -> reason(Why) end || R <- [Ref, Ref2]]]).

reason({Reason, Stack}) when is_list(Stack) -> Reason;
reason(Reason) -> Reason.

fill(P) ->
    case port_command(P, binary:copy(<<"a">>, 1000), [nosuspend]) of
        true -> fill(P);
        false -> ok
    end.

%% What was taken before the port was closed comes out, whoever reads it and when.
written_still() ->
    File = "port_signals_" ++ os:getpid(),
    P = open_port({spawn, "sh -c 'sleep 0.3; cat > " ++ File ++ "'"}, [binary]),
    [port_command(P, binary:copy(<<"z">>, 100000)) || _ <- lists:seq(1, 1)],
    port_close(P),
    io:format("~p~n", [come()]),
    wait_for_size(File, 100000, 1200),
    file:delete(File),
    wait_until(fun() -> erlang:port_info(P) =:= undefined end, 3000).

wait_for_size(File, Size, N) ->
    case filelib:file_size(File) of
        Size -> io:format("all written~n");
        _ when N > 0 -> timer:sleep(50), wait_for_size(File, Size, N - 1);
        Other -> io:format("~p~n", [Other])
    end.

wait_until(Fun, N) ->
    case Fun() of
        true -> ok;
        false when N > 0 -> timer:sleep(20), wait_until(Fun, N - 1)
    end.

many() ->
    Ports = [cat() || _ <- lists:seq(1, 200)],
    [port_command(P, integer_to_list(I)) || {P, I} <- lists:zip(Ports, lists:seq(1, 200))],
    Got = [receive {P, {data, D}} -> binary_to_integer(D) end || P <- Ports],
    io:format("~p~n", [Got =:= lists:seq(1, 200)]),
    Pids = [element(2, erlang:port_info(P, os_pid)) || P <- Ports],
    [port_close(P) || P <- Ports],
    io:format("~p~n", [length([E || {exit, normal} = E <- come()])]),
    wait_until(fun() -> not lists:any(fun(Pid) -> filelib:is_dir("/proc/" ++ integer_to_list(Pid)) end, Pids) end, 3000).

ping_pong() ->
    P = cat([binary, {packet, 4}]),
    ping_pong(P, 2000),
    port_close(P).

ping_pong(_, 0) -> io:format("done~n");
ping_pong(P, N) ->
    port_command(P, <<N:64>>),
    receive {P, {data, <<N:64>>}} -> ping_pong(P, N - 1) end.
