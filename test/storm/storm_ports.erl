%% Ports and sockets: opened, written to, given away, closed and orphaned by whoever comes upon them. What one process
%% has to itself answers as it must; afterwards no port, no descriptor and no program is left.
-module(storm_ports).
-include("storm.hrl").
-export([begins/0, actions/0, calms/0, invariants/0]).
-import(storm_any, [chance/1, one_of/1, other/0, wait/1]).

-define(SHARED, 8).
-define(LOCAL, {127, 0, 0, 1}).

actions() ->
    [{program, fun program/0}, {echo, fun echo/0}, {status, fun status/0}, {any_port, fun any_port/0},
     {ask_any_port, fun ask_any_port/0}, {control_noise, fun control_noise/0}, {listen, fun listen/0},
     {connect, fun connect/0}, {tcp_echo, fun tcp_echo/0}, {udp, fun udp/0}, {ram_file, fun ram_file/0},
     {share_socket, fun share_socket/0}, {any_socket, fun any_socket/0}, {socket_echo, fun socket_echo/0}].

begins() ->
    ets:new(?MODULE, [named_table, public]),
    ets:insert(?MODULE, {ports, erlang:ports()}).

%% --- ports ---

open(Name, Options) -> try open_port(Name, Options) catch error:_ -> error(badarg) end.
shell(Command, Options) -> open({spawn_executable, "/bin/sh"}, [{args, ["-c", Command]} | Options]).

%% Of nobody who waits for it.
program() ->
    Options = [O || O <- [exit_status, eof, in, out, stream, binary, hide, {line, 10}, use_stdio, stderr_to_stdout,
                          {parallelism, true}, {busy_limits_port, {10, 20}}, {busy_limits_msgq, {10, 20}}], chance(4)],
    Commands = ["cat", "exit 3", "echo storm", "sleep 0.05", "kill -9 $$;", "exec 1>&-; cat"],
    Port = shell(one_of(Commands) ++ " 2>/dev/null", Options),
    chance(3) andalso unlink(Port),
    chance(3) andalso port_connect(Port, other()).

%% Others may command the port, too (any_port): what they say begins otherwise.
echo() ->
    Port = open({spawn, "cat"}, [{packet, 4}, binary]),
    Sent = [binary:copy(<<I:32>>, rand:uniform(20000)) || I <- lists:seq(1, rand:uniform(5))],
    [port_command(Port, Bytes) || Bytes <- Sent],
    Sent = [receive
                {Port, {data, <<I:32, _/binary>> = Bytes}} when I >= 1, I =< 5 -> Bytes;
                {'EXIT', Port, _} -> exit({storm, closed})
            end || _ <- Sent],
    port_close(Port).

status() ->
    Status = rand:uniform(200),
    Port = shell("exit " ++ integer_to_list(Status), [exit_status]),
    receive {Port, {exit_status, Status}} -> ok end.

%% One of those that this program has opened, but for files in memory, which answer their processes as they must.
any() ->
    [{_, Others}] = ets:lookup(?MODULE, ports),
    case erlang:ports() -- Others of
        [] -> error(badarg);
        Ports -> unless_file(one_of(Ports))
    end.

unless_file(Port) ->
    case erlang:port_info(Port, name) of
        {name, "ram_file_drv"} -> error(badarg);
        _ -> Port
    end.

any_port() ->
    Port = any(),
    case rand:uniform(12) of
        1 -> port_command(Port, storm_any:one_of(["storm", <<0:80000>>, []]), [nosuspend]);
        2 -> port_close(Port);
        3 -> port_connect(Port, one_of([self(), other()]));
        4 -> linked(Port), unlink(Port);
        5 -> linked(Port), exit({storm, linked});
        6 -> monitor(port, Port);
        7 -> demonitor(monitor(port, Port), [flush]);
        8 -> Port ! {self(), close};
        9 -> Port ! {self(), {connect, other()}};
        10 -> exit(Port, one_of([normal, kill, {storm, ended}]));
        11 -> erlang:port_set_data(Port, storm_any:small_term());
        12 -> exit(Port, {storm, erlang:port_get_data(Port)})
    end.

linked(Port) -> try link(Port) catch error:noproc -> error(badarg) end.

ask_any_port() ->
    Port = any(),
    Items = [registered_name, links, id, connected, input, output, os_pid, queue_size, memory, parallelism, monitors,
             monitored_by],
    _ = erlang:port_info(Port),
    _ = erlang:port_info(Port, one_of(Items)),
    _ = catch erlang:port_call(Port, rand:uniform(10), storm_any:small_term()),
    _ = catch register(storm_port, Port),
    _ = catch unregister(storm_port).

