%% erlang:system_monitor and system_profile: settings, what is told, and of whom.
-module(trace_monitor).
-export([main/0]).
-include("trace.hrl").

main() ->
    settings(system_monitor), refused(system_monitor), settings(system_profile), refused(system_profile),
    ended(), large_heap(), long_gc(), long_schedule(), long_queue(), profile(), schedulers(), switched().

call(F, A) -> try apply(erlang, F, A) catch C:R:S -> {_, _, _, I} = hd(S), {C, R, I} end.

settings(F) ->
    S = self(),
    [show({F, Options}, [call(F, [S, Options]), call(F, [])]) || Options <- options(F)],
    show(other, [call(F, [S, hd(options(F))]), call(F, [undefined, []]), call(F, []), call(F, [S, hd(options(F))]),
                 call(F, [undefined, [no_option]]), call(F, [])]),
    [show(tuple, [call(F, [{S, [busy_port]}]), call(F, []), call(F, [undefined]), call(F, [])]) || F =:= system_monitor].

options(system_monitor) ->
    [[busy_port], [{large_heap, 10000}, busy_dist_port, {long_gc, 5}, {long_schedule, 7}, busy_port], [],
     [{long_gc, 10}, {long_gc, 20}], [busy_port, busy_port], [{long_gc, 0}], [{long_schedule, 0}], [{large_heap, 0}],
     [{large_heap, 20000}], [{long_gc, 1 bsl 62}], [{long_gc, 1 bsl 63}, {long_schedule, (1 bsl 64) - 1}]];
options(system_profile) ->
    [[runnable_procs], [scheduler, exclusive, runnable_ports, runnable_procs], [], [runnable_procs, timestamp],
     [runnable_procs, monotonic_timestamp], [strict_monotonic_timestamp, runnable_procs], [exclusive], [timestamp],
     [scheduler, scheduler]].

refused(F) ->
    S = self(),
    [show(F, {A, call(F, A)})
     || A <- [[x, []], [no_name, hd(options(F))], [S, busy_port], [S, [no_option]], [S, [{long_gc, -1}]],
              [S, [{long_gc, a}]], [S, [{long_gc, 1 bsl 70}]], [S, [{large_heap, -3}]], [S, [busy_port | x]],
              [S, [runnable_procs | x]], [S, [{long_message_queue, {2, 2}}]], [S, [{long_message_queue, {3, 2}}]],
              [S, [{long_message_queue, 3}]], [S, [{long_message_queue, {-1, 1}}]], [S, [{busy_port, true}]],
              [S, [{long_gc, 1, 2}]], [list_to_pid("<0.9999.0>"), hd(options(F))]], A =/= [x, []]],
    [show(F, {A, call(F, [A])}) || F =:= system_monitor, A <- [x, {S}, {S, busy_port}, {S, [x]}]],
    show(nothing_changed, call(F, [])).

%% Whoever is told, and ends, is told no more.
ended() ->
    [begin
         {P, M} = spawn_monitor(fun() -> receive stop -> ok end end),
         call(F, [P, [hd(options(F))]]), call(F, [P, hd(options(F))]),
         show(lives, call(F, [])),
         P ! stop, receive {'DOWN', M, _, _, _} -> ok end,
         show(ended, call(F, [])),
         show(before, call(F, [self(), hd(options(F))])),
         show(before, call(F, [undefined, []]))
     end || F <- [system_monitor, system_profile]].

told(Pid, What) -> receive {monitor, Pid, What, Info} -> Info after 60000 -> late end.

%% A fun for another process to run; what it makes stays alive until the end.
grown(N) -> fun() -> L = lists:seq(1, N), erlang:garbage_collect(), length(L) end.

keys(Info) -> [{K, is_integer(V)} || {K, V} <- Info].
rest() -> receive {monitor, _, _, _} -> rest() after 0 -> ok end.

large_heap() ->
    call(system_monitor, [self(), [{large_heap, 20000}]]),
    Info = told(spawn(grown(50000)), large_heap),
    show(large_heap, [keys(Info), proplists:get_value(heap_block_size, Info)
                      + proplists:get_value(old_heap_block_size, Info) >= 20000]),
    (grown(50000))(),
    show(not_of_itself, receive {monitor, P, _, _} when P =:= self() -> told after 0 -> silent end),
    call(system_monitor, [undefined]), rest().

long_gc() ->
    call(system_monitor, [self(), [{long_gc, 1}]]),
    Info = told(spawn(grown(3000000)), long_gc),
    show(long_gc, [keys(Info), proplists:get_value(timeout, Info) >= 1]),
    call(system_monitor, [undefined]), rest().

