%% A process that carries a connection: what it may ask for, who else may not, and what becomes of it. There is no other
%% node: the process is that.
-module(c_controller).
-export([main/0]).

-import(cluster, [do/2, wait/1]).

-define(GHOST, ghost@localhost).

main() ->
    who_may(),
    what_is_none(),
    options(),
    data(),
    order(),
    notices(),
    busy(),
    shown(),
    ends(),
    malformed().

%% --- the process ---------------------------------------------------------------------------------------------------

runs() -> receive {run, From, Ref, Fun} -> From ! {Ref, tried(Fun)}, runs() end.

tried(Fun) -> try Fun() catch error:Reason -> {error, Reason} end.

as(Pid, Fun) ->
    Monitor = monitor(process, Pid),
    Pid ! {run, self(), Monitor, Fun},
    receive
        {Monitor, Answer} -> demonitor(Monitor, [flush]), Answer;
        {'DOWN', Monitor, _, _, Reason} -> {ended, Reason}
    end.

abilities() ->
    lists:sum([1 bsl B || {A, B} <- maps:to_list(raw_peer:all()), A =/= name_me, A =/= published]).

%% A new connection, and who carries it.
up() ->
    Pid = spawn(fun runs/0),
    {_, _} = Handle = as(Pid, fun() ->
        erts_internal:new_connection(?GHOST),
        erlang:setnode(?GHOST, self(), {abilities(), 77})
    end),
    {Pid, Handle}.

down(Pid) ->
    exit(Pid, kill),
    wait(fun() -> not is_process_alive(Pid) andalso nodes(connected) =:= [] end).

with(Fun) ->
    {Pid, Handle} = up(),
    Answer = Fun(Pid, Handle),
    down(Pid),
    Answer.

%% --- who, and what -------------------------------------------------------------------------------------------------

ways(Handle) ->
    [{get, fun() -> erlang:dist_ctrl_get_data(Handle) end},
     {notice, fun() -> erlang:dist_ctrl_get_data_notification(Handle) end},
     {put, fun() -> erlang:dist_ctrl_put_data(Handle, <<>>) end},
     {handler, fun() -> erlang:dist_ctrl_input_handler(Handle, self()) end},
     {set, fun() -> erlang:dist_ctrl_set_opt(Handle, get_size, true) end},
     {set_wrong, fun() -> erlang:dist_ctrl_set_opt(Handle, no_such, 1) end},
     {get_opt, fun() -> erlang:dist_ctrl_get_opt(Handle, get_size) end},
     {get_wrong, fun() -> erlang:dist_ctrl_get_opt(Handle, no_such) end}].

all_as(Pid, Handle) -> [{Name, as(Pid, Way)} || {Name, Way} <- ways(Handle)].

who_may() ->
    Other = spawn(fun runs/0),
    do("its controller", fun() -> with(fun(Pid, Handle) -> all_as(Pid, Handle) end) end),
    do("another", fun() -> with(fun(_, Handle) -> all_as(Other, Handle) end) end),
    do("its handler", fun() ->
        with(fun(Pid, Handle) ->
            Set = as(Pid, fun() -> erlang:dist_ctrl_input_handler(Handle, Other) end),
            {Set, all_as(Other, Handle), as(Pid, fun() -> erlang:dist_ctrl_put_data(Handle, <<>>) end)}
        end)
    end),
    do("when it is lost", fun() ->
        {Pid, Handle} = up(),
        down(Pid),
        all_as(Other, Handle)
    end).

