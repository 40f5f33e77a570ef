%% What a function of the runtime goes on with, in another function, is not held when that has been called: a server that
%% spawns with a binary does not keep it.
-module(r_trap_arguments).
-export([main/0]).

main() ->
    Server = spawn(fun serve/0),
    Me = self(),
    [begin
         Server ! {Me, How, binary:copy(<<0>>, 1000)},
         receive {done, How} -> ok end,
         true = garbage_collect(Server),
         io:format("~p ~p~n", [How, process_info(Server, binary)])
     end || How <- [spawn, spawn_link, spawn_monitor, spawn_opt, none]].

serve() ->
    receive
        {From, How, B} ->
            by(How, fun() -> byte_size(B) end),
            From ! {done, How},
            serve();
        {'DOWN', _, _, _, _} ->
            serve()
    end.

by(spawn, F) -> spawn(F);
by(spawn_link, F) -> spawn_link(F);
by(spawn_monitor, F) -> spawn_monitor(F);
by(spawn_opt, F) -> spawn_opt(F, [{priority, high}]);
by(none, F) -> F().
