%% A process that spawns while every flag of all is cleared handed flags on that it had not yet given up itself: its
%% children had seen the order, and were traced for ever.
-module(r_trace_all_off_spawn).
-export([main/0]).

main() ->
    Tracer = spawn(fun ignore/0),
    Left = lists:append([one_round(Tracer) || _ <- lists:seq(1, 30)]),
    io:format("traced after all are cleared: ~w~n", [length([P || P <- Left, P =/= {flags, []}])]).

ignore() -> receive _ -> ignore() end.

one_round(Tracer) ->
    Me = self(),
    Parents = [spawn(fun() -> parent(Me, []) end) || _ <- lists:seq(1, 4)],
    [1 = erlang:trace(P, true, [set_on_spawn, call, {tracer, Tracer}]) || P <- Parents],
    [P ! go || P <- Parents],
    timer:sleep(2),
    erlang:trace(all, false, [all]),
    [P ! stop || P <- Parents],
    Children = lists:append([receive {children, P, C} -> C end || P <- Parents]),
    Flags = [erlang:trace_info(P, flags) || P <- Parents ++ Children],
    [exit(C, kill) || C <- Parents ++ Children],
    Flags.

parent(Main, []) -> receive go -> spawn_on(Main, []) end.

spawn_on(Main, Children) ->
    receive
        stop ->
            Main ! {children, self(), Children},
            receive after infinity -> ok end
    after 0 ->
        spawn_on(Main, [spawn(fun() -> receive after infinity -> ok end end) | Children])
    end.
