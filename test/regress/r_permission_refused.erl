%% Who waits for the code modification permission is called again when it is handed to him, and may find then that what
%% he was given is good no more. He gives it on, and the answer is not taken by what he calls next.
%% Not under leaks: it halts.
-module(r_permission_refused).
-export([main/0, loaded/0]).

main() ->
    Patterns = spawn_link(fun patterns/0),
    [finish(N) || N <- [1, 2]],
    [finish_after_on_load(N) || N <- [1, 2]],
    unlink(Patterns),
    exit(Patterns, kill),
    io:format("~p~n", [erlang:trace_pattern({?MODULE, loaded, 0}, false, [local])]),
    halt(0).

loaded() -> ok.

%% The permission is never free for long.
patterns() ->
    erlang:trace_pattern({?MODULE, loaded, 0}, true, [local]),
    erlang:trace_pattern({?MODULE, loaded, 0}, false, [local]),
    patterns().

%% One of them finishes it; it is spent for the others.
finish(N) ->
    {loaded_once, Code} = code("loaded_once", ["f() -> ok."]),
    Prepared = erlang:prepare_loading(loaded_once, Code),
    told(finish, N, fun() -> erlang:finish_loading([Prepared]) end),
    code:purge(loaded_once),
    erlang:delete_module(loaded_once),
    code:purge(loaded_once).

finish_after_on_load(N) ->
    {on_load_once, Code} = code("on_load_once", ["-on_load(f/0).", "f() -> ok."]),
    {on_load, [on_load_once]} = erlang:finish_loading([erlang:prepare_loading(on_load_once, Code)]),
    told(on_load, N, fun() -> erlang:finish_after_on_load(on_load_once, true) end),
    code:purge(on_load_once),
    erlang:delete_module(on_load_once),
    code:purge(on_load_once).

told(What, N, F) ->
    Main = self(),
    Pids = [spawn_link(fun() -> Main ! {self(), answer(F), element(1, process_info(Main, trap_exit))} end) || _ <- [1, 2, 3, 4]],
    io:format("~p ~p ~p~n", [What, N, lists:sort([receive {Pid, R, I} -> {R, I} end || Pid <- Pids])]).

answer(F) ->
    try F() catch C:R -> {C, R} end.

code(Name, Lines) ->
    Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end
             || L <- ["-module(" ++ Name ++ ").", "-export([f/0])." | Lines]],
    {ok, Module, Code} = compile:forms(Forms),
    {Module, Code}.
