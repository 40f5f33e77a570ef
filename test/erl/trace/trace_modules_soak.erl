%% A tracer module is replaced and purged again and again while it traces; patterns with other states are switched, and
%% processes end. Every event that must be told is told once.
-module(trace_modules_soak).
-export([main/0, traced/1, metered/1, worker/3]).

-define(M, trace_soak_tracer).
-define(WORKERS, 4).
-define(ROUNDS, 3000).
-define(LOADS, 25).

main() ->
    {module, ?M} = code:ensure_loaded(?M),
    1 = erlang:trace_pattern({?MODULE, traced, 1}, [{'_', [], [{return_trace}]}], [local]),
    ?M:counts(),
    Me = self(),
    Workers = [spawn_monitor(?MODULE, worker, [Me, ?ROUNDS, state(N)]) || N <- lists:seq(1, ?WORKERS)],
    Loader = spawn_monitor(fun() -> loads(?LOADS) end),
    Switcher = spawn_monitor(fun() -> switches(2 * ?LOADS) end),
    Killer = spawn_monitor(fun() -> kills(2 * ?LOADS) end),
    [receive {'DOWN', Ref, process, Pid, Reason} -> io:format("~p~n", [Reason]) end
     || {Pid, Ref} <- Workers ++ [Loader, Switcher, Killer]],
    Sent = length(all_sent()),
    {Calls, Returns, Sends, Others} = ?M:counts(),
    io:format("~p~n", [{Sent, Calls, Returns, Sends, Others}]),
    erlang:trace_pattern({?MODULE, traced, 1}, false, [local]),
    ok.

state(N) -> {N, binary:copy(<<"state">>, 100), lists:seq(1, N)}.

%% It traces itself, and is told about until it ends.
worker(Parent, Rounds, State) ->
    1 = erlang:trace(self(), true, [call, send, {tracer, ?M, State}]),
    rounds(Parent, Rounds),
    1 = erlang:trace(self(), false, [all]).

rounds(_, 0) -> ok;
rounds(Parent, N) ->
    traced({N, [N]}),
    N rem 10 =:= 0 andalso (Parent ! sent),
    metered(N),
    rounds(Parent, N - 1).

traced(X) -> {X, X}.
metered(X) -> X.

all_sent() -> receive sent -> [sent | all_sent()] after 0 -> [] end.

loads(0) -> ok;
loads(N) ->
    code:purge(?M),
    {module, ?M} = code:load_file(?M),
    receive after 3 -> ok end,
    loads(N - 1).

%% Meta trace that tells nothing, with a state of its own each time; a system tracer.
switches(0) ->
    seq_trace:set_system_tracer(false),
    erlang:trace_pattern({?MODULE, metered, 1}, false, [meta]);
switches(N) ->
    State = {self(), #{call => discard, seq_trace => discard, state => state(N)}},
    1 = erlang:trace_pattern({?MODULE, metered, 1}, N rem 3 > 0, [{meta, ?M, State}]),
    seq_trace:set_system_tracer({?M, State}),
    seq_trace:set_token(send, true),
    self() ! told_to_nobody,
    seq_trace:set_token([]),
    switches(N - 1).

%% Traced processes that end somehow, with children that have their flags.
kills(0) -> ok;
kills(N) ->
    {Pid, Ref} = spawn_monitor(fun() ->
        State = {self(), #{exit => discard, spawn => discard, spawned => discard, register => discard, in => discard,
                           out => discard, link => discard, getting_linked => discard, getting_unlinked => discard,
                           trace_status => trace}},
        erlang:trace(self(), true, [procs, running, set_on_spawn, {tracer, ?M, State}]),
        [spawn_link(fun() -> receive after 1000 -> ok end end) || _ <- lists:seq(1, 5)],
        receive after 2 -> ok end,
        exit(stop)
    end),
    receive {'DOWN', Ref, process, Pid, stop} -> ok end,
    kills(N - 1).
