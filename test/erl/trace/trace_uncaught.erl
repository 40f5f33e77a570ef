%% Exceptions that nobody catches, and the same ones caught: what is told to a tracer and to a meta tracer of the calls
%% that they end, by whether the process itself is traced.
-module(trace_uncaught).
-export([main/0, outer/1, inner/1, caught/1]).

outer(X) -> inner(X), ok.

inner(exit) -> exit(bye);
inner(error) -> error(bad);
inner(throw) -> throw(x);
inner(badmatch) -> a = hd(id([b]));
inner(bif) -> atom_to_list(id(1)) ++ "".

caught(X) -> catch outer(X), ok.

id(X) -> X.

main() ->
    logger:set_primary_config(level, none),
    [ended(F, Action, Kind, Entry, How, Flags)
     || F <- [outer, inner], Action <- [exception_trace, return_trace], Kind <- [meta, local], Entry <- [outer, caught],
        How <- [exit, error, throw, badmatch, bif], Flags <- [[], [call], [procs], [send]]],
    [first_call(How) || How <- [exit, error, throw, badmatch, bif]].

ended(F, Action, Kind, Entry, How, Flags) ->
    erlang:trace_pattern({?MODULE, F, 1}, [{'_', [], [{Action}]}], [Kind]),
    Tester = self(),
    {Pid, Ref} = spawn_monitor(fun() -> receive go -> ok end, ?MODULE:Entry(How) end),
    Flags =/= [] andalso erlang:trace(Pid, true, [{tracer, Tester} | Flags]),
    Pid ! go,
    show({F, Action, Kind, Entry, How, Flags}, Pid, Ref),
    erlang:trace_pattern({?MODULE, F, 1}, false, [Kind]).

%% It is what the process was spawned to do.
first_call(How) ->
    erlang:trace_pattern({?MODULE, inner, 1}, [{'_', [], [{exception_trace}]}], [meta]),
    {Pid, Ref} = spawn_monitor(?MODULE, inner, [How]),
    show({first, How}, Pid, Ref),
    erlang:trace_pattern({?MODULE, inner, 1}, false, [meta]).

show(What, Pid, Ref) ->
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    io:format("~0p~n", [What]),
    [io:format("   ~0p~n", [plain(M)]) || M <- told(Pid)].

told(Pid) ->
    receive M when element(2, M) =:= Pid -> [M | told(Pid)] after 0 -> [] end.

plain({trace, _, exit, {Reason, [_ | _]}}) -> {exit, Reason};
plain({trace, _, exit, Reason}) -> {exit, Reason};
plain({trace_ts, _, What, Call, _}) -> {What, Call};
plain({trace_ts, _, What, Call, More, _}) -> {What, Call, More};
plain(M) -> list_to_tuple(tl(tl(tuple_to_list(M)))).
