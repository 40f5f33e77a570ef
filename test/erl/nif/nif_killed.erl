%% Those who load libraries are killed and suspended at any moment, and their module replaced and purged, while others
%% call its functions: each library whose load or upgrade succeeded is unloaded once, and whoever is left can still load.
%% (Beside it what is expected: the stock runtime of OTP 25 ends in a segmentation fault.)
%% Not under leaks: its libraries keep terms when they go.
-module(nif_killed).
-export([main/0]).
-include("n.hrl").

-define(M, nif_killed_m).

main() ->
    register(tester, self()),
    put(code, code()),
    [t({round, N}, fun() -> soak(N) end) || N <- [1, 2, 3]],
    t(still, fun() -> load_code(), {?M:load(library("nif_killed"), []), ?M:run([{data}])} end).

soak(N) ->
    rand:seed(exsss, N),
    Code = get(code),
    Callers = [spawn_monitor(fun() -> call() end) || _ <- [1, 2, 3]],
    Loaders = [spawn_monitor(fun() -> load_often(Code, I) end) || I <- lists:seq(1, 6)],
    Left = disturb(Loaders, 100) ++ Callers,
    [exit(P, kill) || {P, _} <- Left],
    Ends = [receive {'DOWN', R, _, _, Why} -> Why end || {_, R} <- Left],
    [{code:purge(?M), code:delete(?M)} || _ <- [1, 2, 3]],
    {lists:usort(Ends), balance()}.

disturb(Loaders, 0) -> Loaders;
disturb(Loaders, N) ->
    receive after rand:uniform(4) -> ok end,
    {P, R} = lists:nth(rand:uniform(length(Loaders)), Loaders),
    case rand:uniform(3) of
        1 ->
            exit(P, kill),
            receive {'DOWN', R, _, _, killed} -> ok end,
            Code = get(code),
            New = spawn_monitor(fun() -> load_often(Code, N) end),
            disturb([New | lists:keydelete(P, 1, Loaders)], N - 1);
        2 ->
            try
                erlang:suspend_process(P),
                receive after rand:uniform(5) -> ok end,
                erlang:resume_process(P)
            catch error:badarg -> ok % a purge killed it
            end,
            disturb(Loaders, N - 1);
        3 ->
            code:purge(?M),
            disturb(Loaders, N - 1)
    end.

load_often(Code, N) ->
    rand:seed(exsss, N),
    put(code, Code),
    load_often().

load_often() ->
    catch load_code(),
    Library = case rand:uniform(2) of 1 -> "nif_killed"; 2 -> "nif_killed_2" end,
    Script = [{sleep, rand:uniform(6) - 1}, {envs, 3}, {keep, {some, [term]}}] ++
        [{open, "t", 3} || rand:uniform(2) =:= 1] ++ [{return, 7} || rand:uniform(4) =:= 1],
    catch ?M:load(library(Library), Script),
    load_often().

call() ->
    receive after 1 -> ok end,
    catch ?M:run([{data}, {list, 10}]),
    catch ?M:dirty([{sleep, 1}]),
    call().

code() ->
    compiled(["-module(nif_killed_m).", "-export([load/2, run/1, dirty/1]).", "load(L, I) -> erlang:load_nif(L, I).",
              "run(_) -> not_loaded.", "dirty(_) -> not_loaded."]).

load_code() ->
    _ = erlang:check_old_code(?M) andalso code:purge(?M),
    {module, ?M} = erlang:load_module(?M, get(code)).
