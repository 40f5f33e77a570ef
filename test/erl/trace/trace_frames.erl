%% Frames that return_trace, exception_trace and return_to leave on a stack: what unwinds them, catches among them, throws
%% them away, moves them, or fills the stack with them.
-module(trace_frames).
-export([main/0, deep/2, fail/1, loop/1, woken/1, leave/1, grow/1, hold/2, again/1, tail/1, odd/1]).
-include("trace.hrl").

%% Not a tail call: a frame for each round.
deep(0, Fun) -> Fun();
deep(N, Fun) -> [N | deep(N - 1, Fun)].

fail(How) -> how(How).

how({raise, Class, Reason}) -> erlang:raise(Class, Reason, [{m, f, 0, []}]);
how({error, Reason}) -> error(Reason);
how({throw, Reason}) -> throw(Reason);
how({exit, Reason}) -> exit(Reason);
how(badmatch) -> {ok, _} = id(none);
how(badfun) -> (id(no_fun))(1, 2);
how(badarity) -> (id(fun(_) -> ok end))(1, 2);
how(undef) -> nomod:nofun(1);
how(badarith) -> 1 + id(a);
how(clause) -> odd(id(4));
how(native) -> atom_to_list(id(4)).

odd(N) when N rem 2 =:= 1 -> N.
id(X) -> X.

%% Catches after some frames, and goes on with more.
hold(N, How) ->
    A = try deep(N, fun() -> fail(How) end) catch C:R -> {C, R} after id(after_) end,
    B = (catch deep(N, fun() -> [hold_inner(N, How)] end)),
    {A, B}.

hold_inner(N, How) -> try deep(N, fun() -> fail(How) end) of V -> V catch never -> ok end.

%% Raises again what it caught, with its stack.
again(How) ->
    try deep(2, fun() -> fail(How) end)
    catch
        C:R:S -> erlang:raise(C, {again, R}, S)
    end.

tail(0) -> done;
tail(N) -> tail(N - 1).

leave(How) -> deep(3, fun() -> exit_by(How) end).

exit_by(self_kill) -> exit(self(), kill), receive never -> ok end;
exit_by(self_exit) -> exit(self(), gone), receive never -> ok end;
exit_by(How) -> fail(How).

woken(Parent) ->
    receive go -> Parent ! {self(), deep(2, fun() -> [awake] end)} end.

grow(N) -> L = lists:seq(1, N), garbage_collect(), {lists:sum(L), length(deep(5, fun() -> garbage_collect(), L end))}.

%% Never returns.
loop(N) -> loop(N + 1).

main() ->
    logger:set_primary_config(level, none),
    Specs = [[{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}]}], true],
    [show({How, Spec}, traced(Spec, Flags, fun() -> hold(3, How) end)) ||
        How <- hows(), {Spec, Flags} <- lists:zip(Specs, [[call], [call], [call, return_to]])],
    [show({again, How, Spec}, traced(Spec, [call, return_to], fun() -> catch again(How) end)) ||
        How <- [{error, e}, {throw, t}, badfun], Spec <- Specs],
    [show({left, How, Spec}, ended(Spec, How)) || How <- [{exit, bye}, {error, oops}, self_kill, self_exit], Spec <- Specs],
    [show({killed, Flags, How, Spec}, killed(Flags, How, Spec)) || {Flags, How} <- kinds(), Spec <- lists:sublist(Specs, 2)],
    [show({tail, Spec}, traced(Spec, [call, return_to], fun() -> [tail(4), deep(1, fun() -> [tail(2)] end)] end)) || Spec <- Specs],
    [show({collected, Spec}, traced(Spec, [call, return_to], fun() -> grow(1000) end)) || Spec <- Specs],
    [show({hibernates, Spec}, hibernated(Spec)) || Spec <- Specs],
    [show({many, Spec}, many(Spec, How)) || Spec <- Specs, How <- [{throw, x}, badfun, {exit, x}, return]],
    [show({never_returns, Spec}, bounded(Spec)) || Spec <- lists:sublist(Specs, 2)].

