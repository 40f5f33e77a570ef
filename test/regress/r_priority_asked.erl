%% Whoever is asked something by a process that is more urgent than itself answers before those that run are done, though
%% it stands in a queue behind them; and so does who has, or is handed, a permission that a more urgent process wants.
-module(r_priority_asked).
-export([main/0]).

main() ->
    [begin Pid = spawn(fun busy/0), F(Pid), exit(Pid, kill) end || {_, F} <- questions()], % what loads code does it now
    Online = erlang:system_flag(schedulers_online, 1),
    process_flag(priority, max),
    P = spawn_opt(fun busy/0, [{priority, normal}]),
    L = spawn_opt(fun busy/0, [{priority, low}]),
    pause(),
    H = spawn_opt(fun busy/0, [{priority, high}]),
    pause(),
    Answers = [{Name, ask(F, P), ask(F, L)} || {Name, F} <- questions()],
    [exit(Pid, kill) || Pid <- [H, P, L]],
    Permission = permission(),
    process_flag(priority, normal),
    [io:format("~p~n", [A]) || A <- Answers],
    io:format("permission ~p~n", [Permission]),
    erlang:system_flag(schedulers_online, Online).

questions() ->
    [{info, fun(P) -> {status, Status} = process_info(P, status), Status end},
     {alive, fun(P) -> P ! message, is_process_alive(P) end},
     {collect, fun(P) -> erlang:garbage_collect(P) end},
     {check, fun(P) -> erlang:check_process_code(P, ?MODULE) end},
     {leader, fun(P) -> group_leader(group_leader(), P) end},
     {save_calls, fun(P) -> process_flag(P, save_calls, 0) end},
     {trace, fun(P) -> {erlang:trace(P, true, [procs]), erlang:trace_info(P, flags), erlang:trace(P, false, [all])} end},
     {suspend, fun(P) -> {erlang:suspend_process(P), erlang:resume_process(P)} end}].

pause() -> receive after 20 -> ok end.

busy() -> busy().

ask(F, P) ->
    {Pid, Monitor} = spawn_opt(fun() -> exit({answer, F(P)}) end, [monitor, {priority, max}]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> Reason
    after 60000 -> exit(Pid, kill), no_answer
    end.

%% Processes of priority low wait for it, and one that is busy keeps them from running.
permission() ->
    Lows = [spawn_opt(fun patterns/0, [{priority, low}]) || _ <- lists:seq(1, 20)],
    pause(),
    High = spawn_opt(fun busy/0, [{priority, high}]),
    pause(),
    Answer = ask(fun(_) -> erlang:trace_pattern({?MODULE, main, 0}, true, [local]) end, self()),
    [exit(Pid, kill) || Pid <- [High | Lows]],
    Answer.

patterns() ->
    erlang:trace_pattern({?MODULE, main, 0}, true, [local]),
    erlang:trace_pattern({?MODULE, main, 0}, false, [local]),
    patterns().
