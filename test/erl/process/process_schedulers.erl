%% Schedulers that go off and on line, and multi-scheduling that is blocked: answers, and work that goes on meanwhile.
-module(process_schedulers).
-export([main/0]).
-include("p.hrl").

main() ->
    N = erlang:system_info(schedulers),
    D = erlang:system_info(dirty_cpu_schedulers),
    [f({Flag, no_number, V}, fun() -> erlang:system_flag(Flag, V) end)
     || Flag <- [schedulers_online, dirty_cpu_schedulers_online], V <- [0, -1, a, 1.0, 1 bsl 70, [], {1}]],
    [f({Flag, too_many}, fun() -> erlang:system_flag(Flag, V) end)
     || {Flag, V} <- [{schedulers_online, N + 1}, {dirty_cpu_schedulers_online, D + 1}]],
    erlang:system_flag(system_logger, self()), %% gets the warnings that some flags are deprecated
    [f({multi_scheduling, V}, fun() -> erlang:system_flag(multi_scheduling, V) end) || V <- [foo, 1, true, "block"]],
    p(online, online(N)),
    p(dirty_cpu_online, dirty_cpu_online(N, D)),
    p(bind_type, [erlang:system_flag(scheduler_bind_type, unbound), erlang:system_info(scheduler_bind_type)]),
    p(bindings, lists:usort(tuple_to_list(erlang:system_info(scheduler_bindings)))),
    [f({bind_type, V}, fun() -> erlang:system_flag(scheduler_bind_type, V) end) || V <- [foo, 1, []]],
    [p({blocking, V}, blocking(V)) || V <- [block, block, unblock, unblock, unblock, block_normal, block_normal, unblock,
                                            block, unblock_normal, unblock_normal, unblock, unblock_normal]],
    p(blockers, blockers()),
    p(released_by_death, released()),
    p(on_the_first, on_the_first()),
    p(timers, timers()),
    p(online_while_blocked, online_while_blocked(N)),
    p(load, load(N)),
    topology(),
    control_word(),
    p(warnings, lists:usort([{Level, Format, Text, maps:without([time, gl], Data), self()}
                             || {log, Level, Format, Text, Data} <- flush()])),
    erlang:system_flag(system_logger, logger).

online(N) ->
    Down = [erlang:system_flag(schedulers_online, 1) - N, erlang:system_info(schedulers_online),
            erlang:system_info(scheduler_id), erlang:system_info(schedulers) - N],
    Again = erlang:system_flag(schedulers_online, 1),
    Up = [erlang:system_flag(schedulers_online, N), erlang:system_info(schedulers_online) - N],
    {Down, Again, Up}.

%% The old number is what was wanted last; never more than schedulers are online, and in proportion to them.
dirty_cpu_online(N, D) ->
    Set = fun(V) -> erlang:system_flag(dirty_cpu_schedulers_online, V) end,
    Steps = [Set(D) - D, Set(1) - D, Set(D)],
    erlang:system_flag(schedulers_online, 1),
    Low = [Set(1), try Set(2) catch error:badarg -> badarg end],
    erlang:system_flag(schedulers_online, N),
    {Steps, Low, Set(D) - D}.

blocking(V) -> {erlang:system_flag(multi_scheduling, V), state(), [B =:= self() || L <- blocker_lists(), B <- L]}.

state() -> erlang:system_info(multi_scheduling).
blocker_lists() -> [erlang:system_info(I) || I <- [multi_scheduling_blockers, normal_multi_scheduling_blockers]].

server() ->
    receive
        {From, What} -> From ! {self(), erlang:system_flag(multi_scheduling, What)}, server();
        stop -> ok
    end.

ask(P, What) -> P ! {self(), What}, receive {P, Answer} -> Answer end.

