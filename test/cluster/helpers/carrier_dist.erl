%% A carrier of connections (-proto_dist carrier): TCP as inet_tcp_dist has it, but the bytes of each connection go
%% through a process, its controller, which writes, and a reader, its input handler. What the variable `carrier` of the
%% kernel may say, a map: handler => false, the controller reads as well; size => true, it gets each size, too.
-module(carrier_dist).
-export([listen/1, listen/2, accept/1, accept_connection/5, setup/5, close/1, select/1, address/0, is_node_name/1]).
-export([tick/1, accept_loop/2, do_accept/5, do_setup/5, controller_of/1]).

-include_lib("kernel/include/dist_util.hrl").
-include_lib("kernel/include/net_address.hrl").

listen(Name) -> inet_tcp_dist:listen(Name).
listen(Name, Host) -> inet_tcp_dist:listen(Name, Host).
address() -> inet_tcp_dist:address().
select(Node) -> inet_tcp_dist:select(Node).
is_node_name(Node) -> inet_tcp_dist:is_node_name(Node).
close(Socket) -> gen_tcp:close(Socket).

option(Name, Default) -> maps:get(Name, application:get_env(kernel, carrier, #{}), Default).

%% --- connections that come -----------------------------------------------------------------------------------------

accept(Listening) -> spawn_opt(?MODULE, accept_loop, [self(), Listening], [link, {priority, max}]).

accept_loop(Kernel, Listening) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Controller = start(Socket),
    Kernel ! {accept, self(), Controller, inet, tcp},
    receive
        {Kernel, controller, Setup} ->
            ok = ask(Controller, {belongs_to, Setup, self()}), % or with it who listens would end
            Setup ! {self(), controller};
        {Kernel, unsupported_protocol} -> exit(unsupported_protocol)
    end,
    accept_loop(Kernel, Listening).

accept_connection(Accepts, Controller, Node, Allowed, Time) ->
    spawn_opt(?MODULE, do_accept, [self(), Accepts, Controller, {Node, Allowed}, Time], [link, {priority, max}]).

do_accept(Kernel, Accepts, Controller, {Node, Allowed}, Time) ->
    receive {Accepts, controller} -> ok end,
    Timer = dist_util:start_timer(Time),
    dist_util:handshake_other_started((data(Kernel, Controller, Node, Timer, Allowed))#hs_data{
        f_address = fun(_, _) -> address_of(Controller) end}).

address_of(Controller) ->
    {ok, Name} = ask(Controller, peername),
    #net_address{address = Name, host = "localhost", protocol = tcp, family = inet}.

%% --- connections that are made -------------------------------------------------------------------------------------

setup(Node, Type, This, LongOrShort, Time) ->
    spawn_opt(?MODULE, do_setup, [self(), {Node, LongOrShort}, Type, This, Time], [link, {priority, max}]).

do_setup(Kernel, {Node, _}, Type, This, Time) ->
    Timer = dist_util:start_timer(Time),
    [Name, Host] = string:split(atom_to_list(Node), "@"),
    case erl_epmd:address_please(Name, Host, inet) of
        {ok, _, Port, Version} -> go_on(Kernel, Node, Type, This, Timer, Port, Version);
        {ok, Ip} ->
            case erl_epmd:port_please(Name, Ip, infinity) of
                {port, Port, Version} -> go_on(Kernel, Node, Type, This, Timer, Port, Version);
                _ -> ?shutdown(Node)
            end;
        _ -> ?shutdown(Node)
    end.

go_on(Kernel, Node, Type, This, Timer, Port, Version) ->
    dist_util:reset_timer(Timer),
    case gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false}, {packet, 2}]) of
        {ok, Socket} ->
            Controller = start(Socket),
            dist_util:handshake_we_started((data(Kernel, Controller, This, Timer, undefined))#hs_data{
                other_node = Node, other_version = Version, request_type = Type,
                f_address = fun(_, _) ->
                    #net_address{address = {{127, 0, 0, 1}, Port}, host = "localhost", protocol = tcp, family = inet}
                end});
        _ -> ?shutdown(Node)
    end.

