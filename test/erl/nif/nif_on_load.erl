%% An on_load function loads a library whose `load` sleeps, fails or not; its process is killed at any moment, while
%% others call the module. What was loaded is unloaded once, and the module can be loaded afterwards.
-module(nif_on_load).
-export([main/0]).
-include("n.hrl").

-define(M, nif_on_load_m).

main() ->
    register(tester, self()),
    ok = logger:set_primary_config(level, none),
    Killer = spawn(fun() -> kill() end),
    Callers = [spawn(fun() -> call() end) || _ <- [1, 2]],
    t(loaded, fun() -> lists:usort([load(N) || N <- lists:seq(1, 60)]) -- [{module, ?M}, {error, on_load_failure}] end),
    [exit(P, kill) || P <- [Killer | Callers]],
    t(gone, fun() -> code:purge(?M), code:delete(?M), code:purge(?M), balance() end),
    t(still, fun() -> {load(1), ?M:run([{data}])} end).

load(N) ->
    Loaded = code:load_binary(?M, "", code([{sleep, N rem 5} | [{return, 7} || N rem 7 =:= 0]])),
    N rem 3 =:= 0 andalso code:purge(?M),
    N rem 5 =:= 0 andalso code:delete(?M),
    Loaded.

%% Who runs the on_load function, one time in three.
kill() ->
    [exit(P, kill) || P <- processes(), P =/= self(), {_, Stack} <- [process_info(P, current_stacktrace)],
                      [] =/= [M || {M, start, _, _} <- Stack, M =:= ?M], rand:uniform(3) =:= 1],
    receive after 2 -> kill() end.

call() ->
    catch ?M:run([{data}]),
    receive after 100 -> call() end.

code(Script) ->
    compiled(["-module(nif_on_load_m).", "-export([run/1, dirty/1]).", "-on_load(start/0).",
              lists:flatten(io_lib:format("start() -> R = erlang:load_nif(~p, ~p), erlang:yield(), R.",
                                          [library("nif_on_load"), Script])),
              "run(_) -> not_loaded.", "dirty(_) -> not_loaded."]).