%% Each block counts; who blocks is told once, by the age of his oldest block.
blockers() ->
    P = spawn_link(fun server/0),
    Q = spawn_link(fun server/0),
    Steps = [{P, block}, {Q, block}, {P, block}, {P, unblock}, {P, block}, {Q, block_normal}, {P, block_normal},
             {P, unblock}, {P, unblock}, {P, block}, {Q, unblock}, {P, unblock}, {P, unblock_normal}, {Q, unblock},
             {Q, unblock_normal}, {P, block_normal}, {Q, block}, {P, block}],
    Name = fun(X) when X =:= P -> p; (X) when X =:= Q -> q end,
    Seen = [{Name(X), What, ask(X, What), [[Name(B) || B <- L] || L <- blocker_lists()]} || {X, What} <- Steps],
    [X ! stop || X <- [P, Q]],
    p(end_of_blockers, eventually(fun() -> {enabled, [[], []]} =:= {state(), blocker_lists()} end)),
    Seen.

released() ->
    {P, R} = spawn_monitor(fun server/0),
    Before = [ask(P, block), ask(P, block_normal), ask(P, block), state()],
    exit(P, kill),
    receive {'DOWN', R, process, P, Why} -> {Before, Why, state(), blocker_lists()} end.

%% While it is blocked, everybody is on the first scheduler, and everybody gets on.
on_the_first() ->
    Before = [spawn_link(fun() -> receive {tell, To} -> To ! {id, erlang:system_info(scheduler_id)} end end)
              || _ <- lists:seq(1, 20)],
    blocked = erlang:system_flag(multi_scheduling, block),
    Own = erlang:system_info(scheduler_id),
    Self = self(),
    [P ! {tell, Self} || P <- Before],
    [spawn_link(fun() -> burn(20000), Self ! {id, erlang:system_info(scheduler_id)} end) || _ <- lists:seq(1, 20)],
    Ids = [receive {id, Id} -> Id end || _ <- lists:seq(1, 40)],
    {Own, lists:usort(Ids), erlang:system_flag(multi_scheduling, unblock)}.

burn(0) -> ok;
burn(N) -> burn(N - 1).

%% Timers that were set on a scheduler which goes offline fire.
timers() ->
    Self = self(),
    [spawn(fun() -> receive after 30 -> Self ! {over, I} end end) || I <- lists:seq(1, 50)],
    [spawn(fun() -> erlang:send_after(20, Self, {sent, I}) end) || I <- lists:seq(1, 50)],
    blocked_normal = erlang:system_flag(multi_scheduling, block_normal),
    Over = lists:sum([receive {over, I} -> I end || _ <- lists:seq(1, 50)]),
    Sent = lists:sum([receive {sent, I} -> I end || _ <- lists:seq(1, 50)]),
    enabled = erlang:system_flag(multi_scheduling, unblock_normal),
    {Over, Sent}.

online_while_blocked(N) ->
    blocked = erlang:system_flag(multi_scheduling, block),
    A = [erlang:system_flag(schedulers_online, 1) - N, erlang:system_info(schedulers_online), state()],
    B = [erlang:system_flag(schedulers_online, N), erlang:system_info(schedulers_online) - N, state()],
    {A, B, erlang:system_info(scheduler_id), erlang:system_flag(multi_scheduling, unblock)}.

%% Processes that talk, compute, spawn and wait, while schedulers come and go, with several who ask for it.
load(N) ->
    Self = self(),
    Workers = [spawn_monitor(fun() -> exit({sum, work(I, 300)}) end) || I <- lists:seq(1, 20)],
    Switchers = [spawn_link(fun() -> switch(What, N, 60), Self ! {switched, What} end) || What <- [online, blocks, both]],
    Sums = [receive {'DOWN', R, process, P, Sum} -> Sum end || {P, R} <- Workers],
    [receive {switched, What} -> ok end || What <- [online, blocks, both]],
    erlang:system_flag(schedulers_online, N),
    {lists:usort(Sums), length(Switchers), state(), blocker_lists()}.

work(_, 0) -> 0;
work(I, N) ->
    {P, R} = spawn_monitor(fun() -> receive {From, X} -> burn(200), From ! {self(), X + 1} end end),
    P ! {self(), N},
    X = receive {P, Y} -> Y - N end,
    receive {'DOWN', R, process, P, normal} -> ok end,
    case (N + I) rem 25 of
        0 -> receive after 1 -> ok end;
        _ -> ok
    end,
    X + work(I, N - 1).

