%% Pids, ports and references that have this node's name and another creation are those of an earlier run of it: whom
%% they name has ended, and that is told at once, as of processes of this run.
-module(r_pids_of_earlier_runs).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    logger:set_primary_config(level, none),
    Port = open_port({spawn, "cat"}, []),
    Old = earlier(self()),
    Does = fun(What, F) -> io:format("~s: ~p ~p~n", [What, result(F), [plain(M) || M <- arrived()]]) end,
    Does("node", fun() -> {node(Old) =:= node(), Old =:= self(), lists:member(Old, processes())} end),
    Does("text", fun() -> [hd(string:split(P(T), "."))
                           || {P, T} <- [{fun pid_to_list/1, Old}, {fun ref_to_list/1, earlier(make_ref())},
                                         {fun port_to_list/1, earlier(Port)}]] end),
    Does("monitor", fun() -> is_reference(monitor(process, Old)) end),
    Does("monitor with options", fun() -> is_reference(monitor(process, Old, [{tag, tag}, {alias, demonitor}])) end),
    Does("monitor a port", fun() -> is_reference(monitor(port, earlier(Port))) end),
    Does("link", fun() -> link(Old) end),
    Does("unlink", fun() -> unlink(Old) end),
    Does("link of one who does not trap", fun() ->
        {_, M} = spawn_monitor(fun() -> exit(try link(Old) catch error:Reason -> {caught, Reason} end) end),
        receive {'DOWN', M, _, _, Reason} -> Reason end
    end),
    Does("exit", fun() -> [exit(Old, R) || R <- [kill, normal]] end),
    Does("send", fun() ->
        [Old ! x, erlang:send(Old, x, [nosuspend]), erlang:send(Old, x, [noconnect]), erlang:send_nosuspend(Old, x)]
    end),
    Does("alive", fun() -> is_process_alive(Old) end),
    Does("info", fun() -> [process_info(Old), process_info(Old, links), process_info(Old, [links, messages])] end),
    Does("no such info", fun() -> process_info(Old, no_such) end),
    Does("group leader", fun() -> group_leader(self(), Old) end),
    Does("call", fun() -> catch gen_server:call(Old, x, 500), element(1, result(fun() -> gen:call(Old, a, b) end)) end),
    Does("suspend", fun() -> erlang:suspend_process(Old) end),
    Does("trace", fun() -> erlang:trace(Old, true, [send]) end),
    Does("give away", fun() -> ets:give_away(ets:new(t, []), Old, x) end),
    Does("register", fun() -> register(of_old, Old) end),
    Does("timer", fun() -> erlang:send_after(1, Old, x) end),
    Does("collect", fun() -> garbage_collect(Old) end),
    Does("check", fun() -> erlang:check_process_code(Old, lists) end).

%% The last four bytes are the creation, but for references.
earlier(Ref) when is_reference(Ref) ->
    <<131, 90, Count:16, Rest/binary>> = term_to_binary(Ref),
    Words = 4 * Count,
    Node = binary:part(Rest, 0, byte_size(Rest) - Words - 4),
    <<Creation:32, Numbers/binary>> = binary:part(Rest, byte_size(Node), Words + 4),
    binary_to_term(<<131, 90, Count:16, Node/binary, (Creation + 1):32, Numbers/binary>>);
earlier(Term) ->
    Bytes = term_to_binary(Term),
    Before = byte_size(Bytes) - 4,
    <<Start:Before/binary, Creation:32>> = Bytes,
    binary_to_term(<<Start/binary, (Creation + 1):32>>).

result(F) -> try F() catch Class:Reason -> {Class, Reason} end.

plain({Tag, Ref, Type, _, Reason}) when is_reference(Ref) -> {Tag, Type, Reason};
plain({'EXIT', _, Reason}) -> {'EXIT', Reason};
plain(Other) -> Other.

arrived() -> receive M -> [M | arrived()] after 100 -> [] end.
