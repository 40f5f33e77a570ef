%% The ends of programs that ports run are no SIGCHLD of the runtime, as it is told by os:set_signal/2; one that somebody
%% sends is. With the signal ignored programs' statuses come all the same.
-module(r_sigchld).
-export([main/0]).

main() ->
    catch unregister(erl_signal_server),
    true = register(erl_signal_server, self()),
    [io:format("~p: ~p~n", [Action, ends(Action)]) || Action <- [default, handle, ignore, handle, ignore, default]].

ends(Action) ->
    ok = os:set_signal(sigchld, Action),
    Statuses = [status("exit " ++ integer_to_list(N)) || N <- lists:seq(1, 20)],
    Killed = status("kill -9 $$"),
    0 = status("kill -s CHLD " ++ os:getpid()),
    Told = case Action of
               handle -> receive {notify, Name} -> [Name] end;
               _ -> []
           end,
    {Statuses =:= lists:seq(1, 20), Killed, Told, told()}.

status(Command) ->
    Port = open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Command]}, exit_status]),
    receive {Port, {exit_status, Status}} -> Status end.

told() -> receive {notify, Name} -> [Name | told()] after 100 -> [] end.
