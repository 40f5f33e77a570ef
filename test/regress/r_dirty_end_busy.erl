%% Who is told to end in a dirty call ends also where processes of a higher priority than its own never rest.
-module(r_dirty_end_busy).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    process_flag(priority, max),
    [ends(Priority) || Priority <- [low, normal, high]].

ends(Priority) ->
    Self = self(),
    P = spawn_opt(fun() -> erts_debug:dirty_io(alive_waitexiting, Self) end, [{priority, Priority}]),
    receive {alive, P} -> ok end,
    M = monitor(process, P),
    Busy = [spawn_opt(fun() -> Self ! {busy, self()}, busy() end, [link, {priority, high}])
            || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    [receive {busy, B} -> ok end || B <- Busy],
    exit(P, bang),
    Alive = is_process_alive(P),
    Reason = receive {'DOWN', M, _, _, R} -> R after 20000 -> does_not_end end,
    [begin unlink(B), exit(B, kill) end || B <- Busy], % who prints is of a normal priority
    io:format("~p: alive ~p, ~p~n", [Priority, Alive, Reason]).

busy() -> busy().
