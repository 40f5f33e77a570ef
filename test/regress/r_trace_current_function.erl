%% process_info about oneself, while that very function is traced, tells the function that has called it.
-module(r_trace_current_function).
-export([main/0]).

main() ->
    [io:format("~0p ~0p ~0p~n   ~0p~n", [Action, Kind, Flags, traced(Action, Kind, Flags)])
     || Action <- [[], [{return_trace}], [{exception_trace}]], Kind <- [[], [local], [meta]], Flags <- [[], [return_to]]].

traced(Action, Kind, Flags) ->
    Main = self(),
    P = spawn(fun() -> receive go -> ok end, Main ! {self(), [inner(I) || I <- items()] ++ last() ++ applied()} end),
    erlang:trace(P, true, [call | Flags]),
    erlang:trace_pattern({erlang, process_info, 2}, [{'_', [], Action}], Kind),
    P ! go,
    Result = receive {P, R} -> R end,
    erlang:trace_pattern({erlang, process_info, 2}, false, Kind),
    [shown(R) || R <- Result].

items() -> [current_function, current_location, current_stacktrace, [current_location, current_function]].

inner(Item) ->
    Info = process_info(self(), Item),
    {Info}.

last() -> [process_info(self(), Item) || Item <- items()] ++ [tail(Item) || Item <- items()].

tail(Item) -> process_info(self(), Item).

applied() -> [begin F = id(process_info), {erlang:F(self(), Item)} end || Item <- items()].

id(X) -> X.

shown({Info}) -> shown(Info);
shown({current_stacktrace, L}) -> [{F, A} || {_, F, A, _} <- L];
shown(Info) -> Info.
