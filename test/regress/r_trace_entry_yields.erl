%% Slices that end before the entry of a function whose remote calls are traced, while the trace goes and comes: the
%% process went on in memory that had been freed with the breakpoint.
-module(r_trace_entry_yields).
-export([main/0, f/2]).

main() ->
    Callers = [spawn_opt(fun() -> f(N, 0) end, [monitor, {priority, P}]) || P <- [normal, low], N <- lists:seq(1, 8)],
    Tracer = spawn(fun ignore/0),
    [1 = erlang:trace(P, true, [call, {tracer, Tracer}]) || {P, _} <- Callers],
    Silent = [{'_', [], [{message, false}]}],
    [{1, 1} = {erlang:trace_pattern({?MODULE, f, 2}, Silent, [global]),
               erlang:trace_pattern({?MODULE, f, 2}, false, [global])} || _ <- lists:seq(1, 40)],
    io:format("~p~n", [lists:usort([place(P) || {P, _} <- Callers])]),
    [P ! stop || {P, _} <- Callers],
    io:format("~p~n", [lists:usort([receive {'DOWN', Ref, _, _, R} -> R end || {_, Ref} <- Callers])]).

place(P) -> element(2, erlang:process_info(P, current_function)).

ignore() -> receive _ -> ignore() end.

f(N, Count) ->
    receive
        stop -> ok
    after 0 -> ?MODULE:f(N, Count + 1)
    end.
