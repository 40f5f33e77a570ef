%% Who wait for a dirty thread stand there by their priorities, as in a run queue.
-module(r_dirty_priority).
-export([main/0, hold/0, let_go/0, has_begun/0, turn/0]).
-nifs([hold/0, let_go/0, has_begun/0, turn/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Online = erlang:system_flag(dirty_cpu_schedulers_online, 1),
    Holder = waiter(hold, fun hold/0, normal),
    until(fun has_begun/0),
    Waiters = [begin
                   W = waiter({Priority, N}, fun turn/0, Priority),
                   until(fun() -> lists:last(statistics(run_queue_lengths)) =:= N end),
                   W
               end || {N, Priority} <- lists:enumerate(priorities())],
    let_go(),
    Turns = [{Turn, What} || W <- [Holder | Waiters], {What, Turn} <- [receive {'DOWN', W, _, _, R} -> R end]],
    erlang:system_flag(dirty_cpu_schedulers_online, Online),
    io:format("~p~n", [lists:sort(Turns)]).

priorities() -> lists:duplicate(30, low) ++ [normal, high, low, max, high, max, normal].

waiter(What, F, Priority) ->
    {_, M} = spawn_opt(fun() -> exit({What, F()}) end, [monitor, {priority, Priority}]),
    M.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold() -> erlang:nif_error(not_loaded).
let_go() -> erlang:nif_error(not_loaded).
has_begun() -> erlang:nif_error(not_loaded).
turn() -> erlang:nif_error(not_loaded).
