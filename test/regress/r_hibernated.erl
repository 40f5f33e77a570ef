%% Where one that hibernates is said to be: its stack is empty.
-module(r_hibernated).
-export([main/0, wakes/1]).

main() ->
    P = spawn(fun() -> deep(fun() -> erlang:hibernate(?MODULE, wakes, [self()]) end) end),
    until(fun() -> process_info(P, current_function) =:= {current_function, {erlang, hibernate, 3}} end),
    [io:format("~0p~n", [process_info(P, Item)])
     || Item <- [current_function, current_location, current_stacktrace, status]],
    true = garbage_collect(P),
    io:format("~0p~n", [process_info(P, [current_function, current_location, current_stacktrace, status])]),
    exit(P, kill).

deep(F) -> [F()].
wakes(_) -> ok.

until(F) ->
    case F() of
        true -> ok;
        false -> erlang:yield(), until(F)
    end.
