%% Processes: how they start and end, and what is told of it.
-module(storm_processes).
-include("storm.hrl").
-export([actions/0, waits/1, spawns_one/0]).
-import(storm_any, [chance/1, one_of/1, other/0, pid/0, wait/1, down/1]).

actions() ->
    [{spawn, fun spawns/0}, {spawn_request, fun spawn_request/0}, {watchers, fun watchers/0}, {links, fun links/0},
     {name, fun name/0}, {alive, fun alive/0}, {kill, fun kill/0}, {link_other, fun link_other/0},
     {monitor_other, fun monitor_other/0}, {suspend, fun suspend/0}, {process_info, fun process_info/0},
     {collect, fun collect/0}, {collect_later, fun collect_later/0}, {priority, fun priority/0},
     {hibernate, fun hibernate/0}, {timers, fun timers/0}, {sleep, fun() -> wait(rand:uniform(3)) end},
     {flags, fun flags/0}, {heap_limit, fun heap_limit/0}, {many, fun many/0}, {exits, fun exits/0},
     {read, fun read/0}].

options() ->
    [O || {O, true} <- [{{priority, one_of([low, normal, high, max])}, chance(2)},
                        {{min_heap_size, one_of([10, 1000, 100000])}, chance(4)},
                        {{fullsweep_after, one_of([0, 5, 65535])}, chance(4)},
                        {{message_queue_data, one_of([on_heap, off_heap])}, chance(4)}]].

%% Ends as its parent does.
waits(Parent) ->
    M = monitor(process, Parent),
    receive
        {'DOWN', M, _, _, _} -> ok;
        go -> ok;
        {go, Reason} -> exit(Reason)
    end.

child() -> Self = self(), spawn_opt(fun() -> waits(Self) end, options()).
watched() -> Self = self(), spawn_opt(fun() -> waits(Self) end, [monitor | options()]).

%% In one of many ways, at some moment.
ends(P) ->
    wait(rand:uniform(3) - 1),
    case rand:uniform(5) of
        1 -> P ! go;
        2 -> P ! {go, {storm, storm_any:term()}};
        3 -> exit(P, kill);
        4 -> exit(P, {storm, asked});
        5 -> exit(P, kill), exit(P, {storm, asked}), P ! go
    end.

spawns() ->
    {P, M} = watched(),
    ends(P),
    down({P, M}).

spawn_request() ->
    Self = self(),
    Tag = make_ref(),
    R = erlang:spawn_request(erlang, apply, [fun() -> waits(Self) end, []], [monitor, {reply_tag, Tag} | options()]),
    case chance(4) andalso erlang:spawn_request_abandon(R) of
        true ->
            receive {Tag, R, _, _} -> error(abandoned) after 0 -> ok end;
        _ ->
            receive {Tag, R, ok, P} -> ends(P), down({P, R}) end
    end.

%% Each monitor is told once, and a monitor that was undone not at all.
watchers() ->
    P = child(),
    Refs = [monitor(process, P) || _ <- lists:seq(1, rand:uniform(10))],
    {Undone, Kept} = lists:partition(fun(_) -> chance(3) end, Refs),
    chance(2) andalso [demonitor(R, [flush]) || R <- Undone],
    ends(P),
    [demonitor(R, [flush]) || R <- Undone],
    [down({P, R}) || R <- Kept],
    none(Refs).

none(Refs) -> [receive {'DOWN', R, _, _, _} -> error({told_twice, R}) after 0 -> ok end || R <- Refs].

%% Those who are linked hear of it once, and those who were unlinked not at all.
links() ->
    P = child(),
    Self = self(),
    Linked = [spawn_opt(fun() -> linked(Self, P, Keeps) end, [monitor | options()])
              || Keeps <- [chance(2) || _ <- lists:seq(1, rand:uniform(5))]],
    [receive {L, is_linked} -> ok; {'DOWN', M, process, L, Why} -> killed_by(Why, M, L) end || {L, M} <- Linked],
    ends(P),
    wait_dead(P),
    [begin L ! over, receive {'DOWN', M, process, L, Why} -> ok_end(Why) end end || {L, M} <- Linked].

%% It was told of its end already: told again, so that it is found.
killed_by(Why, M, L) -> ok_end(Why), self() ! {'DOWN', M, process, L, Why}.

ok_end(normal) -> ok;
ok_end(killed) -> ok;
ok_end({storm, _}) -> ok;
ok_end(noproc) -> ok.

wait_dead(P) -> M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end.

linked(Parent, P, Keeps) ->
    process_flag(trap_exit, true),
    Up = monitor(process, Parent),
    link(P),
    Keeps orelse unlink(P),
    Keeps orelse receive {'EXIT', P, _} -> ok after 0 -> ok end,
    Parent ! {self(), is_linked},
    receive over -> ok; {'DOWN', Up, _, _, _} -> exit(normal) end,
    Keeps andalso receive {'EXIT', P, _} -> ok end,
    receive {'EXIT', P, _} -> error(told_twice) after 0 -> ok end.

name() ->
    Name = one_of([storm_a, storm_b, storm_c]),
    {P, M} = watched(),
    Got = try register(Name, P) catch error:badarg -> false end,
    Got andalso chance(2) andalso whereis(Name) =:= P andalso (catch unregister(Name)),
    chance(2) andalso (catch Name ! {noise, name}),
    ends(P),
    down({P, M}),
    false = whereis(Name) =:= P,
    undefined = erlang:process_info(P, registered_name).

%% Signals of one to another arrive in order, and so does the question.
alive() ->
    {P, M} = watched(),
    chance(2) andalso wait(1),
    exit(P, kill),
    false = is_process_alive(P),
    down({P, M}),
    false = is_process_alive(P).

