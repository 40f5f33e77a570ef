%% The end of a session that traces everything, with a million functions, among them those of a busy service: when the
%% last event happened, when session_destroy has returned, and how long a busy process was held up meanwhile.
%%
%%   viv run bench/trace_end.erl [FUNCTIONS [PROCESSES]]
%%
%% Modules of a thousand functions each are the same one under other names. Each round traces all calls, messages,
%% slices and collections of all processes, within an ordinary budget, for a while.
-module(trace_end).
-export([main/1]).
-define(EACH, 1000). % functions of a module
-define(ROUNDS, 7).

main([]) -> main(["1000000", "100000"]);
main([Functions]) -> main([Functions, "100000"]);
main([Functions, Processes]) ->
    Modules = load(list_to_integer(Functions) div ?EACH),
    Pids = [spawn(fun serve/0) || _ <- lists:seq(1, list_to_integer(Processes))],
    Busy = [spawn_link(fun() -> asks(Pids) end) || _ <- [1, 2]],
    Gaps = spawn_link(fun() -> gaps(now_ns(), 0) end),
    Times = [one_round(Gaps) || _ <- lists:seq(1, ?ROUNDS)],
    [unlink(P) || P <- [Gaps | Busy]],
    io:format("~w modules, ~w breakpoints; medians of ~w rounds, in ms (and the most)~n",
              [Modules, element(5, hd(Times)), ?ROUNDS]),
    [begin
         Sorted = lists:sort([element(N, Time) || Time <- Times]),
         io:format("~-30s ~8.2f ~8.2f~n", [Name, lists:nth(?ROUNDS div 2 + 1, Sorted) / 1.0e6,
                                          lists:last(Sorted) / 1.0e6])
     end || {N, Name} <- [{1, "patterns are set"}, {2, "the last event"}, {3, "session_destroy returns"},
                          {4, "a gap of a busy process"}]],
    halt().

one_round(Gaps) ->
    Self = self(),
    Tracer = spawn(fun() -> take(Self, -(1 bsl 62)) end),
    Begin = now_ns(),
    S = trace:session_create(everything, Tracer, [{limit, #{events => 20000, bytes => 20000000, size => 100}}]),
    Matched = trace:function(S, {'_', '_', '_'}, true, [local]),
    Set = now_ns() - Begin,
    trace:process(S, all, true, [call, send, 'receive', procs, running, garbage_collection, monotonic_timestamp]),
    receive after 700 -> ok end,
    Gaps ! {begins, self()},
    receive begun -> ok end,
    End = now_ns(),
    true = trace:session_destroy(S),
    Took = now_ns() - End,
    Gaps ! {ends, self()},
    Gap = receive {gap, Most} -> Most end,
    Last = receive {last, Tracer, At} -> At end,
    {Set, max(0, Last - End), Took, Gap, Matched}.

now_ns() -> erlang:monotonic_time(nanosecond).

take(To, Last) ->
    receive
        {trace_ended, _, _} -> To ! {last, self(), erlang:convert_time_unit(Last, native, nanosecond)};
        Event when element(1, Event) =:= trace_ts -> take(To, max(Last, element(tuple_size(Event), Event)));
        _ -> take(To, Last)
    end.

%% It does nothing but look at the clock.
gaps(Before, Most) ->
    receive
        {begins, From} -> From ! begun, gaps(now_ns(), 0);
        {ends, From} -> From ! {gap, Most}, gaps(now_ns(), 0)
    after 0 ->
        Now = now_ns(),
        gaps(Now, max(Most, Now - Before))
    end.

serve() -> receive {From, N} -> From ! work(N), serve() end.
work(N) -> N + 1.
asks(Pids) -> [begin Pid ! {self(), 1}, receive 2 -> ok end end || Pid <- Pids], asks(Pids).

%% How many modules there are.
load(Count) ->
    Name = fun(N) -> list_to_atom("trace_end_" ++ tl(integer_to_list(1000000 + N))) end,
    Line = erl_anno:new(1),
    Functions = [list_to_atom("f" ++ integer_to_list(N)) || N <- lists:seq(1, ?EACH)],
    Forms = [{attribute, Line, module, Name(0)}, {attribute, Line, export, [{F, 1} || F <- Functions]} |
             [{function, Line, F, 1, [{clause, Line, [{var, Line, 'X'}], [], [{var, Line, 'X'}]}]} || F <- Functions]],
    {ok, _, Code} = compile:forms(Forms, []),
    From = atom_to_binary(Name(0)),
    [begin
         M = Name(N),
         {module, M} = code:load_binary(M, "", binary:replace(Code, From, atom_to_binary(M), [global]))
     end || N <- lists:seq(1, Count)],
    Count.
