%% The flag cpu_timestamp is the node's, not a process's: it is asked for on behalf of all, shows in no process's flags,
%% and turns what `timestamp` gives, here, in seq_trace and in system_profile, into the processor's time.
-module(trace_stamps).
-export([main/0, f/0]).
-include("../quiet.hrl").
-include("../t.hrl").

main() ->
    [t({W, On, Flags}, fun() -> 0 =/= erlang:trace(W, On, Flags) end) ||
        {W, On, Flags} <- [{new, true, [cpu_timestamp]}, {all, foo, [cpu_timestamp]}, {foo, true, [cpu_timestamp]},
                           {existing, false, [cpu_timestamp]}, {ports, false, [cpu_timestamp]},
                           {processes, true, [timestamp, call, cpu_timestamp]}, {all, true, [foo, cpu_timestamp]},
                           {all, true, [cpu_timestamp, {tracer, foo}]}, {all, true, [cpu_timestamp | foo]}]],
    stamps(before),
    [t({W, On, Flags}, fun() -> 0 =/= erlang:trace(W, On, Flags) end) ||
        {W, On, Flags} <- [{all, true, [cpu_timestamp]}, {all, false, [all]}]],
    stamps(on),
    t(off, fun() -> erlang:trace(all, false, [cpu_timestamp]) end),
    stamps(off),
    t(spec, fun() -> erlang:match_spec_test([], [{'_', [], [{message, {trace, [], [cpu_timestamp]}}]}], trace) end),
    t(nothing, fun() -> [erlang:trace(W, On, []) || W <- [all, new, existing], On <- [true, false]] end).

f() -> ok.

stamps(When) -> [t({When, What}, fun() -> stamp(What) end) || What <- [call, strict, meta, seq_trace, profile]].

stamp(call) -> traced([call, timestamp, monotonic_timestamp], [local]);
stamp(strict) -> traced([call, strict_monotonic_timestamp, monotonic_timestamp], [local]);
stamp(meta) -> traced([arity], [meta]);
stamp(seq_trace) ->
    seq_trace:set_system_tracer(self()),
    spawn(fun() ->
              seq_trace:set_token(timestamp, true),
              seq_trace:set_token(print, true),
              seq_trace:print(foo)
          end),
    receive {seq_trace, 0, {print, _, _, _, foo}, Stamp} -> kind(Stamp) end;
stamp(profile) ->
    erlang:system_profile(self(), [runnable_procs, timestamp]),
    spawn(fun() -> ok end),
    Kind = receive {profile, _, _, _, Stamp} -> kind(Stamp) end,
    erlang:system_profile(undefined, []),
    flush(),
    Kind.

traced(Flags, Kinds) ->
    P = spawn(fun() -> receive go -> ?MODULE:f() end end),
    erlang:trace_pattern({?MODULE, f, 0}, true, Kinds),
    erlang:trace(P, true, Flags),
    Told = erlang:trace_info(P, flags),
    P ! go,
    Kind = receive {trace_ts, P, call, _, Stamp} -> kind(Stamp) end,
    erlang:trace_pattern({?MODULE, f, 0}, false, Kinds),
    {Told, Kind}.

flush() -> quiet(), drop().
drop() -> receive {profile, _, _, _, _} -> drop() after 50 -> ok end.

kind({M, S, U}) when is_integer(U), U < 1000000 -> case M * 1000000 + S < 10000 of true -> cpu; false -> wall end;
kind({T, U}) when is_integer(T), is_integer(U) -> strict;
kind(T) when is_integer(T) -> monotonic.
