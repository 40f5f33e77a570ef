%% Of options that are given twice the last counts, and is looked at alone.
-module(r_last_option_counts).
-export([main/0]).

main() ->
    [io:format("~p~n", [{Options, result(fun() -> float_to_list(0.5, Options) end)}])
     || Options <- [[{decimals, 254}, {scientific, 1}], [{scientific, 250}, {decimals, 1}], [{decimals, 1}, {decimals, 254}],
                    [{scientific, -1}], [{decimals, -1}], [{decimals, -1}, short], [short, {decimals, 254}],
                    [{scientific, 1 bsl 31}, {decimals, 2}], [{decimals, a}, {decimals, 1}], [{decimals, 253}, compact]]],
    [io:format("~p~n", [{Options, told(Options)}])
     || Options <- [[{error_info, #{cause => a}}, {error_info, #{cause => b}}], [{error_info, #{cause => a}} | x],
                    [{error_info, #{cause => a}}, other], [{error_info, a}, {error_info, #{}}], []]],
    [io:format("~p~n", [{N, result(fun() -> erlang:posixtime_to_universaltime(N) end)}])
     || N <- [0, 1 bsl 59, 1 bsl 60, (1 bsl 63) - 1, 1 bsl 63, 1.0]],
    ok.

told(Options) ->
    try erlang:error(reason, [], Options)
    catch
        error:reason:Trace -> {_, _, _, Told} = hd(Trace), lists:keyfind(error_info, 1, Told);
        Class:Reason -> {Class, Reason}
    end.

result(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.
