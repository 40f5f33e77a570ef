%% Random calls of erlang:system_monitor and system_profile, good and bad ones, by processes that end in between: what
%% each answers, and what is set after it. VIV_SEED and VIV_CASES choose the seed and the number of calls.
-module(gen_trace_system).
-export([main/0]).
-include("gen_trace.hrl").

main() ->
    rand:seed(exsss, env("VIV_SEED", 1)),
    Dead = spawn(fun() -> ok end),
    ended(Dead),
    put(dead, Dead),
    put(other, other()),
    [one_call(I) || I <- lists:seq(1, env("VIV_CASES", 1000))],
    erlang:system_monitor(undefined),
    erlang:system_profile(undefined, []).

other() -> spawn(fun() -> receive stop -> ok end end).

ended(P) -> M = monitor(process, P), receive {'DOWN', M, process, P, _} -> ok end.

one_call(I) ->
    {F, A} = call(r(16)),
    Result = caught(fun() -> apply(erlang, F, A) end),
    io:format("~p ~p ~0p: ~0p~n    ~0p ~0p~n",
              [I, F, named(A), named(Result), named(caught(fun erlang:system_monitor/0)),
               named(caught(fun erlang:system_profile/0))]).

%% The other process ends, and another takes its place: who is told by one that is no more.
call(0) ->
    exit(get(other), kill),
    ended(get(other)),
    put(other, other()),
    {self, []};
call(N) when N < 5 -> {system_profile, [whom(), options(profile_options())]};
call(N) when N < 7 -> {system_monitor, [one([{whom(), options(monitor_options())}, undefined, whom(), {whom()}])]};
call(_) -> {system_monitor, [whom(), options(monitor_options())]}.

whom() -> one([self(), self(), get(other), get(other), undefined, get(dead), foo, 1, [], {self()}, make_ref()]).

options(From) ->
    L = [one(From) || _ <- lists:seq(1, r(5))],
    case r(12) of 0 -> L ++ one([foo, [bad], 1]); 1 -> one([foo, 1, {}]); _ -> L end.

profile_options() ->
    [runnable_procs, runnable_ports, scheduler, exclusive, timestamp, monotonic_timestamp, strict_monotonic_timestamp] ++
    case r(4) of 0 -> [foo, cpu_timestamp, {scheduler, 1}, true, 1, running]; _ -> [] end.

monitor_options() ->
    [busy_port, busy_dist_port, busy_port, busy_dist_port] ++
    [{K, V} || K <- [long_gc, large_heap, long_schedule], V <- [0, 1, 5, 4000, 1 bsl 30]] ++
    case r(4) of
        0 -> [foo, {foo, 1}, {long_gc, -1}, {long_schedule, foo}, {large_heap, 1 bsl 58}, {large_heap, 1 bsl 59},
              {large_heap, 1 bsl 60}, {large_heap, 1 bsl 64}, {long_gc, 1 bsl 58}, {long_gc, 1 bsl 63}, {long_gc, 1 bsl 64},
              {long_schedule, 1 bsl 62}, {busy_port, 1}, {long_gc, 1.0}, {large_heap}, {long_gc, 1, 2}, [], 1];
        _ -> []
    end.

caught(Fun) -> try Fun() catch Class:Reason:Stack -> {Class, Reason, element(4, hd(Stack))} end.

named(T) ->
    case {self(), get(other), get(dead)} of
        {T, _, _} -> self;
        {_, T, _} -> other;
        {_, _, T} -> dead;
        _ -> inside(T)
    end.
inside([H | T]) -> [named(H) | named(T)];
inside(T) when is_tuple(T) -> list_to_tuple([named(E) || E <- tuple_to_list(T)]);
inside(T) when is_reference(T) -> ref;
inside(T) when is_pid(T) -> pid;
inside(T) when is_map(T) -> maps:map(fun(_, V) -> named(V) end, T);
inside(T) -> T.
