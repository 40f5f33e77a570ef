%% An exception that is caught is a return for who traces with return_to, where the call that it leaves last was traced.
-module(r_trace_caught).
-export([main/0, a/1, b/1, c/1, d/1]).
-include("../erl/trace/trace.hrl").

a(X) -> [catch b(X)].
b(X) -> [c(X)].
c(X) -> [d(X)].
d(X) -> [atom_to_list(X)].

main() ->
    Native = {erlang, atom_to_list, 1},
    [B, C, D] = [{?MODULE, F, 1} || F <- [b, c, d]],
    [show(Fs, told(Fs)) || Fs <- [[B], [C], [D], [B, D], [C, D], [Native], [B, Native], [D, Native], [B, C, D]]].

told(Functions) ->
    P = servant(),
    erlang:trace(P, true, [call, return_to]),
    [erlang:trace_pattern(F, true, [local]) || F <- Functions],
    run(P, fun() -> [?MODULE:a(4), catch atom_to_list(5)] end),
    [erlang:trace_pattern(F, false, [local]) || F <- Functions],
    collected(P).