%% What no module of the libraries would ask.
control_noise() ->
    Port = one_of([any() | open_sockets()]),
    [port_control(Port, rand:uniform(80), rand:bytes(rand:uniform(12) - 1)) || _ <- lists:seq(1, 10)].

open_sockets() -> [open({spawn_driver, Name}, [binary]) || Name <- ["tcp_inet", "udp_inet"]].

%% --- sockets that are ports ---

share(Kind, Thing) -> ets:insert(?MODULE, {{Kind, rand:uniform(?SHARED)}, Thing, self()}).
shared(Kind) ->
    case ets:lookup(?MODULE, {Kind, rand:uniform(?SHARED)}) of
        [{_, Thing, _}] -> Thing;
        [] -> error(badarg)
    end.

ok({ok, Value}) -> Value;
ok(_) -> error(badarg).

tcp() -> ok(prim_inet:open(tcp, inet, stream, [{mode, binary}])).

listening() ->
    L = tcp(),
    N = ok(prim_inet:bind(L, ?LOCAL, 0)),
    case prim_inet:listen(L, 100) of
        ok -> {L, N};
        {error, einval} -> error(badarg) % it has been closed by another worker
    end.

%% It is left to whoever connects; what accepts may be several, and may be killed.
listen() ->
    {L, N} = listening(),
    share(tcp, N),
    [spawn(fun() -> accept(L) end) || _ <- lists:seq(1, rand:uniform(3))],
    wait(rand:uniform(20)),
    chance(2) andalso prim_inet:close(L).

accept(L) ->
    case prim_inet:accept(L, 1000) of
        {ok, S} ->
            _ = prim_inet:setopts(S, [{active, one_of([true, once, false, 2])}]),
            _ = prim_inet:send(S, <<"storm">>),
            chance(2) andalso catch port_connect(S, other()),
            chance(2) andalso prim_inet:close(S),
            accept(L);
        {error, _} -> ok
    end.

connect() ->
    S = tcp(),
    case prim_inet:connect(S, ?LOCAL, shared(tcp), 1000) of
        ok -> talk(S, rand:uniform(7));
        {error, _} -> ok
    end.

talk(S, 1) -> prim_inet:recv(S, 5, 50);
talk(S, 2) -> prim_inet:send(S, binary:copy(<<"storm">>, 20000));
talk(S, 3) -> prim_inet:shutdown(S, one_of([read, write, read_write])), prim_inet:recv(S, 0, 20);
talk(S, 4) -> prim_inet:setopts(S, [{linger, {true, 0}}]), prim_inet:close(S);
talk(S, 5) -> prim_inet:async_recv(S, 100, 1), prim_inet:async_recv(S, 0, 100), prim_inet:setopts(S, [{active, 3}]);
talk(S, 6) -> unlink(S), catch port_connect(S, other()), prim_inet:send(S, "storm");
talk(S, 7) -> [spawn(fun() -> prim_inet:send(S, <<0:N>>) end) || N <- [8, 800, 80000]], prim_inet:close(S).

%% Any other worker may close it at any time, write to it, or set options.
tcp_echo() ->
    {L, N} = listening(),
    C = tcp(),
    case prim_inet:connect(C, ?LOCAL, N, 5000) of
        ok -> back_and_forth(C, prim_inet:accept(L, 5000));
        {error, _} -> ok
    end,
    [catch port_close(P) || P <- [L, C]].

back_and_forth(C, {ok, S}) ->
    Bytes = rand:bytes(rand:uniform(50000)),
    spawn(fun() -> prim_inet:send(C, Bytes) end),
    _ = prim_inet:recv(S, byte_size(Bytes), 5000),
    catch port_close(S);
back_and_forth(_, _) -> ok.

udp() ->
    U = ok(prim_inet:open(udp, inet, dgram, [{mode, binary}, {active, one_of([true, once, false])}])),
    N = ok(prim_inet:bind(U, ?LOCAL, 0)),
    share(udp, N),
    [prim_inet:sendto(U, {?LOCAL, To}, [], <<"storm">>) || To <- [N, shared(udp)]],
    _ = prim_inet:recvfrom(U, 0, rand:uniform(20)),
    chance(2) andalso prim_inet:close(U).

ram_file() ->
    F = ok(ram_file:open("storm", [ram, read, write, binary])),
    ok = ram_file:write(F, <<"storm">>),
    {ok, <<"to">>} = ram_file:pread(F, 1, 2),
    chance(2) andalso ram_file:close(F).

%% --- sockets that are none ---

