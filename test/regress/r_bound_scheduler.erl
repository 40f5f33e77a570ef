%% process_flag(scheduler, N) and the option {scheduler, N} of spawn_opt bind a process to a scheduler; 0 lets it go. It
%% goes on there at once, and waits while that scheduler is off line or blocked. And erlang:yield/0 ends a slice without
%% counting what was left of it.
-module(r_bound_scheduler).
-export([main/0]).

main() ->
    N = erlang:system_info(schedulers),
    Bound = [bound_to(S) || S <- [0, N, N, 1, 0, -1, N + 1, a, 1 bsl 70]],
    io:format("~p~n", [[case B of N -> last; _ -> B end || B <- Bound]]),
    io:format("~p~n", [[spawned(S) || S <- [0, 1, N, -1, N + 1, a]]]),
    [io:format("~p~n", [lists:usort([where(S) || _ <- lists:seq(1, 100)]) =:= [S]]) || S <- [1, N]],
    dirty(N),
    N > 1 andalso off_line(N),
    reductions().

bound_to(S) -> try process_flag(scheduler, S) catch error:E -> E end.

spawned(S) ->
    try spawn_opt(fun() -> ok end, [{scheduler, S}]) of Pid -> is_pid(Pid) catch error:E -> E end.

where(S) ->
    Self = self(),
    {Pid, Monitor} = spawn_opt(fun() ->
                                       0 = process_flag(scheduler, S),
                                       Here = erlang:system_info(scheduler_id),
                                       erlang:yield(),
                                       Here = erlang:system_info(scheduler_id),
                                       Self ! {self(), Here}
                               end, [monitor]),
    receive {Pid, Here} -> erlang:demonitor(Monitor, [flush]), Here;
            {'DOWN', Monitor, process, Pid, Reason} -> Reason
    end.

dirty(N) ->
    Self = self(),
    spawn_opt(fun() -> erts_debug:dirty_io(wait, 5), Self ! erlang:system_info(scheduler_id) end, [{scheduler, N}]),
    receive Here -> io:format("~p~n", [Here =:= N]) end.

off_line(N) ->
    Asked = spawn_opt(fun asked/0, [{scheduler, N}]),
    Switches = [{schedulers_online, 1, N}, {multi_scheduling, block, unblock},
                {multi_scheduling, block_normal, unblock_normal}],
    [begin
         erlang:system_flag(Flag, Off),
         Asked ! {self(), Flag},
         receive {Flag, S} -> io:format("too early: ~p~n", [S]) after 100 -> ok end,
         erlang:system_flag(Flag, On),
         receive {Flag, There} -> io:format("~p~n", [{Flag, There =:= N}]) end
     end || {Flag, Off, On} <- Switches],
    exit(Asked, kill).

asked() ->
    receive {From, What} -> From ! {What, erlang:system_info(scheduler_id)} end,
    asked().

reductions() ->
    {reductions, Before} = process_info(self(), reductions),
    [erlang:yield() || _ <- lists:seq(1, 10)],
    {reductions, After} = process_info(self(), reductions),
    io:format("~p~n", [After - Before < 1000]).
