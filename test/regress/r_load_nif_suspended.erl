%% A process in load_nif/2 was suspended, and the module that it loaded for replaced and purged meanwhile: when it went
%% on the library was bound to memory that was free.
-module(r_load_nif_suspended).
-export([main/0]).

main() ->
    Forms = [begin {ok, T, _} = erl_scan:string(Text), {ok, F} = erl_parse:parse_form(T), F end
             || Text <- ["-module(r_suspended_m).", "-export([load/1, which/0]).",
                         "load(L) -> erlang:load_nif(L, 0).", "which() -> not_loaded."]],
    {ok, M, Code} = compile:forms(Forms, []),
    Library = filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Ends = [suspended(M, Code, Library, N) || N <- lists:seq(1, 100)],
    io:format("~p~n", [lists:usort(Ends) -- [normal, killed]]).

suspended(M, Code, Library, N) ->
    load(M, Code),
    Me = self(),
    {P, Ref} = spawn_monitor(fun() -> Me ! here, M:load(Library) end),
    receive here -> ok end,
    [erlang:yield() || _ <- lists:seq(1, N rem 5)],
    try erlang:suspend_process(P)
    catch error:Why when Why =:= badarg; Why =:= exited -> ok end, % exited: stock's, when it ends meanwhile
    [load(M, Code) || _ <- [1, 2, 3]],
    try erlang:resume_process(P) catch error:badarg -> ok end,
    receive {'DOWN', Ref, _, _, Reason} -> Reason end.

load(M, Code) ->
    code:purge(M),
    {module, M} = erlang:load_module(M, Code).