kill() -> wait(rand:uniform(5)), exit(other(), one_of([kill, {storm, killed}, normal])).

exits() ->
    chance(10) andalso exit({storm, own}).

link_other() ->
    P = other(),
    process_flag(trap_exit, true),
    Is = try link(P) catch error:noproc -> false end,
    chance(3) andalso wait(1),
    unlink(P),
    receive {'EXIT', P, _} -> ok after 0 -> ok end,
    process_flag(trap_exit, false),
    is_boolean(Is).

monitor_other() ->
    P = other(),
    R = monitor(process, P, [{tag, {own, tag}} || chance(2)]),
    chance(2) andalso wait(1),
    demonitor(R, [flush]),
    receive {{own, tag}, R, _, _, _} -> ok after 0 -> ok end.

%% It does not run until it is let go: by one who goes on, or who ends. By children: two that suspend each other wait
%% for ever.
suspend() ->
    P = other(),
    storm_any:in_child(fun() -> try suspend(P, rand:uniform(3)) catch error:badarg -> ok end end).

suspend(P, 1) -> erlang:suspend_process(P), wait(rand:uniform(2) - 1), erlang:resume_process(P);
suspend(P, 2) -> erlang:suspend_process(P, [asynchronous, unless_suspending]), erlang:resume_process(P);
suspend(P, 3) -> erlang:suspend_process(P), wait(rand:uniform(2)).

items() ->
    [backtrace, binary, catchlevel, current_function, current_location, current_stacktrace, dictionary, error_handler,
     garbage_collection, garbage_collection_info, group_leader, heap_size, initial_call, links, last_calls, memory,
     message_queue_len, messages, min_heap_size, monitored_by, monitors, message_queue_data, parent, priority,
     reductions, registered_name, sequential_trace_token, stack_size, status, suspending, total_heap_size, trace,
     trap_exit].

process_info() ->
    P = case chance(4) of true -> self(); false -> pid() end,
    Items = [one_of(items()) || _ <- lists:seq(1, rand:uniform(6))] -- [parent],
    case erlang:process_info(P, Items) of
        undefined -> false = is_process_alive(P);
        Info -> Items = [Item || {Item, _} <- Info]
    end.

collect() -> erlang:garbage_collect(pid(), [{type, one_of([minor, major])}]).

collect_later() ->
    P = pid(),
    Id = make_ref(),
    case erlang:garbage_collect(P, [{async, Id}, {type, one_of([minor, major])}]) of
        async when P =:= self() -> receive {garbage_collect, Id, _} -> ok end;
        async -> receive {garbage_collect, Id, Is} -> true = is_boolean(Is) end
    end.

priority() ->
    process_flag(priority, one_of([low, high, max])),
    storm_messages:order(),
    process_flag(priority, normal).

hibernate() ->
    Self = self(),
    {P, M} = spawn_opt(fun() ->
        monitor(process, Self), % its end wakes
        erlang:hibernate(?MODULE, waits, [Self])
    end, [monitor | options()]),
    wait(rand:uniform(3) - 1),
    chance(2) andalso garbage_collect(P),
    ends(P),
    down({P, M}).

spawns_one() -> spawns().

%% Each fires once, or was cancelled.
timers() ->
    All = [{erlang:start_timer(rand:uniform(20) - 1, self(), timer_term(I)), I} || I <- lists:seq(1, rand:uniform(20))],
    chance(2) andalso wait(rand:uniform(20)),
    [fired(R, I, chance(2) andalso erlang:cancel_timer(R)) || {R, I} <- All],
    [false = erlang:read_timer(R) || {R, _} <- All],
    Tag = make_ref(),
    erlang:send_after(rand:uniform(5), self(), {Tag, storm_any:term()}),
    receive {Tag, _} -> ok end,
    _ = erlang:send_after(rand:uniform(50), other(), {noise, timer}),
    ok.

timer_term(I) -> case chance(20) of true -> {I, storm_any:large_term()}; false -> {I, storm_any:term()} end.

fired(R, I, false) -> receive {timeout, R, {I, _}} -> ok end;
fired(R, _, Left) when is_integer(Left) -> receive {timeout, R, _} -> error(cancelled) after 0 -> ok end.

flags() ->
    one_of([fun() -> process_flag(other(), save_calls, one_of([0, 10])) end,
            fun() -> process_flag(fullsweep_after, one_of([0, 5, 65535])) end,
            fun() -> process_flag(message_queue_data, one_of([on_heap, off_heap])) end,
            fun() -> process_flag(min_heap_size, one_of([233, 5000])) end,
            fun() -> group_leader(whereis(user), self()) end,
            fun() -> put(storm_any:term(), storm_any:term()), erase() end]),
    ok.

heap_limit() ->
    {P, M} = spawn_opt(fun() -> length(grow(200000)) end,
                       [monitor, {max_heap_size, #{size => 20000, kill => true, error_logger => false}}]),
    down({P, M}).

grow(0) -> [];
grow(N) -> [N | grow(N - 1)].

many() ->
    Self = self(),
    Tag = make_ref(),
    All = [spawn_opt(fun() -> Self ! {Tag, I} end, [monitor]) || I <- lists:seq(1, rand:uniform(100))],
    Down = [down(Each) || Each <- All],
    true = length([I || I <- lists:seq(1, length(All)), receive {Tag, I} -> true after 0 -> false end])
        >= length([normal || normal <- Down]).

read() ->
    case rand:uniform(5) of
        1 -> processes();
        2 -> registered();
        3 -> erlang:memory();
        4 -> {statistics(run_queue_lengths), statistics(garbage_collection), statistics(scheduler_wall_time)};
        5 -> {erlang:system_info(process_count), erlang:system_info(atom_count), ets:all()}
    end.