what_is_none() ->
    do("no handle", fun() ->
        with(fun(Pid, {Number, Reference}) ->
            [{Kind, lists:usort([as(Pid, Way) || {_, Way} <- ways(Wrong)])} ||
             {Kind, Wrong} <- [{another_reference, {Number, make_ref()}}, {reference, Reference}, {number, Number},
                               {triple, {Number, Reference, 1}}, {turned, {Reference, Number}}, {atom, none}]]
        end)
    end),
    do("statistics of no handle", fun() ->
        [tried(fun() -> erlang:dist_get_stat(Wrong) end) || Wrong <- [1, {1, make_ref()}]]
    end),
    do("handlers", fun() ->
        with(fun(Pid, Handle) ->
            [as(Pid, fun() -> erlang:dist_ctrl_input_handler(Handle, Handler) end) ||
             Handler <- [no_pid, hd(erlang:ports()), raw_peer:pid(?GHOST, 3), list_to_pid("<0.30000.0>"), Pid]]
        end)
    end).

options() ->
    do("options", fun() ->
        with(fun(Pid, Handle) ->
            {[as(Pid, fun() -> erlang:dist_ctrl_set_opt(Handle, Name, Value) end) ||
              {Name, Value} <- [{no_such, true}, {get_size, 1}, {get_size, true}, {get_size, true}]],
             as(Pid, fun() -> erlang:dist_ctrl_get_opt(Handle, get_size) end),
             begin
                 {nobody, ?GHOST} ! hello,
                 {Size, Data} = as(Pid, fun() -> erlang:dist_ctrl_get_data(Handle) end),
                 Size =:= iolist_size(Data)
             end}
        end)
    end).

%% --- what comes, and what goes -------------------------------------------------------------------------------------

bare(Term) -> <<131, Bytes/binary>> = term_to_binary(Term), Bytes.

to(Pid, Term) -> [<<131, 68, 0>>, bare({22, raw_peer:pid(?GHOST, 5), Pid}), bare(Term)].

in_bytes(Data) -> [[Byte] || <<Byte>> <= iolist_to_binary(Data)].

fragments(Pid, Terms) ->
    Bytes = iolist_to_binary([bare({22, raw_peer:pid(?GHOST, 5), Pid}) | [bare(T) || T <- Terms]]),
    Half = byte_size(Bytes) div 2,
    <<First:Half/binary, Second/binary>> = Bytes,
    {[<<131, 69, 9:64, 2:64, 0>>, First], [<<131, 70, 9:64, 1:64>>, Second]}.

data() ->
    do("data", fun() ->
        with(fun(Pid, Handle) ->
            Self = self(),
            {First, Last} = fragments(Self, [lists:seq(1, 5000)]),
            Put = fun(Data) -> as(Pid, fun() -> erlang:dist_ctrl_put_data(Handle, Data) end) end,
            Said = [Put(Data) || Data <- [to(Self, whole), in_bytes(to(Self, bytes)), [to(Self, tailed) | <<>>], [],
                                          First, to(Self, {large, lists:seq(1, 3000)}), Last]],
            {ok, In, _, _} = erlang:dist_get_stat(Handle),
            {Said, In, [whole, bytes, tailed, {large, lists:seq(1, 3000)}, lists:seq(1, 5000)] =:= cluster:got(5)}
        end)
    end),
    do("no data", fun() ->
        with(fun(Pid, Handle) ->
            {[as(Pid, fun() -> erlang:dist_ctrl_put_data(Handle, Data) end) ||
              Data <- [atom, {}, [300], [1 | atom], 7]],
             erlang:dist_get_stat(Handle)}
        end)
    end).

drain(Handle) ->
    case erlang:dist_ctrl_get_data(Handle) of
        none -> [];
        Data -> [iolist_to_binary(Data) | drain(Handle)]
    end.

kind(<<131, 68, _/binary>>) -> whole;
kind(<<131, 69, _:64, Number:64, _/binary>>) -> {first, Number};
kind(<<131, 70, _:64, Number:64, _/binary>>) -> {next, Number}.

order() ->
    do("what goes", fun() ->
        with(fun(Pid, Handle) ->
            [{nobody, ?GHOST} ! M || M <- [first, binary:copy(<<7>>, 200000), last]],
            {ok, 0, 0, Waiting} = erlang:dist_get_stat(Handle),
            Packets = as(Pid, fun() -> drain(Handle) end),
            {Waiting > 200000, [kind(P) || P <- Packets], erlang:dist_get_stat(Handle)}
        end)
    end).

