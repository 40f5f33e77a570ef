%% A process in a dirty call that has a lock of the library is sent the last reference to a resource, which it drops
%% unseen. The resource's destructor waits for the lock: not on a thread that the call waits for.
-module(r_dirty_destructor).
-export([main/0, resource/0, hold/1, held/0]).
-nifs([resource/0, hold/1, held/0]).

resource() -> erlang:nif_error(undef).
hold(_To) -> erlang:nif_error(undef).
held() -> erlang:nif_error(undef).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    [io:format("~p~n", [{How, dropped(How)}]) || How <- [alias, alias, exit_signal, demonitored]].

dropped(How) ->
    Main = self(),
    {Other, _} = spawn_monitor(fun() -> receive {drop, Resource} -> exit({stopped, Resource}) end end),
    {P, M} = spawn_monitor(fun() ->
        Alias = alias(),
        unalias(Alias),
        Watches = monitor(process, Other),
        How =:= demonitored andalso demonitor(Watches),
        Main ! {self(), Alias},
        exit({hold(Main), [process_info(self(), message_queue_len) || How =/= exit_signal]})
    end),
    Alias = receive {P, A} -> A end,
    until_held(),
    send(How, P, Alias, Other),
    receive sent -> ok end,
    receive {'DOWN', M, process, P, Reason} -> Reason end.

%% By a process that is gone then, so that nobody else has the resource.
send(alias, _, Alias, _) -> by_another(fun() -> Alias ! {late, resource()} end);
send(exit_signal, P, _, _) -> by_another(fun() -> link(P), unlink(P), exit(P, normal), P ! resource(), ok end);
send(demonitored, _, _, Other) ->
    by_another(fun() -> Other ! {drop, resource()} end),
    receive {'DOWN', _, process, Other, {stopped, _}} -> ok end.

by_another(F) ->
    {P, M} = spawn_monitor(F),
    receive {'DOWN', M, process, P, normal} -> ok end.

until_held() ->
    case held() of
        true -> ok;
        false -> receive after 1 -> ok end, until_held()
    end.
