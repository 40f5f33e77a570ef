%% error, exit and throw by apply in tail position leave the caller in the stack trace, traced or not.
-module(r_raise_by_apply).
-export([main/0, by_apply/3, by_name/3]).

by_apply(M, F, A) -> apply(M, F, A).
by_name(M, F, [A]) -> M:F(A).

main() ->
    go(plain),
    erlang:trace(self(), true, [call, {tracer, spawn(fun() -> receive stop -> ok end end)}]),
    [begin
         [erlang:trace_pattern(F, Spec, [local]) || F <- [{?MODULE, '_', '_'}, {erlang, error, 1}, {erlang, throw, 1}]],
         go(Spec)
     end || Spec <- [[{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}]}], true]].

go(When) ->
    [io:format("~p ~p ~p ~0p~n", [When, How, F, raised(How, F, A)]) ||
        How <- [by_apply, by_name],
        {F, A} <- [{error, [x]}, {throw, [x]}, {exit, [x]}, {atom_to_list, [1]}, {nosuch, [1]}]].

raised(How, F, A) ->
    try [?MODULE:How(erlang, F, A), 1]
    catch
        C:R:S -> {C, R, lists:sublist(S, 3)}
    end.
