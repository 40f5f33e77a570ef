%% What is sent to a process after the signal that ends it finds it gone, though it has not run since.
%% Not under torture, give_away: it wants to say two things in one slice.
-module(r_signals_after_exit).
-export([main/0]).

-define(TIMES, 200).

main() ->
    process_flag(trap_exit, true),
    Online = erlang:system_flag(schedulers_online, 1), % it does not run before this process waits
    show("monitored", fun monitored/1),
    show("linked", fun linked/1),
    show("linked, then unlinked", fun unlinked/1),
    show("monitored by name", fun named/1),
    erlang:system_flag(schedulers_online, Online).

show(What, F) ->
    [io:format("~s after ~p: ~p~n", [What, Reason, lists:usort([F(Reason) || _ <- lists:seq(1, ?TIMES)])])
     || Reason <- [kill, foo, normal]].

%% It waits, and handles all that it is sent at once.
told_to_end(Reason) ->
    P = spawn(fun() -> receive stop -> ok end end),
    erlang:yield(),
    exit(P, Reason),
    P.

monitored(Reason) ->
    P = told_to_end(Reason),
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, process, P, Why} -> Why end.

linked(Reason) ->
    P = told_to_end(Reason),
    link(P),
    P ! stop,
    receive {'EXIT', P, Why} -> Why end.

%% Told all the same when it did run between the two: then it is tried again.
unlinked(Reason) -> unlinked(Reason, 50).
unlinked(_, 0) -> told;
unlinked(Reason, Tries) -> case unlinked_once(Reason) of told -> unlinked(Reason, Tries - 1); Why -> Why end.

unlinked_once(Reason) ->
    P = told_to_end(Reason),
    link(P),
    unlink(P),
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, process, P, Why} -> Why end,
    receive {'EXIT', P, _} -> told after 0 -> Why end.

named(Reason) ->
    P = spawn(fun() -> receive stop -> ok end end),
    register(r_signals_after_exit_name, P),
    exit(P, Reason),
    M = monitor(process, r_signals_after_exit_name),
    catch r_signals_after_exit_name ! stop,
    receive {'DOWN', M, process, _, Why} -> wait_until_gone(P), Why end.

wait_until_gone(P) ->
    M = monitor(process, P),
    receive {'DOWN', M, process, P, _} -> ok end.