hows() ->
    [{raise, error, r}, {raise, throw, r}, {error, e}, {throw, t}, {exit, x}, badmatch, badfun, badarity, undef, badarith,
     clause, native].

functions() -> [{?MODULE, F, '_'} || F <- [deep, fail, how, hold, hold_inner, again, tail, leave, exit_by, grow, odd]].

set(Spec) -> [erlang:trace_pattern(F, Spec, [local]) || F <- functions()].
clear() -> erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]).

traced(Spec, Flags, Fun) ->
    P = servant(),
    erlang:trace(P, true, Flags),
    set(Spec),
    Result = run(P, Fun),
    clear(),
    [Result | collected(P)].

%% The stack goes with the process.
ended(Spec, How) ->
    P = spawn(fun() -> receive go -> ok end, process_flag(trap_exit, false), leave(How) end),
    erlang:trace(P, true, [call, procs]),
    set(Spec),
    M = monitor(process, P),
    P ! go,
    Reason = receive {'DOWN', M, process, P, R} -> R end,
    clear(),
    [Reason | collected(P)].

kinds() -> [{[call], [local]}, {[], [meta]}, {[call, arity], [local, meta]}, {[procs], [meta]}, {[call], [meta]}].

%% By a signal, in the middle of a call. Meta tracers hear of it where somebody traces the process as well.
killed(Flags, How, Spec) ->
    P = spawn(fun() -> receive go -> ok end, deep(2, fun() -> receive never -> ok end end) end),
    [erlang:trace(P, true, Flags) || Flags =/= []],
    erlang:trace_pattern({?MODULE, deep, 2}, Spec, How),
    M = monitor(process, P),
    P ! go,
    waits(P),
    exit(P, kill),
    receive {'DOWN', M, process, P, killed} -> ok end,
    erlang:trace_pattern({?MODULE, deep, 2}, false, How),
    collected(P).

waits(P) ->
    case process_info(P, [status, message_queue_len]) of
        [{status, waiting}, {message_queue_len, 0}] -> ok;
        _ -> erlang:yield(), waits(P)
    end.

%% The frames are gone with the stack.
hibernated(Spec) ->
    Parent = self(),
    P = spawn(fun() -> receive go -> ok end, deep(2, fun() -> erlang:hibernate(?MODULE, woken, [Parent]) end) end),
    erlang:trace(P, true, [call, return_to]),
    set(Spec),
    P ! go,
    asleep(P),
    P ! go,
    Result = receive {P, R} -> R end,
    clear(),
    [Result | collected(P)].

asleep(P) ->
    case process_info(P, current_function) of
        {current_function, {erlang, hibernate, 3}} -> ok;
        _ -> erlang:yield(), asleep(P)
    end.

%% How many are told of a stack of more than a thousand, and the last ones.
many(Spec, How) ->
    [Result | Told] = traced(Spec, [call, return_to], fun() ->
        try length(deep(1500, fun() -> How =:= return orelse fail(How), [] end)) catch C:R -> {C, R} end end),
    {Result, length(Told), lists:nthtail(length(Told) - 3, [setelement(2, T, p) || T <- Told])}.

%% The frames count as heap of the process: what ends it is its max_heap_size.
bounded(Spec) ->
    Sink = spawn(fun Sink() -> receive _ -> Sink() end end),
    erlang:trace_pattern({?MODULE, loop, 1}, Spec, [local]),
    {P, M} = spawn_opt(fun() -> receive go -> loop(0) end end,
                       [monitor, {max_heap_size, #{size => 300000, kill => true, error_logger => false}}]),
    erlang:trace(P, true, [call, silent, {tracer, Sink}]),
    erlang:trace(P, false, [silent]),
    P ! go,
    Reason = receive {'DOWN', M, process, P, R} -> R end,
    clear(),
    exit(Sink, kill),
    Reason.
