%% A message to a name of this node, or of another, whoever has it or has lost it; and to ports of other nodes.
-module(r_send_lost_name).
-export([main/0]).

main() ->
    Ends = spawn_link(fun() -> comes_and_goes(200000) end),
    io:format("~p~n", [sent(Ends, 1, [])]),
    [io:format("~p~n", [result(Fun)]) || Fun <- to_port(foreign_port())],
    [io:format("~p~n", [of_another(Options)]) || Options <- [none, demonitor, explicit_unalias, reply_demonitor, alias]],
    ok.

comes_and_goes(0) -> ok;
comes_and_goes(N) ->
    register(comes, self()),
    unregister(comes),
    receive _ -> ok after 0 -> ok end,
    comes_and_goes(N - 1).

%% It was badarg when the name went between two looks at it.
sent(Ends, N, Results) ->
    Was = result(fun() -> {comes, node()} ! N end) =:= N,
    case is_process_alive(Ends) of
        true -> sent(Ends, N + 1, lists:usort([Was | Results]));
        false -> Results
    end.

foreign_port() -> binary_to_term(<<131, 89, 119, 3, "a@b", 1:32, 1:32>>).

to_port(Port) ->
    [fun() -> Port ! m end, fun() -> erlang:send(Port, m) end, fun() -> erlang:send(Port, m, [noconnect]) end,
     fun() -> erlang:send_nosuspend(Port, m) end].

%% A monitor, or an alias, of another process.
of_another(How) ->
    Tester = self(),
    Watched = spawn(fun() -> receive stop -> ok end end),
    {P, M} = spawn_monitor(fun() -> Tester ! {self(), made(How, Watched)}, receive stop -> ok end end),
    Ref = receive {P, R} -> R end,
    Alive = [result(fun() -> demonitor(Ref, Options) end) || Options <- [[], [info], [flush]]],
    P ! stop,
    receive {'DOWN', M, process, P, normal} -> ok end,
    Watched ! stop,
    {How, Alive, result(fun() -> demonitor(Ref, [info]) end)}.

made(none, P) -> monitor(process, P);
made(alias, _) -> alias();
made(Kind, P) -> monitor(process, P, [{alias, Kind}]).

result(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.
