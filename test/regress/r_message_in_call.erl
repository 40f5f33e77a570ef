%% An action as an argument of a function kept a part of the specification, or of the message that it was run on, after
%% that was gone.
-module(r_message_in_call).
-export([main/0, traced/1]).

main() ->
    [io:format("~p~n", [R]) || R <- [tested({const, {N, "zzz", [N, <<"abc">>]}}) || N <- lists:seq(1, 5)]],
    [io:format("~p~n", [tested(M)]) || M <- ["foo", '$2', '$_', {{a, '$2', [{const, {b}}]}}]],
    io:format("~p~n", [told({message, {const, [x, {y, "zzz"}]}})]),
    [io:format("~p~n", [told({set_seq_token, label, {const, [N, {y, "zzz"}]}})]) || N <- lists:seq(1, 5)].

tested(Message) ->
    erlang:match_spec_test([a, {b, "cc"}], [{['$1', '$2'], [], [{is_list, {message, Message}}]}], trace).

%% The label is looked at when the specification is gone.
told(Action) ->
    Main = self(),
    P = spawn(fun() ->
        receive go -> traced(1), Main ! called end,
        receive go -> Main ! {label, seq_trace:get_token(label)} end
    end),
    1 = erlang:trace(P, true, [call]),
    1 = erlang:trace_pattern({?MODULE, traced, 1}, [{['$1'], [], [{is_list, Action}]}], [local]),
    P ! go,
    receive called -> ok end,
    Event = receive {trace, P, call, Call} -> Call; {trace, P, call, Call, Message} -> {Call, Message} end,
    1 = erlang:trace_pattern({?MODULE, traced, 1}, false, [local]),
    [tested({const, [other, {N, "xxx"}]}) || N <- lists:seq(1, 20)],
    P ! go,
    receive {label, Label} -> {Event, Label} end.

traced(X) -> X.
