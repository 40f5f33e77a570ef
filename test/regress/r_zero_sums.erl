%% Sums and differences with zero of -0.0, of what is no number, and of large integers, in bodies and in guards: where the
%% zero has a sign is seen in the external format.
-module(r_zero_sums).
-export([main/0]).
-export([plus/1, minus/1, minus_float/1, from_zero/1, add/1, add_to_zero/1, plus_guard/1, minus_guard/1, called/1, times/1,
         negated/1, minus_negative/1, plus_in_argument/1, known_float/1]).

plus(X) -> +X.
minus(X) -> X - 0.
minus_float(X) -> X - 0.0.
from_zero(X) -> 0 - X.
add(X) -> X + 0.
add_to_zero(X) -> 0 + X.
plus_guard(X) when 1 / (X + 1) > 0, +X == 0 -> yes;
plus_guard(_) -> no.
minus_guard(X) when X - 0 == 0 -> yes;
minus_guard(_) -> no.
called(X) -> apply(erlang, '+', [X]).
times(X) -> X * 1.
negated(X) -> -X.
minus_negative(X) -> X - (-0).
plus_in_argument(X) -> (+X) band 0.
known_float(X) when is_float(X) -> X - 0;
known_float(X) -> X.

main() ->
    Functions = [F || {F, 1} <- ?MODULE:module_info(exports), F =/= module_info],
    [io:format("~p ~p ~w~n", [F, X, result(F, X)])
     || X <- [-0.0, 0.0, 1.5, foo, 0, 1 bsl 80, -1 bsl 80], F <- lists:sort(Functions)],
    Spec = ets:match_spec_compile([{{'$1'}, [], [{{{'+', '$1'}, {'-', '$1', 0}}}]}]),
    io:format("~p~n", [ets:match_spec_run([{-0.0}, {0.0}, {1}], Spec)]).

result(F, X) ->
    try ?MODULE:F(X) of
        Value when is_float(Value) -> {Value, <<Value/float>>};
        Value -> Value
    catch Class:Reason:Stack -> {Class, Reason, hd(Stack)}
    end.
