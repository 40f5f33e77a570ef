%% system_info(procs) waited for processes in dirty calls, which handle no signals: for ever, when one waits for input.
-module(r_procs_dirty).
-export([main/0, hold/0, let_go/0]).
-nifs([hold/0, let_go/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_procs_dirty"), 0),
    {P, M} = spawn_monitor(fun() -> register(r_procs_dirty, self()), exit(hold()) end),
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    Sections = string:split(binary_to_list(erlang:system_info(procs)), "=proc:", all),
    [Own] = [string:split(S, "\n", all) || S <- Sections, string:prefix(S, pid_to_list(P) ++ "\n") =/= nomatch],
    io:format("~p ~p~n", [lists:member(L, Own) || L <- ["Name: r_procs_dirty", "Spawned as: erlang:apply/2"]]),
    io:format("others ~p~n", [length(Sections) > 3]),
    let_go(),
    receive {'DOWN', M, process, P, Result} -> io:format("~p~n", [Result]) end,
    io:format("later ~p~n", [receive Late -> {late, Late} after 50 -> nothing end]).

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold() -> erlang:nif_error(not_loaded).
let_go() -> erlang:nif_error(not_loaded).
