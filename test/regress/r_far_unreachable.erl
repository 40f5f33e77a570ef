%% What a process does to one of a node that cannot be reached, here for the want of a name of its own: links answer true
%% and break, monitors go down, requests to spawn are refused, the rest is lost.
%% Not under torture, give_away, leaks: exit signals of its own meet a process wherever a slice ends.
-module(r_far_unreachable).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    [show(Name, F, 0) || {Name, F} <- links() ++ monitors() ++ others() ++ requests() ++ calls()],
    [show(Name, F, Count) || {Name, Count, F} <- spawns()],
    ok.

far() -> binary_to_term(<<131, 88, 119, 7, "foo@bar", 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1>>).
far_port() -> binary_to_term(<<131, 89, 119, 7, "foo@bar", 0, 0, 0, 9, 0, 0, 0, 1>>).
far_ref() -> binary_to_term(<<131, 90, 0, 3, 119, 7, "foo@bar", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3>>).

%% In a process of its own, which may trap exits: what the call gives, what comes then, and how the process ends. From
%% others come so many messages at most; its own have come.
show(Name, F, Count) ->
    [io:format("~p, ~p: ~s~n", [Name, Traps, plain(run(F, Count, Traps))]) || Traps <- [false, true]].

run(F, Count, Traps) ->
    Main = self(),
    {P, M} = spawn_monitor(fun() ->
        process_flag(trap_exit, Traps),
        Result = try F() catch Class:Reason:Stack -> {Class, Reason, hd(Stack)} end,
        Main ! {gave, self(), Result},
        Main ! {came, self(), come(Count)}
    end),
    receive {'DOWN', M, _, _, End} -> {got(gave, P), got(came, P), End} end.

got(What, P) -> receive {What, P, Got} -> Got after 0 -> nothing end.
come(0) -> receive M -> [M | come(0)] after 0 -> [] end;
come(Count) -> receive M -> [M | come(Count - 1)] end.

%% Numbers of identifiers and lines differ.
plain(Term) ->
    Text = lists:flatten(io_lib:format("~0p", [Term])),
    Marks = [{"#Ref<[0-9.]+>", "#Ref"}, {"<[0-9]+\\.[0-9]+\\.[0-9]+>", "<Pid>"}, {"#Port<[0-9.]+>", "#Port"},
             {"{line,[0-9]+}", "{line,N}"}],
    lists:foldl(fun({Is, Shown}, T) -> re:replace(T, Is, Shown, [global, {return, list}]) end, Text, Marks).

links() ->
    P = far(),
    [
        {link, fun() -> link(P) end},
        {link_twice, fun() -> {link(P), link(P)} end},
        {link_unlink, fun() -> {link(P), unlink(P), process_info(self(), links)} end},
        {link_unlink_link, fun() -> {link(P), unlink(P), link(P)} end},
        {unlink, fun() -> {unlink(P), unlink(P)} end},
        {link_port, fun() -> link(far_port()) end},
        {unlink_port, fun() -> unlink(far_port()) end},
        {link_name, fun() -> link({a, foo@bar}) end},
        {links_after, fun() -> link(P), timer:sleep(10), process_info(self(), links) end}
    ].

monitors() ->
    P = far(),
    [
        {monitor, fun() -> monitor(process, P) end},
        {monitor_twice, fun() -> {monitor(process, P), monitor(process, P)} end},
        {monitor_tag, fun() -> monitor(process, P, [{tag, [a, {b}]}]) end},
        {monitor_alias, fun() ->
            R = monitor(process, P, [{alias, explicit_unalias}]),
            receive D -> R ! hello, {D, receive M -> M end, unalias(R)} end
        end},
        {monitor_alias_demonitor, fun() ->
            R = monitor(process, P, [{alias, demonitor}]),
            receive D -> R ! hello, {D, unalias(R)} end
        end},
        {monitor_reply, fun() ->
            R = monitor(process, P, [{alias, reply_demonitor}]),
            R ! hello,
            {R, timer:sleep(10), unalias(R)}
        end},
        {monitor_options, fun() -> monitor(process, P, [{tag, a} | b]) end},
        {monitor_bad_alias, fun() -> monitor(process, P, [{alias, a}]) end},
        {monitor_name, fun() -> monitor(process, {a, foo@bar}) end},
        {monitor_name_tag, fun() -> monitor(process, {a, foo@bar}, [{tag, x}]) end},
        {monitor_no_host, fun() -> monitor(process, {a, foo}) end},
        {monitor_no_node, fun() -> monitor(process, {a, 7}) end},
        {monitor_port, fun() -> monitor(port, far_port()) end},
        {monitor_port_name, fun() -> monitor(port, {a, foo@bar}) end},
        {monitor_port_as_process, fun() -> monitor(process, far_port()) end},
        {demonitor, fun() -> demonitor(monitor(process, P)) end},
        {demonitor_flush, fun() -> demonitor(monitor(process, P), [flush]) end},
        {demonitor_info, fun() -> demonitor(monitor(process, P), [info]) end},
        {demonitor_late, fun() -> R = monitor(process, P), timer:sleep(10), demonitor(R, [info]) end},
        {demonitor_late_flush, fun() -> R = monitor(process, P), timer:sleep(10), demonitor(R, [info, flush]) end},
        {demonitor_far, fun() -> {demonitor(far_ref()), demonitor(far_ref(), [info])} end},
        {monitors_after, fun() -> monitor(process, P), timer:sleep(10), process_info(self(), monitors) end}
    ].

