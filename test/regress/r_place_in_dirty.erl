%% Where a process is that a built-in function has on a dirty thread, called in each way; and the collections that it is
%% told to have made do not grow while it only tells of itself.
-module(r_place_in_dirty).
-export([main/0, last/2, inner/2]).

main() ->
    Self = self(),
    [begin
         {P, Ref} = spawn_monitor(Body),
         receive {alive, P} -> ok end,
         Told = process_info(P, [current_function, current_location, status]),
         exit(P, kill),
         receive {'DOWN', Ref, process, P, Why} -> io:format("~p ~p~n", [Told, Why]) end
     end
     || Body <- [fun() -> erts_debug:dirty_io(alive_waitexiting, Self), ok end, fun() -> last(dirty_cpu, Self) end,
                 fun() -> inner(dirty_io, Self) end, fun() -> apply(erts_debug, dirty_cpu, [alive_waitexiting, Self]) end]],
    Q = spawn(fun() -> Self ! process_info(self()), receive stop -> ok end end),
    Own = receive Info -> lists:keyfind(garbage_collection, 1, Info) end,
    io:format("~p~n", [Own =:= lists:keyfind(garbage_collection, 1, process_info(Q))]).

last(dirty_cpu, To) -> erts_debug:dirty_cpu(alive_waitexiting, To);
last(dirty_io, To) -> erts_debug:dirty_io(alive_waitexiting, To).
inner(Kind, To) -> {last(Kind, To)}.