%% One message for each time that it asks, be it before there is something or afterwards.
notices() ->
    do("notices", fun() ->
        with(fun(Pid, Handle) ->
            Ask = fun() -> erlang:dist_ctrl_get_data_notification(Handle) end,
            Held = fun() -> {message_queue_len, Count} = process_info(Pid, message_queue_len), Count end,
            Asked = as(Pid, Ask),
            None = Held(),
            {nobody, ?GHOST} ! one,
            wait(fun() -> Held() =:= 1 end),
            {nobody, ?GHOST} ! two,
            Two = Held(),
            [as(Pid, Ask) || _ <- [1, 2]],
            wait(fun() -> Held() =:= 3 end),
            {Asked, None, Two, as(Pid, fun() -> [receive dist_data -> told end || _ <- [1, 2, 3]] end)}
        end)
    end).

full() -> erlang:send({nobody, ?GHOST}, binary:copy(<<7>>, 10000), [nosuspend]) =:= nosuspend orelse full().

%% Who waits for it is told of, and goes on when there is room.
busy() ->
    do("busy", fun() ->
        with(fun(Pid, Handle) ->
            full(),
            erlang:system_monitor(self(), [busy_dist_port]),
            {Sends, Monitor} = spawn_monitor(fun() -> {nobody, ?GHOST} ! more end),
            Told = receive {monitor, Sends, busy_dist_port, Carrier} -> Carrier =:= Pid end,
            erlang:system_monitor(undefined),
            receive {'DOWN', Monitor, _, _, _} -> too_early after 0 -> ok end,
            wait(fun() -> as(Pid, fun() -> drain(Handle) end) =:= [] end),
            {Told, receive {'DOWN', Monitor, _, _, Reason} -> Reason end}
        end)
    end).

shown() ->
    do("what is shown of it", fun() ->
        with(fun(Pid, _) ->
            {erlang:system_info(dist_ctrl) =:= [{?GHOST, Pid}], nodes(hidden), nodes(),
             process_info(Pid, [links, monitors, monitored_by])}
        end)
    end).

%% --- its end -------------------------------------------------------------------------------------------------------

tied(To) ->
    process_flag(trap_exit, true),
    Monitor = monitor(process, {nobody, ?GHOST}),
    Far = raw_peer:pid(?GHOST, 7),
    link(Far),
    To ! ready,
    To ! {tied, receive {'EXIT', Far, Of} -> Of end,
          receive {'DOWN', Monitor, process, {nobody, ?GHOST}, Too} -> Too end}.

ends() ->
    [do(io_lib:format("it ends for ~p", [Reason]), fun() ->
         {Pid, _} = up(),
         net_kernel:monitor_nodes(true, [nodedown_reason, {node_type, all}]),
         Self = self(),
         spawn(fun() -> tied(Self) end),
         receive ready -> ok end,
         exit(Pid, Reason),
         Node = receive {nodedown, ?GHOST, Said} -> Said end,
         net_kernel:monitor_nodes(false, [nodedown_reason, {node_type, all}]),
         {Node, receive {tied, Of, Too} -> {Of, Too} end}
     end) || Reason <- [kill, some_reason, {shutdown, some_reason}, {shutdown, {a, b}}]].

%% What comes through a handler ends the controller, too.
malformed() ->
    [do(["malformed, by its ", Who], fun() ->
         {Pid, Handle} = up(),
         Handler = case Who of "controller" -> Pid; _ -> spawn(fun runs/0) end,
         as(Pid, fun() -> erlang:dist_ctrl_input_handler(Handle, Handler) end),
         Monitor = monitor(process, Pid),
         Handler ! {run, self(), make_ref(), fun() -> erlang:dist_ctrl_put_data(Handle, "what is this") end},
         Reason = receive {'DOWN', Monitor, _, _, R} -> R end,
         wait(fun() -> nodes(connected) =:= [] end),
         Reason
     end) || Who <- ["controller", "handler"]].
