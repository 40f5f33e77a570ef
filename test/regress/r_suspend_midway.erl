%% A process that was suspended while it handled signals in the middle of its slice, in a receive or in a built-in
%% function, ran on to the end of that, while who suspended it had been told that it ran no more. It stops there, and
%% goes on there when it is resumed; what came in between is not lost.
%% Not under give_away: one that ends there, or goes on, before it has looked at its signals, stands in between.
-module(r_suspend_midway).
-export([main/0, go/1, wait_in_slice/1, who_waits/0, go_on/1]).
-nifs([wait_in_slice/1, who_waits/0, go_on/1]).

wait_in_slice(_) -> erlang:nif_error(not_loaded).
who_waits() -> erlang:nif_error(not_loaded).
go_on(_) -> erlang:nif_error(not_loaded).

%% One scheduler stands still meanwhile: where there is no other nothing can be tried.
main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Told = case erlang:system_info(schedulers_online) of
        1 -> [{What, {true, times(What)}} || {What, _} <- ways()];
        _ -> tried()
    end,
    [io:format("~p: ~0p~n", [What, R]) || {What, R} <- Told].

times(told_to_exit) -> {0, killed};
times(_) -> {1, normal}.

tried() ->
    {P, M} = spawn_opt(fun() -> exit([{What, tried(N, Way)} || {N, {What, Way}} <- numbered(ways())]) end,
                       [monitor, {scheduler, 1}]),
    receive {'DOWN', M, process, P, Result} -> Result end.

numbered(L) -> lists:zip(lists:seq(1, length(L)), L).

%% What it does with the suspension among its signals, and what comes with it.
ways() ->
    [{receive_nothing, {fun() -> receive never -> ok after 0 -> ok end end, fun(_) -> ok end}},
     {receive_what_was_there, {fun() -> receive two -> two = two after 0 -> ok end end, fun(P) -> P ! one, P ! two end}},
     {receive_what_follows, {fun() -> receive late -> ok end end, fun(P) -> P ! late end}},
     {receive_with_time, {fun() -> receive never -> ok after 1 -> ok end end, fun(_) -> ok end}},
     {own_info, {fun() -> {links, []} = process_info(self(), links) end, fun(_) -> ok end}},
     {own_infos, {fun() -> [_ | _] = process_info(self()) end, fun(_) -> ok end}},
     {demonitor, {fun() -> true = demonitor(get(monitor), [flush]), ok end, fun(_) -> ok end}},
     {demonitor_info, {fun() -> false = demonitor(get(monitor), [flush, info]) end, fun(P) -> P ! late end}},
     {demonitor_last, {fun() -> demonitor(get(monitor), [flush]) end, fun(_) -> ok end}},
     {exit_self, {fun() -> true = exit(self(), normal), receive {'EXIT', _, normal} -> ok end end, fun(_) -> ok end}},
     {port_close, {fun() -> true = port_close(get(port)) end, fun(_) -> ok end}},
     {hibernate, {fun() -> erlang:hibernate(?MODULE, go, [get(counter)]) end, fun(P) -> P ! late end}},
     {hibernate_later, {fun() -> erlang:hibernate(?MODULE, go, [get(counter)]) end, fun(_) -> ok end}},
     {told_to_exit, {fun() -> receive never -> ok end end, fun(P) -> exit(P, kill) end}}].

go(Counter) -> receive _ -> ok after 0 -> ok end, atomics:add(Counter, 1, 1).

%% Did it run no more when that was said? Not all runtimes handle signals in all these functions: it may have ended. And
%% how often it came to the end.
tried(N, {Way, More}) ->
    Counter = atomics:new(1, []),
    {P, M} = spawn_opt(fun() ->
        process_flag(trap_exit, true),
        put(counter, Counter),
        put(monitor, monitor_of_dead()),
        put(port, open_port({spawn, "cat"}, [])),
        unlink(get(port)),
        erlang:yield(), % a slice of its own
        wait_in_slice(N),
        Way(),
        atomics:add(Counter, 1, 1)
    end, [monitor, {scheduler, 2}]),
    until(fun() -> who_waits() =:= N end),
    true = erlang:suspend_process(P, [{asynchronous, tag}]),
    More(P),
    go_on(N),
    State = receive {tag, S} -> S end,
    Status = process_info(P, status), % answered in its next slice
    Holds = State =:= exited orelse (Status =/= {status, running} andalso atomics:get(Counter, 1) =:= 0),
    P ! wake,
    catch erlang:resume_process(P),
    Reason = receive {'DOWN', M, process, P, R} -> R end,
    [catch port_close(Port) || Port <- erlang:ports(), erlang:port_info(Port, name) =:= {name, "cat"}],
    {Holds orelse {State, Status, atomics:get(Counter, 1)}, {atomics:get(Counter, 1), Reason}}.

%% Its message is in the queue.
monitor_of_dead() ->
    {_, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} = Down -> self() ! Down end,
    M.

until(F) -> case F() of true -> ok; false -> erlang:yield(), until(F) end.
