%% Who is suspended while it loads a library keeps nobody from loading one for the same module: it is suspended when it
%% is done, and then said to be.
-module(r_load_nif_turn).
-export([main/0]).

main() ->
    Forms = [begin {ok, T, _} = erl_scan:string(Text), {ok, F} = erl_parse:parse_form(T), F end
             || Text <- ["-module(r_turn_m).", "-export([load/1, which/0]).",
                         "load(L) -> erlang:load_nif(L, 0).", "which() -> not_loaded."]],
    {ok, M, Code} = compile:forms(Forms, []),
    Library = filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    io:format("~p~n", [rounds(M, Code, Library, 60, [])]).

rounds(_, _, _, 0, Ends) -> lists:usort(Ends);
rounds(M, Code, Library, N, Ends) ->
    case suspended(M, Code, Library, N) of
        {late, _} = Late -> [Late | Ends];
        End -> rounds(M, Code, Library, N - 1, [End | Ends])
    end.

suspended(M, Code, Library, N) ->
    code:purge(M),
    {module, M} = erlang:load_module(M, Code),
    {P, Ref} = loader(M, Library),
    pause(N),
    How = suspend(P, N rem 3),
    {P2, Ref2} = loader(M, Library),
    Second = ended(P2, Ref2),
    Before = How =:= suspended andalso still(fun() -> process_info(P, reductions) end),
    resume(How, P),
    First = ended(P, Ref),
    Loaded = [ok || {loaded, ok} <- [First, Second]],
    case Second of
        late -> {late, Second};
        _ -> {length(Loaded), Before =/= runs, M:which()}
    end.

loader(M, Library) ->
    Me = self(),
    Started = spawn_monitor(fun() -> Me ! here, exit({loaded, result(M:load(Library))}) end),
    receive here -> Started end.

result(ok) -> ok;
result({error, {What, _}}) -> What.

pause(N) when N rem 2 =:= 0 -> [erlang:yield() || _ <- lists:seq(1, N rem 7)];
pause(N) -> spin(N * 20).

spin(0) -> ok;
spin(N) -> spin(N - 1).

suspend(P, N) ->
    try suspend_by(N, P)
    catch error:Why when Why =:= badarg; Why =:= exited -> ended end. % exited: stock's, when it ends meanwhile

suspend_by(0, P) -> erlang:suspend_process(P), suspended;
suspend_by(1, P) -> erlang:suspend_process(P), erlang:resume_process(P), erlang:suspend_process(P), suspended;
suspend_by(2, P) -> erlang:suspend_process(P, [asynchronous]), asked.

resume(ended, _) -> ok;
resume(_, P) -> try erlang:resume_process(P) catch error:badarg -> ok end.

%% A suspended process does nothing.
still(F) ->
    A = F(),
    erlang:yield(),
    case F() of A -> rests; _ -> runs end.

ended(P, Ref) -> receive {'DOWN', Ref, process, P, Reason} -> Reason after 60000 -> late end.
