%% viv watch, in the node: figures of it, every so often.
%%
%%   {figures, #{...}}     counters since the node's start, and what is at the moment; see figures/2
%%   {'end', stopped, #{}}
%%
%% Two processes take them: the one that serves the client, and a probe at normal priority that gives way to others
%% every PROBE milliseconds and notes how long it waits for its next turn.
-module(viv_see_watch).
-export([run/2, waits/2]).

-define(LEAST, 100). % milliseconds
-define(PROBE, 20).
-define(PATIENCE, 5000).

run(#{interval := Interval}, Link) when is_integer(Interval), Interval >= ?LEAST ->
    _ = erlang:system_flag(scheduler_wall_time, true), % until this process ends
    Probe = spawn_opt(fun() -> process_flag(sensitive, true), probe(0, 0, 0) end, [link, {priority, normal}]),
    watch(Link, Probe, Interval, erlang:monotonic_time(millisecond) + Interval);
run(_, Link) -> viv_see_link:tell(Link, {'end', {error, <<"an interval is 100 ms at least">>}, #{}}).

watch(Link, Probe, Interval, Next) ->
    receive stop -> viv_see_link:tell(Link, {'end', stopped, #{}})
    after max(0, Next - erlang:monotonic_time(millisecond)) ->
        case viv_see_link:tell(Link, {figures, figures(waits(Probe, ?PATIENCE))}) of
            ok -> watch(Link, Probe, Interval, following(Next, Interval, erlang:monotonic_time(millisecond)));
            closed -> closed
        end
    end.

%% A look that came late is not followed at once by another one, of which rates would say nothing.
following(Next, Interval, Now) when Now - Next < Interval div 2 -> Next + Interval;
following(_, Interval, Now) -> Now + Interval.

figures({Turns, Sum, Longest}) ->
    {{input, In}, {output, Out}} = statistics(io),
    {Collections, Reclaimed, _} = statistics(garbage_collection),
    {Switches, _} = statistics(context_switches),
    {Reductions, _} = statistics(exact_reductions),
    {Runtime, _} = statistics(runtime),
    #{time => erlang:system_time(millisecond), up => erlang:monotonic_time(millisecond) - started(),
      memory => erlang:memory(), cpu_ms => Runtime,
      schedulers => [{kind(Number), Number, Active, Total} || {Number, Active, Total} <- lists:sort(wall_times())],
      online => erlang:system_info(schedulers_online),
      run_queue => statistics(total_run_queue_lengths_all), processes => erlang:system_info(process_count),
      ports => erlang:system_info(port_count), tables => erlang:system_info(ets_count),
      atoms => erlang:system_info(atom_count), reductions => Reductions, switches => Switches,
      collections => Collections, reclaimed => Reclaimed * erlang:system_info(wordsize), input => In, output => Out,
      turns => Turns, waited_us => Sum, longest_us => Longest}.

started() -> erlang:convert_time_unit(erlang:system_info(start_time), native, millisecond).

wall_times() ->
    case statistics(scheduler_wall_time_all) of
        undefined -> [];
        Times -> Times
    end.

kind(Number) ->
    Schedulers = erlang:system_info(schedulers),
    Dirty = erlang:system_info(dirty_cpu_schedulers),
    if
        Number =< Schedulers -> scheduler;
        Number =< Schedulers + Dirty -> dirty_cpu;
        true -> dirty_io
    end.

%% {Turns, their waits in all, the longest}, in microseconds, since it was asked last. An answer that comes too late is
%% dropped: it is none to a later question.
-spec waits(pid(), non_neg_integer()) -> {non_neg_integer(), non_neg_integer(), non_neg_integer()}.
waits(Probe, Patience) ->
    Answer = alias([reply]),
    Probe ! {tell, Answer},
    receive {Answer, Waits} -> Waits
    after Patience ->
        _ = unalias(Answer),
        receive {Answer, Waits} -> Waits after 0 -> {0, 0, Patience * 1000} end
    end.

probe(Turns, Sum, Longest) ->
    receive
        {tell, Answer} ->
            Answer ! {Answer, {Turns, Sum, Longest}},
            probe(0, 0, 0)
    after ?PROBE ->
        Start = erlang:monotonic_time(microsecond),
        erlang:yield(),
        Waited = erlang:monotonic_time(microsecond) - Start,
        probe(Turns + 1, Sum + Waited, max(Longest, Waited))
    end.
