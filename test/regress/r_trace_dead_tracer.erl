%% When flags that lead to a tracer that is no more go, and what process_info(_, trace) says of flags.
-module(r_trace_dead_tracer).
-export([main/0, in/1, spec/0]).

main() ->
    [io:format("~0p~n", [{Flags, Sensitive, What, flags_after(Flags, Sensitive, What)}])
     || Flags <- [[call, return_to], [return_to, send], [return_to, call, procs, set_on_spawn]],
        Sensitive <- [true, false],
        What <- [nothing, message, info, trace_info, run, send, spawn, waits, collected, registers, calls]],
    [io:format("~0p~n", [{Flag, bits(Flag)}])
     || Flag <- [send, 'receive', call, procs, ports, running, running_procs, running_ports, exiting, garbage_collection,
                 set_on_spawn, set_on_first_spawn, set_on_link, set_on_first_link, silent, return_to, arity,
                 scheduler_id, timestamp, monotonic_timestamp, strict_monotonic_timestamp]].

flags_after(Flags, Sensitive, What) ->
    Me = self(),
    P = spawn(fun serves/0),
    Sink = spawn(fun() -> receive stop -> ok end end),
    1 = erlang:trace(P, true, [{tracer, Sink} | Flags]),
    Sensitive andalso does(P, fun() -> process_flag(sensitive, true) end),
    Before = process_info(P, trace),
    Ref = monitor(process, Sink),
    exit(Sink, kill),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    waits(P),
    is_done(What, P),
    waits(P),
    1 = erlang:trace(P, true, [{tracer, Me}, call, set_on_spawn]),
    After = {erlang:trace_info(P, flags), process_info(P, trace)},
    exit(P, kill),
    {Before, After}.

is_done(nothing, _) -> ok;
is_done(message, P) -> P ! hello;
is_done(info, P) -> process_info(P, trace);
is_done(trace_info, P) -> erlang:trace_info(P, flags);
is_done(run, P) -> does(P, fun() -> ok end);
is_done(send, P) -> does(P, fun() -> self() ! hello end);
is_done(spawn, P) -> does(P, fun() -> spawn(fun() -> ok end) end);
is_done(waits, P) -> does(P, fun() -> receive after 3 -> ok end end);
is_done(collected, P) -> erlang:garbage_collect(P);
is_done(registers, P) -> does(P, fun() -> register(foo, self()), unregister(foo) end);
is_done(calls, P) -> does(P, fun() -> ?MODULE:in(fun() -> ok end) end).

in(F) -> F(), spec().
spec() -> ok.

serves() ->
    receive
        {do, From, Fun} -> Fun(), From ! {done, self()}, serves();
        hello -> serves()
    end.

does(P, Fun) ->
    P ! {do, self(), Fun},
    receive {done, P} -> ok end.

waits(P) ->
    process_info(P, [status, message_queue_len]) =:= [{status, waiting}, {message_queue_len, 0}]
        orelse begin erlang:yield(), waits(P) end.

bits(Flag) ->
    P = spawn(fun serves/0),
    1 = erlang:trace(P, true, [Flag]),
    Set = process_info(P, trace),
    exit(P, kill),
    Set.
