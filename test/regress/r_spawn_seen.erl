%% Who traces spawn/3, spawn_link/3 and spawn_opt/4 hears of every process that is made: spawn/1 and its kin call these
%% (ttb names processes by it).
%% What they take and refuse is what OTP's own code does.
-module(r_spawn_seen).
-export([main/0, child/0]).

main() ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    Patterns = [{erlang, Name, '_'} || Name <- [spawn, spawn_link, spawn_opt, spawn_monitor]],
    [erlang:trace_pattern(Pattern, true, [local]) || Pattern <- Patterns],
    [io:format("~p: ~p~n", [Name, called(Spawn)]) || {Name, Spawn} <- spawns()],
    [erlang:trace_pattern(Pattern, false, [local]) || Pattern <- Patterns],
    [io:format("~p~n", [answer(Spawn)]) || Spawn <- refused()].

child() -> ok.

spawns() ->
    F = fun child/0,
    [{'spawn/1', fun() -> spawn(F), ok end},
     {'spawn/2', fun() -> spawn(node(), F), ok end},
     {'spawn/3', fun() -> spawn(?MODULE, child, []), ok end},
     {'spawn/4', fun() -> spawn(node(), ?MODULE, child, []), ok end},
     {'spawn_link/1', fun() -> spawn_link(F), ok end},
     {'spawn_link/3', fun() -> spawn_link(?MODULE, child, []), ok end},
     {'spawn_monitor/1', fun() -> spawn_monitor(F), ok end},
     {'spawn_monitor/3', fun() -> spawn_monitor(?MODULE, child, []), ok end},
     {'spawn_opt/2', fun() -> spawn_opt(F, [link]), ok end},
     {'spawn_opt/3', fun() -> spawn_opt(node(), F, [monitor]), ok end},
     {'spawn_opt/4', fun() -> spawn_opt(?MODULE, child, [], []), ok end}].

%% What is called in a process that runs this.
called(Spawn) ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end, Spawn(), Self ! done, receive gone -> ok end end),
    erlang:trace(Pid, true, [call]),
    Pid ! go,
    receive done -> ok end,
    Ref = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Ref} -> ok end,
    Pid ! gone,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    calls(Pid).

calls(Pid) ->
    receive {trace, Pid, call, {_, Name, Arguments}} -> [{Name, length(Arguments)} | calls(Pid)]
    after 0 -> []
    end.

refused() ->
    [fun() -> spawn({m, f}) end,
     fun() -> spawn_link({m, f}) end,
     fun() -> spawn_opt({m, f}, []) end,
     fun() -> spawn_monitor({m, f}) end,
     fun() -> spawn_monitor(fun(X) -> X end) end,
     fun() -> spawn_monitor(m, f, [x | y]) end,
     fun() -> spawn_monitor(m, f, x) end,
     fun() -> spawn_monitor(1, f, []) end,
     fun() -> spawn(1) end,
     fun() -> spawn_link(1) end,
     fun() -> spawn_opt(fun child/0, [x]) end,
     fun() -> spawn_opt(fun child/0, x) end,
     fun() -> spawn_opt(1, []) end].

answer(Spawn) ->
    try Spawn() of
        Pid when is_pid(Pid) -> a_process
    catch
        error:Reason:Stack ->
            {Module, Name, Arguments, Info} = hd(Stack),
            {Reason, Module, Name, [shown(A) || A <- Arguments], proplists:get_value(error_info, Info)}
    end.

shown(A) when is_function(A) -> a_fun;
shown(A) -> A.
