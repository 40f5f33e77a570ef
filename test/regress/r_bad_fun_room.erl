%% A fun that cannot be applied: what the exception is made of filled the heap up to the stack before the return address
%% was pushed, which then lay over its last word. So with every amount of room that is left.
-module(r_bad_fun_room).
-export([main/0]).

main() ->
    Seen = lists:usort([ended(spawn_monitor(fun() -> exit(fill(N, [])) end)) || N <- lists:seq(0, 700)]),
    io:format("~p~n", [Seen]).

ended({Pid, Ref}) -> receive {'DOWN', Ref, process, Pid, Reason} -> Reason end.

fill(0, Cells) ->
    Fun = fun(X) -> X end,
    {length(Cells) >= 0, caught(fun() -> {1, apply(hidden(1), hidden([a, b]))} end),
     caught(fun() -> {1, apply(hidden(Fun), hidden([a, b]))} end), caught(fun() -> {1, (hidden(1))(a)} end),
     caught(fun() -> {1, (hidden(Fun))(a, b)} end)};
fill(N, Cells) -> fill(N - 1, [N | Cells]).

%% None of them is a last call: there is a return address.
caught(Fun) ->
    try Fun() of
        Value -> Value
    catch
        Class:Reason:Trace -> {Class, shown(Reason), [{F, A} || {_, F, A, _} <- lists:sublist(Trace, 3)]}
    end.

hidden(X) -> put(hidden, X), erase(hidden).

shown({What, {Fun, Arguments}}) when is_function(Fun) -> {What, Arguments};
shown(Other) -> Other.
