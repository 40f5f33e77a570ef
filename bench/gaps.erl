%% How long busy processes are kept from running while something else is done.
%%
%% A watcher does nothing but read the clock. A gap is the time between two of its readings that the runtime took: in
%% which the thread ran another process, or its own bookkeeping, and in which it slept because somebody had stopped the
%% world. So it is the processor time that the watcher's thread has used meanwhile; if it has slept, the time by the
%% clock, less that for which it was ready to run and the operating system gave the processor to others (the thread's
%% schedstat). Both are read by gaps.c, as the kernel counts them. Processor time is also free of what a hypervisor
%% takes away; time slept is not. It is the same on every runtime, and no sleep is ever taken off. A gap in which the
%% watcher came to another thread has no one thread whose time could be asked: it is left out, and counted as a move.
%% Where a runtime makes its threads wait for each other, the operating system's delay of one of them is a gap of the
%% others: they did wait for it.
%%
%% Of each millisecond or more the largest gap is kept.
-module(gaps).
-export([watched/2, watch/0]).
-on_load(load/0).

-define(LOOK, 3000).        % nanoseconds: shorter ones are taken as the clock says
-define(STRETCH, 1000000).

load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "gaps"), 0).

clock() -> erlang:nif_error(not_loaded).
look() -> erlang:nif_error(not_loaded).

%% Fun() with `Count` watchers. result: what it returned; microseconds: how long it took; gaps: in nanoseconds, sorted;
%% of them the largest and the 99.9th percentile, in microseconds; moves: how many were left out.
watched(Count, Fun) ->
    Watchers = [spawn(?MODULE, watch, []) || _ <- lists:seq(1, Count)],
    timer:sleep(50), % they are at work
    [Pid ! {start, self()} || Pid <- Watchers],
    [receive {Pid, started} -> ok end || Pid <- Watchers],
    Start = erlang:monotonic_time(microsecond),
    Result = Fun(),
    Time = erlang:monotonic_time(microsecond) - Start,
    [Pid ! {stop, self()} || Pid <- Watchers],
    {Gaps, Moves} = lists:unzip([receive {Pid, G, M} -> {G, M} end || Pid <- Watchers]),
    Sorted = lists:sort(lists:append(Gaps)),
    #{result => Result, microseconds => Time, gaps => Sorted, largest => lists:last(Sorted) / 1000,
      percentile => lists:nth(max(1, length(Sorted) * 999 div 1000), Sorted) / 1000, moves => lists:sum(Moves)}.

watch() ->
    Look = look(),
    stretch(element(1, Look), Look, 0, [], 0).

%% A stretch begins with a look, which says what there was since Last.
stretch(Last, Look, Largest, Gaps, Moves) ->
    New = look(),
    {Gap, Moved} = gap(Last, Look, New),
    Now = element(1, New),
    watch(Now, Now + ?STRETCH, New, max(Largest, Gap), Gaps, Moves + Moved).

watch(Last, Until, Look, Largest, Gaps, Moves) ->
    case clock() of
        Now when Now - Last > ?LOOK ->
            New = look(),
            {Gap, Moved} = gap(Last, Look, New),
            next(element(1, New), Until, New, max(Largest, Gap), Gaps, Moves + Moved);
        Now -> next(Now, Until, Look, max(Largest, Now - Last), Gaps, Moves)
    end.

next(Now, Until, Look, Largest, Gaps, Moves) when Now < Until -> watch(Now, Until, Look, Largest, Gaps, Moves);
next(Now, _, Look, Largest, Gaps, Moves) ->
    receive
        {start, From} ->
            From ! {self(), started},
            watch();
        {stop, From} -> From ! {self(), [Largest | Gaps], Moves}
    after 0 -> stretch(Now, Look, 0, [Largest | Gaps], Moves)
    end.

%% Until Last the watcher ran alone, from the look before on.
gap(Last, {At, Used, _, Sleeps, Thread}, {_, NowUsed, _, Sleeps, Thread}) -> {NowUsed - Used - (Last - At), 0};
gap(Last, {_, _, Waited, _, Thread}, {Now, _, NowWaited, _, Thread}) -> {Now - Last - (NowWaited - Waited), 0};
gap(_, _, _) -> {0, 1}.
