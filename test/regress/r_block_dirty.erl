%% While multi-scheduling is blocked one thread at a time runs processes, dirty threads included; a normal block leaves
%% those alone. What is under way when the block ends, or who blocks does, goes on.
-module(r_block_dirty).
-export([main/0]).

main() ->
    blocked = erlang:system_flag(multi_scheduling, block),
    Calls = [{Kind, 50} || Kind <- [dirty_io, dirty_cpu, dirty_io, dirty_io]],
    io:format("one at a time: ~p~n", [takes_at_least(4 * 50, Calls)]),
    enabled = erlang:system_flag(multi_scheduling, unblock),
    ends_in_between(),
    blocker_dies(),
    again(20).

%% In milliseconds, which pass for each by itself.
takes_at_least(Least, Calls) ->
    Begin = erlang:monotonic_time(),
    Workers = [spawn_monitor(fun() -> exit(erts_debug:Kind(wait, Ms)) end) || {Kind, Ms} <- Calls],
    [ok = ended(Worker) || Worker <- Workers],
    erlang:convert_time_unit(erlang:monotonic_time() - Begin, native, millisecond) >= Least.

ended({Pid, Monitor}) -> receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end.

%% Somebody waits for a turn when there are no turns any more.
ends_in_between() ->
    blocked = erlang:system_flag(multi_scheduling, block),
    Workers = [spawn_monitor(fun() -> exit(erts_debug:dirty_io(wait, 20)) end) || _ <- lists:seq(1, 6)],
    ok = ended(hd(Workers)),
    enabled = erlang:system_flag(multi_scheduling, unblock),
    io:format("unblocked: ~p~n", [[ended(Worker) || Worker <- tl(Workers)]]).

blocker_dies() ->
    Calls = fun() -> receive go -> exit(erts_debug:dirty_cpu(wait, 20)) end end,
    Workers = [spawn_monitor(Calls) || _ <- lists:seq(1, 3)],
    Blocker = spawn_monitor(fun() ->
        erlang:system_flag(multi_scheduling, block),
        [Pid ! go || {Pid, _} <- Workers],
        exit(gone)
    end),
    io:format("blocker: ~p~n", [[ended(Worker) || Worker <- [Blocker | Workers]]]).

%% With work of all kinds, and processes that are killed while they wait for a turn.
again(0) -> ok;
again(N) ->
    Workers = [spawn_monitor(fun() -> work(Kind, 5) end) || Kind <- [dirty_io, dirty_cpu, none, dirty_io, none]],
    erlang:system_flag(multi_scheduling, block),
    [exit(Pid, kill) || {Pid, _} <- lists:sublist(Workers, N rem 6)],
    [erlang:yield() || _ <- lists:seq(1, N)],
    enabled = erlang:system_flag(multi_scheduling, unblock),
    [ended(Worker) || Worker <- Workers],
    again(N - 1).

work(_, 0) -> ok;
work(none, N) -> lists:sum(lists:seq(1, 10000)), work(none, N - 1);
work(Kind, N) -> erts_debug:Kind(wait, 1), work(Kind, N - 1).