long_schedule() ->
    call(system_monitor, [self(), [{long_schedule, 5}]]),
    Pid = spawn(fun() -> long_slice(lists:seq(1, 3000000), lists:seq(1, 3000000)) end),
    Info = told(Pid, long_schedule),
    exit(Pid, kill),
    show(long_schedule, [[K || {K, _} <- Info], proplists:get_value(timeout, Info) >= 5]),
    call(system_monitor, [undefined]), rest().

%% Comparing is one instruction, which yields nowhere on the stock runtime.
long_slice(L, M) -> true = L =:= M, true = M =:= L, erlang:yield(), long_slice(L, M).

%% Not there before OTP 27: then what that answers is printed.
long_queue() ->
    Self = self(),
    P = spawn(fun() -> queue(Self) end),
    case call(system_monitor, [Self, [{long_message_queue, {3, 6}}]]) of
        {error, badarg, _} -> [show(long_queue, X) || X <- [none, true, none, false, true, false]];
        undefined ->
            Send = fun(N) -> [P ! {message, X} || X <- lists:seq(1, N)], asked(P) end,
            Take = fun(N) -> P ! {take, N}, receive {P, taken} -> ok end end,
            [begin
                 F(N),
                 show(long_queue, receive {monitor, P, long_message_queue, B} -> B after 0 -> none end)
             end || {F, N} <- [{Send, 4}, {Send, 5}, {Take, 5}, {Take, 4}, {Send, 9}, {Take, 9}]]
    end,
    call(system_monitor, [undefined]),
    exit(P, kill).

queue(Parent) ->
    receive
        {take, N} -> [receive {message, _} -> ok end || _ <- lists:seq(1, N)], Parent ! {self(), taken}, queue(Parent);
        asked -> Parent ! {self(), answered}, queue(Parent)
    end.

asked(P) -> P ! asked, receive {P, answered} -> ok end.

profile() ->
    Self = self(),
    W = spawn(fun() -> worker(Self) end),
    [begin
         quiet(),
         call(system_profile, [Self, Options]),
         [begin W ! go, receive {W, done} -> ok end, quiet() end || _ <- [1, 2]],
         {X, M} = spawn_monitor(lists, max, [[1]]), receive {'DOWN', M, _, _, _} -> ok end,
         quiet(),
         timer:sleep(200), % a thread of its own sends them on the stock runtime
         call(system_profile, [undefined, []]),
         quiet(),
         timer:sleep(50),
         Profile = profiled(),
         show({profile, Options}, [[{State, Place, stamp(Stamp)} || {Pid, State, Place, Stamp} <- Profile, Pid =:= Who]
                                   || Who <- [W, X]]),
         show(itself, [P || {P, _, _, _} <- Profile, P =:= Self])
     end || Options <- [[runnable_procs], [runnable_procs, exclusive], [runnable_procs, timestamp],
                        [runnable_procs, monotonic_timestamp], [strict_monotonic_timestamp, runnable_procs]]],
    exit(W, kill).

worker(Parent) -> receive go -> Parent ! {self(), done}, worker(Parent) end.

profiled() -> receive {profile, P, State, Place, Stamp} -> [{P, State, Place, Stamp} | profiled()] after 0 -> [] end.

stamp({A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> now;
stamp({A, B}) when is_integer(A), is_integer(B) -> strict;
stamp(A) when is_integer(A) -> monotonic.

schedulers() ->
    call(system_profile, [self(), [scheduler]]),
    {N, State, Active} = receive {profile, scheduler, N1, S1, A1, T} -> now = stamp(T), {N1, S1, A1} after 60000 -> none end,
    call(system_profile, [undefined, []]),
    Count = erlang:system_info(schedulers),
    show(scheduler, [N >= 1, N =< Count, lists:member(State, [active, inactive]), Active >= 0, Active =< Count]).

%% Settings that come and go while others are told of.
switched() ->
    Self = self(),
    Workers = [spawn_monitor(fun() -> [begin (grown(30000))(), receive after 0 -> ok end end || _ <- lists:seq(1, 30)] end)
               || _ <- [1, 2, 3, 4]],
    [begin
         call(system_monitor, [Self, [{large_heap, 20000}, {long_gc, 1}]]),
         call(system_profile, [Self, [runnable_procs, scheduler]]),
         call(system_monitor, [undefined]), call(system_profile, [undefined, []])
     end || _ <- lists:seq(1, 2000)],
    [receive {'DOWN', M, _, _, R} -> normal = R end || {_, M} <- Workers],
    show(switched, [call(F, []) || F <- [system_monitor, system_profile]]).
