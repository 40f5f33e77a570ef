%% system_info(end_time) is the last moment that a timer is set for; reductions and exact_reductions are told since the
%% last call of each.
-module(r_time_and_counts).
-export([main/0]).

main() ->
    End = erlang:convert_time_unit(erlang:system_info(end_time), native, millisecond),
    io:format("~p ~p~n", [erlang:system_info(end_time), [result(fun() -> set(At) end) || At <- [End - 1, End, End + 1]]]),
    io:format("~p~n", [counts(lists:seq(1, 200000))]).

set(At) ->
    Ref = erlang:start_timer(At, self(), told, [{abs, true}]),
    is_integer(erlang:cancel_timer(Ref)).

counts(L) ->
    _ = {statistics(reductions), statistics(exact_reductions)},
    _ = lists:foldl(fun(X, Y) -> X + Y end, 0, L),
    erlang:yield(),
    {_, Exact} = statistics(exact_reductions),
    {_, Others} = statistics(reductions),
    {Exact > 100000, Others > 100000}.

result(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.