bound(Type) ->
    S = ok(socket:open(inet, Type)),
    ok = socket:bind(S, #{family => inet, addr => loopback, port => 0}),
    {S, ok(socket:sockname(S))}.

share_socket() ->
    {S, Name} = bound(one_of([stream, dgram])),
    _ = socket:listen(S, 10),
    share(socket, {S, Name}),
    wait(rand:uniform(10)),
    chance(2) andalso socket:close(S).

%% Its owner may die meanwhile, and others wait at it too.
any_socket() ->
    {S, Name} = shared(socket),
    case rand:uniform(10) of
        1 -> socket:recv(S, 0, rand:uniform(20));
        2 -> socket:recv(S, 0, nowait);
        3 -> socket:accept(S, rand:uniform(20));
        4 -> close_if_some(socket:accept(S, nowait));
        5 -> socket:sendto(S, <<"storm">>, Name);
        6 -> socket:close(S);
        7 -> socket:setopt(S, otp, controlling_process, one_of([self(), other()]));
        8 -> cancel(S, socket:recv(S, 0, nowait));
        9 -> _ = socket:info(S), socket:shutdown(S, one_of([read, write]));
        10 -> socket:connect(ok(socket:open(inet, stream)), Name, nowait)
    end.

close_if_some({ok, S}) -> socket:close(S);
close_if_some(_) -> ok.

cancel(S, {select, Info}) -> socket:cancel(S, Info);
cancel(_, _) -> ok.

%% Nobody else has these. Where descriptors may not be watched it may fail, and says so.
socket_echo() ->
    try socket_echoes()
    catch error:{badmatch, {error, _} = Error} -> true = storm_any:has_faults() orelse Error
    end.

socket_echoes() ->
    {L, Name} = bound(stream),
    ok = socket:listen(L),
    C = ok(socket:open(inet, stream)),
    ok = socket:connect(C, Name),
    S = ok(socket:accept(L)),
    Bytes = rand:bytes(rand:uniform(50000)),
    spawn(fun() -> socket:send(C, Bytes) end),
    Bytes = ok(socket:recv(S, byte_size(Bytes))),
    [socket:close(X) || X <- [L, C, S], chance(2)].

%% --- calm ---

%% What was given to one who did not take it has nobody.
calms() ->
    [{_, Others}] = ets:lookup(?MODULE, ports),
    [catch port_close(Port) || Port <- erlang:ports() -- Others],
    ets:match_delete(?MODULE, {{'_', '_'}, '_', '_'}),
    ets:insert_new(?MODULE, {descriptors, until_steady(infinity, descriptors())}),
    ok.

until_steady(Before, Before) -> Before;
until_steady(_, Before) -> wait(300), until_steady(Before, descriptors()).

descriptors() -> length(all_descriptors()).

%% Sockets and pipes that no program inherits. Those of the library of storm_native are none of these: some stay, as
%% nobody stops what a process that was killed had selected.
all_descriptors() ->
    {ok, Names} = prim_file:list_dir("/proc/self/fd"),
    [{Name, Path} || Name <- Names, {ok, Path} <- [prim_file:read_link("/proc/self/fd/" ++ Name)],
                     Kind <- ["socket:", "pipe:"], lists:prefix(Kind, Path), is_private(Name)].

-define(CLOSE_ON_EXEC, 8#2000000).
is_private(Name) ->
    case prim_file:read_file("/proc/self/fdinfo/" ++ Name) of
        {ok, Info} ->
            {match, [Flags]} = re:run(Info, "flags:\\s*([0-7]+)", [{capture, all_but_first, binary}]),
            binary_to_integer(Flags, 8) band ?CLOSE_ON_EXEC =/= 0;
        {error, _} -> false % closed meanwhile
    end.

invariants() ->
    [{_, Ports}] = ets:lookup(?MODULE, ports),
    [{_, Descriptors}] = ets:lookup(?MODULE, descriptors),
    [{"no ports left", until(fun() -> erlang:ports() -- Ports =:= [] end, 100)},
     {"no descriptors left", until(fun() -> garbage_collect(), descriptors() =< Descriptors end, 100)
          orelse {Descriptors, all_descriptors()}},
     {"no sockets left", until(fun() -> socket:number_of() =:= 0 end, 100)},
     {"no programs left", until(fun() -> children() =:= [] end, 100)}].

until(_, 0) -> false;
until(F, N) -> F() orelse (wait(50) =:= ok andalso until(F, N - 1)).

children() ->
    {ok, Threads} = prim_file:list_dir("/proc/self/task"),
    lists:append([string:lexemes(binary_to_list(B), " ") || T <- Threads,
                  {ok, B} <- [prim_file:read_file("/proc/self/task/" ++ T ++ "/children")]]).