others() ->
    P = far(),
    [
        {exit, fun() -> {exit(P, foo), exit(P, kill), exit(P, normal)} end},
        {exit_port, fun() -> exit(far_port(), foo) end},
        {exit_name, fun() -> exit({a, foo@bar}, foo) end},
        {send, fun() -> {P ! a, {a, foo@bar} ! b, far_ref() ! c} end},
        {group_leader_of_it, fun() -> group_leader(self(), P) end},
        {group_leader_bad, fun() -> group_leader(a, P) end},
        {group_leader, fun() ->
            Main = self(),
            true = group_leader(P, self()),
            spawn(fun() -> Main ! {child, group_leader(), process_info(self(), group_leader)} end),
            receive Child -> {Child, garbage_collect(), group_leader()} end
        end},
        {group_leader_of_another, fun() ->
            Q = spawn(fun() -> timer:sleep(infinity) end),
            {group_leader(P, Q), process_info(Q, group_leader), exit(Q, kill)}
        end},
        {prints, fun() -> group_leader(P, self()), io:format("x") end},
        {alive, fun() -> is_process_alive(P) end},
        {process_info, fun() -> process_info(P) end},
        {unalias, fun() -> unalias(far_ref()) end},
        {suspend, fun() -> erlang:suspend_process(P) end}
    ].

spawns() ->
    N = foo@bar,
    [
        {spawn, 0, fun() -> spawn(N, m, f, []) end},
        {spawn_fun, 0, fun() -> spawn(N, fun() -> ok end) end},
        {spawn_link, 1, fun() -> spawn_link(N, m, f, []) end},
        {spawn_monitor, 1, fun() -> spawn_monitor(N, m, f, []) end},
        {spawn_opt, 0, fun() -> spawn_opt(N, m, f, [], []) end},
        {spawn_opt_both, 2, fun() -> spawn_opt(N, m, f, [], [link, monitor]) end},
        {spawn_opt_tag, 1, fun() -> spawn_opt(N, m, f, [], [{monitor, [{tag, a}]}, {priority, high}]) end},
        {spawn_opt_unknown, 0, fun() -> spawn_opt(N, m, f, [], [{foo, bar}]) end},
        {spawn_opt_reply, 0, fun() -> spawn_opt(N, m, f, [], [{reply, no}]) end},
        {spawn_opt_monitor, 0, fun() -> spawn_opt(N, m, f, [], [{monitor, a}]) end},
        {spawn_opt_improper, 0, fun() -> spawn_opt(N, m, f, [], [a | b]) end},
        {spawn_opt_arguments, 0, fun() -> spawn_opt(N, m, f, [a | b], []) end},
        {spawn_opt_no_host, 1, fun() -> spawn_opt(foo, m, f, [], [monitor]) end}
    ].

requests() ->
    [{Name, fun() -> spawn_request(foo@bar, m, f, [], Options) end} || {Name, Options} <- request_options()] ++
    [
        {request_fun, fun() -> spawn_request(foo@bar, fun() -> ok end, []) end},
        {request_arguments, fun() -> spawn_request(foo@bar, m, f, [a | b], []) end},
        {request_module, fun() -> spawn_request(foo@bar, 7, f, [], []) end},
        {request_node, fun() -> spawn_request(7, m, f, [], [{monitor, foo}]) end},
        {request_no_host, fun() -> spawn_request(foo, m, f, [], []) end},
        {request_meanwhile, fun() ->
            R = spawn_request(foo@bar, m, f, [], [link, {monitor, [{alias, demonitor}]}]),
            {demonitor(R, [info]), unalias(R), spawn_request_abandon(R)}
        end},
        {abandon_none, fun() -> {spawn_request_abandon(make_ref()), spawn_request_abandon(far_ref())} end},
        {abandon_bad, fun() -> spawn_request_abandon(a) end}
    ].

request_options() ->
    [
        {request, []},
        {request_both, [link, monitor]},
        {request_no, [{reply, no}]},
        {request_error_only, [{reply, error_only}, {reply_tag, [1, 2]}, link, monitor]},
        {request_success_only, [{reply, success_only}]},
        {request_bad_reply, [{reply, foo}]},
        {request_no_bad_monitor, [{reply, no}, {monitor, foo}]},
        {request_tag_bad_monitor, [{reply_tag, a}, {monitor, foo}]},
        {request_bad_monitor_tag, [{monitor, [foo]}, {reply_tag, a}]},
        {request_unknown, [{monitor, [{alias, reply_demonitor}]}, {foo, bar}, baz]},
        {request_improper, [a | b]}
    ].

calls() ->
    P = far(),
    [
        {rpc_call, fun() -> rpc:call(foo@bar, erlang, node, []) end},
        {rpc_multicall, fun() -> rpc:multicall([foo@bar, node()], erlang, node, []) end},
        {erpc_call, fun() -> erpc:call(foo@bar, erlang, node, []) end},
        {erpc_cast, fun() -> erpc:cast(foo@bar, erlang, node, []) end},
        {erpc_request, fun() -> erpc:receive_response(erpc:send_request(foo@bar, erlang, node, [])) end},
        {gen_call_name, fun() -> gen_server:call({foo, foo@bar}, x) end},
        {gen_call, fun() -> gen_server:call(P, x) end},
        {gen_multi_call, fun() -> gen_server:multi_call([foo@bar], foo, x) end}
    ].
