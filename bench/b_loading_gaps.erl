%% How long busy processes are kept from running while modules are loaded, replaced, purged and deleted: 1,000 of them,
%% or as many as there is time for, as bench/gaps.erl measures it. With a busy process on every core, where some share
%% theirs with the process that loads and wait for its time slices; and with one fewer, where each may have a core to
%% itself, and nothing but the runtime can stop it.
-module(b_loading_gaps).
-export([group/0, benchmarks/0]).

-define(MODULES, 1000).
-define(MILLISECONDS, 15000).

group() -> 'loading gaps'.

%% What Fun() returns counts, in microseconds. The work is done once for all figures.
benchmarks() ->
    [{"loading gaps: " ++ Text, elapsed, fun() -> figure(Name) end}
     || {Text, Name} <- [{"largest", largest}, {"99.9th percentile", percentile}, {"largest, spare core", spare},
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
    Schedulers = erlang:system_info(schedulers_online),
    Idle = gaps:watched(Schedulers, fun() -> timer:sleep(3000) end),
    Loads = gaps:watched(Schedulers, fun() -> lives(Codes, until(), 0) end),
    Spare = gaps:watched(max(1, Schedulers - 1), fun() -> lives(Codes, until(), 0) end),
    #{largest => maps:get(largest, Loads), percentile => maps:get(percentile, Loads), spare => maps:get(largest, Spare),
      idle_largest => maps:get(largest, Idle), idle_percentile => maps:get(percentile, Idle),
      life => maps:get(microseconds, Loads) / maps:get(result, Loads)}.

until() -> erlang:monotonic_time(millisecond) + ?MILLISECONDS.

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
