%% Shared by the programs on tracing: what a traced process causes, printed so that two runtimes print the same.
%% Pids become p0, p1, ... in the order in which they are seen; references, times and funs lose their values.

-compile([nowarn_unused_function]).
-include("../quiet.hrl").

%% The default session's functions, or trace_in_session: the same in a session of one's own (trace_*_session.erl).
-ifndef(TRACE).
-define(TRACE, erlang).
-endif.

%% A process that runs funs on request. When it has answered it calls nothing more before the next request, so a pattern
%% that is set then meets the same calls however slices end.
servant() ->
    Parent = self(),
    Pid = spawn(fun() -> served(Parent, ready) end),
    receive {Pid, ready} -> Pid end.

served(Parent, Result) ->
    Parent ! {self(), Result},
    receive
        {run, Fun} -> served(Parent, (catch Fun()));
        stop -> ok
    end.

run(Pid, Fun) ->
    Pid ! {run, Fun},
    receive {Pid, Result} -> Result after 60000 -> late end.

%% All trace messages about Pid so far, in order; other messages stay.
collected(Pid) ->
    Ref = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Ref} -> ok end,
    everything().

everything() ->
    receive
        M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> [M | everything()]
    after 0 -> []
    end.

%% Of a collection of the runtime's own accord?
is_minor(Tag) -> Tag =:= gc_minor_start orelse Tag =:= gc_minor_end.

show(Name, Term) ->
    io:format("~0p~n", [Name]),
    {Plain, _} = plain(Term, #{}),
    [io:format("  ~0p~n", [T]) || T <- lists:flatten([Plain])].

plain(T, Known) when is_pid(T) ->
    case Known of
        #{T := Name} -> {Name, Known};
        #{} ->
            Name = list_to_atom("p" ++ integer_to_list(map_size(Known))),
            {Name, Known#{T => Name}}
    end;
plain(T, Known) when is_reference(T) -> {ref, Known};
plain(T, Known) when is_function(T) -> {'fun', Known};
plain([H | T], Known) ->
    {H1, Known1} = plain(H, Known),
    {T1, Known2} = plain(T, Known1),
    {[H1 | T1], Known2};
plain({M, S, U}, Known) when M > 1000, M < 100000, is_integer(S), is_integer(U) -> {time, Known};
plain(T, Known) when is_tuple(T) ->
    {L, Known1} = plain(tuple_to_list(T), Known),
    {list_to_tuple(L), Known1};
plain(T, Known) when is_map(T) ->
    {L, Known1} = plain(lists:sort(maps:to_list(T)), Known),
    {maps:from_list(L), Known1};
plain(T, Known) -> {T, Known}.
