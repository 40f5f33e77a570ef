%% apply, spawn and hibernate with many arguments: more than functions can have, and more than there are registers.
-module(insn_apply_many).
-export([main/0]).
-include("../t.hrl").

main() ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    [many(N, lists:seq(1, N)) || N <- [0, 1, 255, 256, 300, 1021, 1022, 1023, 1024, 1025, 5000]],
    ok.

many(N, L) ->
    F = fun(X) -> X end,
    E = fun lists:foo/1,
    s({mfa, N}, fun() -> {1, apply(lists, id(foo), L)} end),
    s({mfa_last, N}, fun() -> apply(lists, id(foo), L) end),
    s({bad_fun, N}, fun() -> {1, apply(id(x), L)} end),
    s({bad_fun_last, N}, fun() -> apply(id(x), L) end),
    s({function, N}, fun() -> {1, apply(id(F), L)} end),
    s({function_last, N}, fun() -> apply(id(F), L) end),
    s({external, N}, fun() -> {1, apply(id(E), L)} end),
    s({bad_module, N}, fun() -> {1, apply(id(1), foo, L)} end),
    s({by_name, N}, fun() -> M = id(erlang), {1, M:apply(lists, foo, L)} end),
    N < 1023 andalso s({by_name_fun, N}, fun() -> M = id(erlang), {1, M:apply(F, L)} end),
    N < 1023 andalso s({by_name_fun_last, N}, fun() -> M = id(erlang), M:apply(F, L) end),
    s({nested, N}, fun() -> erlang:apply(erlang, apply, [lists, foo, L]) end),
    s({spawn, N}, fun() -> ended(spawn_monitor(lists, foo, L)) end),
    s({spawn_request, N}, fun() ->
        R = spawn_request(lists, foo, L, [monitor]),
        receive {spawn_reply, R, A, P} -> {A, is_pid(P), ended({P, R})} end
    end),
    s({hibernate_bad, N}, fun() -> ended(spawn_monitor(fun() -> erlang:hibernate(id(1), foo, L) end)) end),
    s({hibernate_improper, N}, fun() -> ended(spawn_monitor(fun() -> erlang:hibernate(lists, foo, id([a | b])) end)) end),
    s({hibernate, N}, fun() -> ended(spawn_monitor(fun() -> self() ! x, erlang:hibernate(lists, foo, L) end)) end).

ended({Pid, Ref}) ->
    receive
        {'DOWN', Ref, _, Pid, {Reason, [Top | _]}} -> {Reason, short(top(Top))};
        {'DOWN', Ref, _, Pid, Reason} -> Reason
    end.

s(Name, Fun) ->
    Result =
        try Fun() of
            V -> V
        catch
            C:R:S -> {failed, C, short(R), [short(top(E)) || E <- lists:sublist(S, 2)]}
        end,
    io:format("~0tp: ~0tp~n", [Name, Result]).

short(L) when is_list(L), length(L) > 5 -> {list, length(L)};
short([H | T]) -> [short(H) | short(T)];
short(T) when is_tuple(T) -> list_to_tuple([short(E) || E <- tuple_to_list(T)]);
short(X) when is_function(X) -> function;
short(X) -> X.
