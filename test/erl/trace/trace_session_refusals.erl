%% trace:function/4 with one or several bad arguments: which of them is told, and nothing is set. The answers are those of
%% OTP 27.3.
-module(trace_session_refusals).
-export([main/0, f/1]).

f(X) -> X.

main() ->
    S = trace:session_create(refusals, self(), []),
    [io:format("~0p: ~0p~n", [{F, Spec, Kinds}, refused(S, F, Spec, Kinds)]) ||
        F <- [{?MODULE, f, 1}, {?MODULE, f, x}, {a, b}, {'_', f, 1}, [], on_load],
        Spec <- [true, [{['$1'], [], []}], [{x, [], []}], foo, pause],
        Kinds <- [[local], [call_count], [call_time, call_memory], [local, call_count], [global, local], [meta, foo], foo]],
    trace:session_destroy(S).

refused(S, F, Spec, Kinds) ->
    Answer =
        try trace:function(S, F, Spec, Kinds)
        catch
            C:R:Stack ->
                [{M, Name, Args, Info} | _] = Stack,
                {C, R, {M, Name, length(Args), [I || {error_info, _} = I <- Info]}}
        end,
    Now = [element(2, trace:info(S, {?MODULE, f, 1}, I)) || I <- [traced, match_spec, call_count]],
    [trace:function(S, G, false, K) || G <- [{?MODULE, f, 1}, on_load], K <- [[], [local, call_count, call_time, call_memory]]],
    {Answer, Now}.
