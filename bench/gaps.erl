%% How long busy processes are kept from running while something else is done.
%%
%% A watcher does nothing but read the clock. A gap is the time between two of its readings, less the time that the
%% operating system made the watcher's scheduler thread wait for a processor, as the kernel counts it (the thread's
%% schedstat, read by gaps.c). What is left is what the runtime took: time in which the thread ran another process, or
%% its own bookkeeping, and time in which it slept because somebody had stopped the world. The same is taken off on
%% every runtime, and no sleep ever is. A gap in which the watcher came to another thread has no one thread whose
%% waiting could be taken off: it is left out, and counted as a move. Where a runtime makes its threads wait for each
%% other, the operating system's delay of one of them is a gap of the others: they did wait for it.
%%
%% Of each millisecond or more the largest gap is kept.
-module(gaps).
-export([watched/2, watch/0]).
-on_load(load/0).

-define(LOOK, 3000).        % nanoseconds: no shorter gap can have been a thread's waiting
-define(STRETCH, 1000000).

load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "gaps"), 0).

clock() -> erlang:nif_error(not_loaded).
clock_and_waited() -> erlang:nif_error(not_loaded).

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
    {Now, Waited, Thread} = clock_and_waited(),
    watch(Now, Now, Waited, Thread, 0, [], 0).

watch(Last, Stretch, Waited, Thread, Largest, Gaps, Moves) ->
    Now = clock(),
    if
        Now - Last > ?LOOK ->
            case clock_and_waited() of
                {At, NowWaited, Thread} ->
                    Gap = max(Largest, At - Last - (NowWaited - Waited)),
                    next(At, Stretch, NowWaited, Thread, Gap, Gaps, Moves);
                {At, NowWaited, Other} ->
                    next(At, Stretch, NowWaited, Other, Largest, Gaps, Moves + 1)
            end;
        true -> next(Now, Stretch, Waited, Thread, max(Largest, Now - Last), Gaps, Moves)
    end.

next(Now, Stretch, Waited, Thread, Largest, Gaps, Moves) when Now - Stretch > ?STRETCH ->
    receive
        {start, From} ->
            From ! {self(), started},
            watch();
        {stop, From} -> From ! {self(), [Largest | Gaps], Moves}
    after 0 -> watch(Now, Now, Waited, Thread, 0, [Largest | Gaps], Moves)
    end;
next(Now, Stretch, Waited, Thread, Largest, Gaps, Moves) ->
    watch(Now, Stretch, Waited, Thread, Largest, Gaps, Moves).
