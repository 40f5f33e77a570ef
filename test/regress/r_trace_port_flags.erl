%% The flags of ports and processes: one that is named has them, others only beside flags of their own, new ones never.
-module(r_trace_port_flags).
-export([main/0]).

main() ->
    Sleep = fun() -> receive stop -> ok end end,
    [Tracer, Other] = [spawn(Sleep) || _ <- "12"],
    [begin
         Changed = 0 =/= erlang:trace(case Who of other -> Other; _ -> Who end, true, [{tracer, Tracer} | Flags]),
         Child = spawn(Sleep),
         io:format("~p ~p: ~0p~n", [Who, Flags, [Changed | [erlang:trace_info(P, flags) || P <- [new, Other, Child]]]]),
         [erlang:trace(P, false, [all]) || P <- [all, Other, Child, new]]
     end || Who <- [new, new_processes, other, existing_processes, processes],
            Flags <- [[all], [ports], [running_ports], [send, ports], [send, running_ports, ports], [running]]],
    [begin
         erlang:trace(new, true, F1),
         erlang:trace(new, On, F2),
         io:format("~p~n", [{F1, On, F2, erlang:trace_info(new, flags)}]),
         erlang:trace(new, false, [all])
     end || {F1, On, F2} <- [{[send, call], false, [ports]}, {[send, call], false, [send]}, {[send], true, [ports]},
                             {[ports], true, [send]}]].
