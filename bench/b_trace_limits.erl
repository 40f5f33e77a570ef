%% What sessions that limit themselves, and sums, cost a call, in nanoseconds: beside a guard that says no and
%% call_count. The time of a batch of traced calls less that of untraced ones, divided by the calls: the median of many.
-module(b_trace_limits).
-export([group/0, benchmarks/0]).
-export([traced/1]).
-export([time/2]). % otherwise the compiler of OTP 25 takes it for one that never returns

-define(BATCH, 1000).
-define(BATCHES, 101).

group() -> trace_limits.

%% Only this runtime has such sessions.
benchmarks() ->
    case erlang:system_info(machine) =/= "BEAM" orelse has_limits() of
        true -> [{"trace limits: " ++ Name, nanoseconds, Cost} || {Name, Cost} <- rows()];
        false -> []
    end.

has_limits() ->
    try trace:session_create(probe, self(), [{limit, #{events => 1}}]) of
        S -> trace:session_destroy(S)
    catch error:_ -> false
    end.

rows() ->
    No = [{['$1'], [{'>', '$1', 1000000}], []}],
    Yes = [{['$1'], [{'<', '$1', 1000000}], []}],
    [{"a guard that says no", fun() -> cost([], No, [local]) end},
     {"refused by events, after a guard", fun() -> cost([{limit, #{events => 1, burst => 1}}], Yes, [local]) end},
     {"refused by events, no specification", fun() -> cost([{limit, #{events => 1, burst => 1}}], [], [local]) end},
     {"refused by events, a message sent and received", fun() -> event_cost([send, 'receive'], fun messages/1) end},
     {"refused by events, a slice", fun() -> event_cost([running], fun slices/1) end},
     {"told to a process", fun() -> cost([], [], [local]) end},
     {"told to a process, within a limit", fun() -> cost([{limit, #{events => 1000000000, bytes => 1 bsl 40}}], [],
                                                       [local]) end},
     {"refused by bytes", fun() -> cost([{limit, #{bytes => 1}}], [], [local]) end},
     {"call_count", fun() -> cost([], true, [call_count]) end},
     {"sum, one row that counts", fun() -> cost([], true, [{sum, #{}}]) end},
     {"sum by scheduler", fun() -> cost([], true, [{sum, #{key => scheduler}}]) end},
     {"sum by caller", fun() -> cost([], true, [{sum, #{key => caller}}]) end},
     {"sum by an argument", fun() -> cost([], [{['$1'], [], []}], [{sum, #{key => {expression, '$1'}}}]) end},
     {"sum of the time, with a histogram", fun() -> cost([], true, [{sum, #{value => time, histogram => true}}]) end}].

cost(Options, Spec, Kinds) ->
    in_session(Options, fun(S) ->
        1 = trace:process(S, self(), true, [call]),
        1 = trace:function(S, {?MODULE, traced, 1}, Spec, Kinds),
        [(time(fun traced_calls/1, ?BATCH) - time(fun calls/1, ?BATCH)) / ?BATCH || _ <- lists:seq(1, ?BATCHES)]
    end).

%% Of what is done with flags set, and without.
event_cost(Flags, Work) ->
    in_session([{limit, #{events => 1, burst => 1}}], fun(S) ->
        [(with_flags(S, Flags, fun() -> time(Work, ?BATCH) end) - time(Work, ?BATCH)) / ?BATCH
         || _ <- lists:seq(1, ?BATCHES)]
    end).

with_flags(S, Flags, Work) ->
    1 = trace:process(S, self(), true, Flags),
    Result = Work(),
    1 = trace:process(S, self(), false, Flags),
    Result.

in_session(Options, CostsIn) ->
    Tracer = spawn_link(fun swallow/0),
    S = trace:session_create(limited, Tracer, Options),
    Costs = CostsIn(S),
    trace:session_destroy(S),
    unlink(Tracer),
    exit(Tracer, kill),
    max(0.1, lists:nth(?BATCHES div 2 + 1, lists:sort(Costs))).

messages(0) -> ok;
messages(N) -> self() ! N, receive N -> messages(N - 1) end.

slices(0) -> ok;
slices(N) -> erlang:yield(), slices(N - 1).

swallow() -> receive _ -> swallow() end.

time(Work, N) ->
    Start = erlang:monotonic_time(nanosecond),
    Work(N),
    erlang:monotonic_time(nanosecond) - Start.

traced(X) -> X.
untraced(X) -> X.

traced_calls(0) -> ok;
traced_calls(N) -> traced(N rem 8), traced_calls(N - 1).

calls(0) -> ok;
calls(N) -> untraced(N rem 8), calls(N - 1).
