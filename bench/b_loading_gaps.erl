%% How long a busy process is kept from running while modules are loaded, replaced, purged and deleted: 1,000 of them,
%% or as many as there is time for. On every scheduler a process does nothing but read the clock and note the gaps
%% between its readings: of each millisecond or more the largest.
-module(b_loading_gaps).
-export([group/0, benchmarks/0, watch/0]).

-define(MODULES, 1000).
-define(MILLISECONDS, 15000).

group() -> 'loading gaps'.

%% What Fun() returns counts, in microseconds. The work is done once for all figures.
benchmarks() ->
    [{"loading gaps: " ++ Text, elapsed, fun() -> figure(Name) end}
     || {Text, Name} <- [{"largest", largest}, {"99.9th percentile", percentile},
                         {"largest while nothing is loaded", idle_largest},
                         {"99.9th percentile of that", idle_percentile}, {"life of a module", life}]].

figure(Name) ->
    case persistent_term:get(?MODULE, none) of
        none ->
            persistent_term:put(?MODULE, measure()),
            figure(Name);
        #{Name := Value} -> Value
    end.

measure() ->
    Code = code(),
    Codes = [named(I, Code) || I <- lists:seq(1, ?MODULES)],
    _ = code:purge(?MODULE), % the code server is there
    {_, _, Idle} = watched(fun() -> timer:sleep(3000) end),
    Until = erlang:monotonic_time(millisecond) + ?MILLISECONDS,
    {Count, Time, Gaps} = watched(fun() -> lives(Codes, Until, 0) end),
    #{largest => lists:max(Gaps) / 1000, percentile => percentile(Gaps) / 1000, idle_largest => lists:max(Idle) / 1000,
      idle_percentile => percentile(Idle) / 1000, life => Time / Count}.

percentile(Gaps) ->
    Sorted = lists:sort(Gaps),
    lists:nth(max(1, length(Sorted) * 999 div 1000), Sorted).

code() ->
    Functions = [{f, Arity} || Arity <- lists:seq(0, 20)],
    Forms = [{attribute, 1, module, gaps_0000}, {attribute, 1, export, Functions}] ++
        [{function, 1, f, Arity, [{clause, 1, [{var, 1, '_'} || _ <- lists:seq(1, Arity)], [],
                                   [erl_parse:abstract({literal, [Arity, "text"]})]}]}
         || {f, Arity} <- Functions] ++ [{eof, 1}],
    {ok, _, Code} = compile:forms(Forms, []),
    Code.

named(I, Code) ->
    Name = iolist_to_binary(io_lib:format("gaps_~4..0b", [I])),
    {binary_to_atom(Name), binary:replace(Code, <<"gaps_0000">>, Name, [global])}.

lives([{M, Code} | Codes], Until, N) ->
    load(M, Code),
    load(M, Code),
    _ = code:purge(M),
    true = erlang:delete_module(M),
    _ = code:purge(M),
    case erlang:monotonic_time(millisecond) < Until of
        true -> lives(Codes, Until, N + 1);
        false -> N + 1
    end;
lives([], _, N) -> N.

load(M, Code) -> ok = erlang:finish_loading([erlang:prepare_loading(M, Code)]).

%% {Result, Microseconds, [Gap in nanoseconds]}
watched(Fun) ->
    Watchers = [spawn(?MODULE, watch, []) || _ <- lists:seq(1, erlang:system_info(schedulers_online))],
    Start = erlang:monotonic_time(microsecond),
    Result = Fun(),
    Time = erlang:monotonic_time(microsecond) - Start,
    [Pid ! {stop, self()} || Pid <- Watchers],
    {Result, Time, lists:append([receive {Pid, Gaps} -> Gaps end || Pid <- Watchers])}.

watch() ->
    Now = erlang:monotonic_time(nanosecond),
    watch(Now, Now, 0, []).

watch(Last, Stretch, Largest, Gaps) ->
    Now = erlang:monotonic_time(nanosecond),
    Gap = max(Largest, Now - Last),
    case Now - Stretch > 1000000 of
        false ->
            watch(Now, Stretch, Gap, Gaps);
        true ->
            receive
                {stop, From} -> From ! {self(), Gaps}
            after 0 -> watch(erlang:monotonic_time(nanosecond), Now, 0, [Gap | Gaps])
            end
    end.
