%% The functions that a tracer module may have for ports had no test: enabled_ports, trace_ports, enabled_running_ports and
%% trace_running_ports, and that `discard` and `remove` are theirs to answer; what else ports tell goes to enabled and
%% trace.
-module(r_tracer_of_ports).
-export([main/0]).
-export([enabled/3, trace/5, enabled_ports/3, trace_ports/5, enabled_running_ports/3, trace_running_ports/5]).
-on_load(on_load/0).

-define(NATIVE, erlang:nif_error(not_loaded)).

on_load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0).

enabled(_, _, _) -> ?NATIVE.
trace(_, _, _, _, _) -> ?NATIVE.
enabled_ports(_, _, _) -> ?NATIVE.
trace_ports(_, _, _, _, _) -> ?NATIVE.
enabled_running_ports(_, _, _) -> ?NATIVE.
trace_running_ports(_, _, _, _, _) -> ?NATIVE.

main() ->
    process_flag(trap_exit, true),
    [story(Flags, #{}) || Flags <- [[ports], [running_ports], [ports, running_ports], [send], ['receive'],
                                    [ports, timestamp], [running_ports, scheduler_id]]],
    [story(Flags, Answers)
     || Answers <- [#{in => discard}, #{out => discard}, #{in => remove}, #{register => discard}, #{register => remove},
                    #{getting_linked => remove}, #{getting_unlinked => remove}, #{closed => remove}, #{unregister => remove}, #{trace_status => discard}, #{trace_status => remove}],
        Flags <- [[ports], [running_ports]]].

%% A driver of files in memory: nothing comes from it by itself.
story(Flags, Answers) ->
    Port = open_port({spawn_driver, "ram_file_drv"}, [binary]),
    erlang:trace(Port, true, [{tracer, ?MODULE, {self(), Answers}} | Flags]),
    flush(),
    io:format("=== ~w ~w~n", [Flags, Answers]),
    [begin
         Does(Port),
         io:format("~w: ~w ~w~n", [What, [plain(E, Port) || E <- heard()], element(2, erlang:trace_info(Port, flags))])
     end || {What, Does} <- [{control, fun(P) -> catch port_control(P, 9, "") end},
                             {info, fun(P) -> erlang:port_info(P, name) end},
                             {unlink, fun unlink/1}, {link, fun link/1},
                             {register, fun(P) -> register(?MODULE, P) end},
                             {unregister, fun(_) -> unregister(?MODULE) end},
                             {connect, fun(P) -> port_connect(P, self()) end}]],
    port_close(Port),
    io:format("close: ~w~n", [[plain(E, Port) || E <- heard()]]).

%% In the order of events: the port is run by who asks it.
heard() ->
    Delivered = erlang:trace_delivered(all),
    heard(Delivered).
heard(Delivered) ->
    receive
        {trace_delivered, all, Delivered} -> [];
        {'EXIT', _, _} -> heard(Delivered);
        {Port, _} when is_port(Port) -> heard(Delivered);
        Event -> [Event | heard(Delivered)]
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% Times are others each time, and a scheduler too.
plain({Function, Tag, Term, Options}, Port) -> {Function, Tag, plain(Term, Port), lists:sort(maps:keys(Options))};
plain(Port, Port) -> port;
plain(Pid, _) when Pid =:= self() -> me;
plain(T, Port) when is_tuple(T) -> list_to_tuple([plain(E, Port) || E <- tuple_to_list(T)]);
plain(B, _) when is_binary(B) -> bytes;
plain(T, _) -> T.