data(Kernel, Controller, Node, Timer, Allowed) ->
    #hs_data{kernel_pid = Kernel, this_node = Node, socket = Controller, timer = Timer, this_flags = 0,
             allowed = Allowed,
             f_send = fun(C, Data) -> ask(C, {send, Data}) end,
             f_recv = fun(C, 0, infinity) -> ask(C, recv) end,
             f_setopts_pre_nodeup = fun(_) -> ok end,
             f_setopts_post_nodeup = fun(_) -> ok end,
             f_getll = fun(C) -> {ok, C} end,
             mf_tick = fun ?MODULE:tick/1,
             f_handshake_complete = fun(C, _, Handle) -> ok = ask(C, {complete, Handle}) end}.

tick(Controller) -> Controller ! tick.

%% --- the controller ------------------------------------------------------------------------------------------------

start(Socket) ->
    Controller = spawn_opt(fun() -> receive go -> shakes(Socket) end end, [link, {priority, max}]),
    ok = gen_tcp:controlling_process(Socket, Controller),
    Controller ! go,
    Controller.

ask(Controller, What) ->
    Monitor = monitor(process, Controller),
    Controller ! {ask, self(), Monitor, What},
    receive
        {Monitor, Answer} -> demonitor(Monitor, [flush]), Answer;
        {'DOWN', Monitor, _, _, _} -> {error, closed}
    end.

shakes(Socket) ->
    receive
        {ask, From, Ref, {complete, Handle}} ->
            ok = inet:setopts(Socket, [binary, {packet, 4}]),
            carries(Socket, Handle, From, Ref);
        {ask, From, Ref, What} -> From ! {Ref, answer(Socket, What)}, shakes(Socket)
    end.

%% `none` when it is lost already.
controller_of(Node) -> proplists:get_value(Node, erlang:system_info(dist_ctrl), none).

answer(Socket, {send, Data}) -> gen_tcp:send(Socket, Data);
answer(Socket, recv) -> gen_tcp:recv(Socket, 0);
answer(Socket, peername) -> inet:peername(Socket);
answer(_, {belongs_to, Pid, Former}) -> link(Pid), unlink(Former), ok.

carries(Socket, Handle, From, Ref) ->
    false = erlang:dist_ctrl_set_opt(Handle, get_size, option(size, false)),
    case option(handler, true) of
        true ->
            Self = self(),
            Reader = spawn_opt(fun() -> receive go -> Self ! {reads, self()}, read(Socket, Handle) end end, [link]),
            ok = erlang:dist_ctrl_input_handler(Handle, Reader),
            ok = gen_tcp:controlling_process(Socket, Reader),
            Reader ! go,
            receive {reads, Reader} -> ok end;
        false -> inet:setopts(Socket, [{active, 10}])
    end,
    From ! {Ref, ok},
    ok = erlang:dist_ctrl_get_data_notification(Handle),
    carry(Socket, Handle).

read(Socket, Handle) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} -> ok = erlang:dist_ctrl_put_data(Handle, Data), read(Socket, Handle);
        {error, _} -> exit(connection_closed)
    end.

carry(Socket, Handle) ->
    receive
        dist_data -> write_all(Socket, Handle), ok = erlang:dist_ctrl_get_data_notification(Handle);
        tick -> write(Socket, []);
        {tcp, Socket, Data} -> ok = erlang:dist_ctrl_put_data(Handle, Data);
        {tcp_passive, Socket} -> inet:setopts(Socket, [{active, 10}]);
        {tcp_closed, Socket} -> exit(connection_closed);
        Other -> exit({what_is_this, Other})
    end,
    carry(Socket, Handle).

write_all(Socket, Handle) ->
    case erlang:dist_ctrl_get_data(Handle) of
        none -> ok;
        {Size, Data} -> Size = iolist_size(Data), write(Socket, Data), write_all(Socket, Handle);
        Data -> write(Socket, Data), write_all(Socket, Handle)
    end.

write(Socket, Data) ->
    case gen_tcp:send(Socket, Data) of
        ok -> ok;
        {error, _} -> exit(connection_closed)
    end.