switch(_, _, 0) -> ok;
switch(online, N, I) ->
    erlang:system_flag(schedulers_online, 1 + I rem N),
    switch(online, N, I - 1);
switch(blocks, N, I) ->
    blocked = erlang:system_flag(multi_scheduling, block),
    burn(1000),
    erlang:system_flag(multi_scheduling, unblock),
    switch(blocks, N, I - 1);
switch(both, N, I) ->
    erlang:system_flag(schedulers_online, N - I rem N),
    erlang:system_flag(multi_scheduling, block_normal),
    receive after I rem 3 -> ok end,
    erlang:system_flag(multi_scheduling, unblock_normal),
    switch(both, N, I - 1).

%% The detected topology is the machine's; what is defined takes its place until it is undefined again.
topology() ->
    Used = erlang:system_info(cpu_topology),
    p(detected, erlang:system_info({cpu_topology, detected}) =:= Used),
    p(topology, Used),
    [f({topology, T}, fun() ->
         _ = erlang:system_flag(cpu_topology, T),
         [erlang:system_info({cpu_topology, Which}) || Which <- [defined, used]]
     end)
     || T <- [undefined, foo, [], 1, [{processor, {logical, 0}}],
              [{processor, [{core, {logical, 0}}, {core, {logical, 1}}]}],
              [{processor, {logical, 0}}, {processor, {logical, 1}}], [{processor, {logical, 0}}, {processor, {logical, 0}}],
              [{node, [{processor, [{core, [{thread, {logical, 0}}, {thread, {logical, 1}}]}]}]}],
              [{node, [{processor, {logical, 0}}]}, {node, [{processor, {logical, 1}}]}],
              [{node, {logical, 0}}, {processor, {logical, 1}}], [{core, {logical, 0}}], [{thread, {logical, 0}}],
              [{processor, {logical, -1}}], [{processor, {logical, 65535}}], [{processor, {logical, 65536}}],
              [{processor, [], {logical, 1}}], [{processor, {logical, a}}], {logical, 3},
              [{processor, [{node, {logical, 0}}, {node, {logical, 1}}]}, {node, [{processor, {logical, 2}}]}],
              [{processor, [{thread, {logical, 5}}, {core, {logical, 6}}]}]]],
    [f({internal, T}, fun() ->
         _ = erlang:system_flag(internal_cpu_topology, T),
         erlang:system_info({cpu_topology, defined})
     end)
     || T <- [[{cpu, 0, 0, -1, 0, 0, 0}, {cpu, -1, 1, -1, 0, 0, 1}], [{cpu, -1, 0, -1, 0, 0, 1}, {cpu, 0, 1, -1, 0, 0, 0}],
              [{cpu, 0, 1, -1, 0, 0, 1}, {cpu, 1, 0, -1, 0, 0, 0}], [{cpu, 0, 0, -1, 0, 0, 1}, {cpu, 0, 0, 1, 0, 0, 0}],
              [{cpu, 0, 0, -1, 0, 0, 1}, {cpu, -1, 1, 0, 0, 0, 0}], [{cpu, -1, -1, -1, -1, -1, 0}], [{foo, 0, 0, 0, 0, 0, 3}],
              [{cpu, 0, 0, -1, 1, 0, 1} | x], [{cpu, 0, 0, 0, 0, 0, 65536}], [{cpu, 0, 0, -2, 0, 0, 0}], {cpu, 0}, foo]],
    _ = erlang:system_flag(cpu_topology, undefined),
    p(undefined, erlang:system_info(cpu_topology) =:= Used),
    [f({topology_item, I}, fun() -> erlang:system_info(I) end) || I <- [{cpu_topology, foo}, {cpu_topology}, {cpu_topology, 1}]].

control_word() ->
    [f({control_word, V}, fun() ->
         {erlang:system_flag(trace_control_word, V), erlang:system_info(trace_control_word)}
     end) || V <- [0, 1, -1, 16#ffffffff, 16#100000000, 1 bsl 64, a, 1.0, 17, 0]].
