%% Programs whose ports end as soon as their status is known: the thread that had told the port of it looked at the port
%% once more, which could be freed by then. (ThreadSanitizer saw it.)
-module(r_port_status_ends).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Statuses = [[status(open_port({spawn, "sh -c \"exit " ++ integer_to_list(N rem 5) ++ "\""}, [exit_status])) || N <- lists:seq(1, 40)]
                || _ <- "12345"],
    io:format("~w~n", [lists:usort(Statuses)]).

status(Port) ->
    receive {Port, {exit_status, Status}} -> ok end,
    receive {'EXIT', Port, Reason} -> {Status, Reason} end.
