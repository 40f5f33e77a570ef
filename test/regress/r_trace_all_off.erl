%% Processes that spawn and link while every flag of all is cleared: they handed flags on that they had not given up yet
%% themselves, to processes that had seen the order, and were traced for ever.
-module(r_trace_all_off).
-export([main/0]).

main() ->
    Tracer = spawn(fun ignore/0),
    [io:format("traced after all are cleared, ~p: ~w~n", [How, length([P || P <- all_rounds(Tracer, How), P =/= {flags, []}])])
     || How <- [set_on_spawn, set_on_link]].

ignore() -> receive _ -> ignore() end.

all_rounds(Tracer, How) -> lists:append([one_round(Tracer, How) || _ <- lists:seq(1, 20)]).

one_round(Tracer, How) ->
    Me = self(),
    Parents = [spawn(fun() -> parent(Me, How) end) || _ <- lists:seq(1, 4)],
    [1 = erlang:trace(P, true, [How, call, {tracer, Tracer}]) || P <- Parents],
    [P ! go || P <- Parents],
    timer:sleep(2),
    erlang:trace(all, false, [all]),
    [P ! stop || P <- Parents],
    Children = lists:append([receive {children, P, C} -> C end || P <- Parents]),
    Flags = [erlang:trace_info(P, flags) || P <- Parents ++ Children],
    [exit(C, kill) || C <- Parents ++ Children],
    Flags.

parent(Main, How) ->
    process_flag(trap_exit, true),
    receive go -> repeat(Main, How, 10000, []) end.

%% Not more, however late it is told to stop: there is a limit on processes.
repeat(Main, How, Left, Children) ->
    receive
        stop ->
            Main ! {children, self(), Children},
            receive after infinity -> ok end
    after if Left > 0 -> 0; true -> infinity end ->
        Waits = fun() -> receive after infinity -> ok end end,
        Child = case How of set_on_spawn -> spawn(Waits); set_on_link -> spawn_link(Waits) end,
        repeat(Main, How, Left - 1, [Child | Children])
    end.
