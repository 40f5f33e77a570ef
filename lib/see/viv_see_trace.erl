%% viv trace, in the node: a session of its own, whose tracer is the process that sends to the client.
%%
%% The session limits itself (docs/TRACING.md): what is too much is refused where it would happen, and of terms so much
%% is copied. The process never waits for the client: while he does not take what there is, it receives no events, so
%% that they count against the session's bytes.
%%
%%   {clock, #{unit, offset, began}} to whom wants it exact, first: units a second of the monotonic time, nanoseconds
%%                                   from there to the system time, which began so
%%   {names, [{Pid, Name}]}          to him, before and after the events
%%   {events, [Event]}               trace messages as trace(3) has them, with time stamps: to him strict monotonic
%%                                   ones, behind the scheduler's number; what is received has its sender behind it
%%   {dropped, Count, Whys, Parts}   since the last such, where it happened: Parts are [{Of, Count}], where Of is the
%%                                   text of a pattern, of which calls are counted, or a kind of events; Whys, as
%%                                   {trace_dropped, ...} has them, may be behind until the last
%%   {'end', Why, Figures}           the last: time | max | stopped | ended, or {error, Text}
-module(viv_see_trace).
-export([run/2]).
-export([set_pattern/4, pattern/3, set/4, functions/1, named/1, info/3, traced/1]). % for others that count calls

-define(BYTES, 8 bsl 20). % of events that wait for this process
-define(DEPTH, 8).
-define(SIZE, 256). % words of a term
-define(PENDING, 1 bsl 20). % bytes that wait for the client
-define(FRAME, 8 bsl 20).
-define(LOOK, 256). % events between two looks at the clock
-define(TOGETHER, 200). % events in one frame of the protocol
-define(WITH_SENDER, [{['_', '$1', '_'], [], [{message, '$1'}]}]).
-define(NAMES, 50000). % that fit a frame
-define(TICK, 50). % milliseconds that an event may wait for others to be sent with
-define(BUSY_TICK, 20). % between two tries to send
-define(SAID, 100). % between two words of what was dropped

-record(t, {session, link, patterns, left, deadline, told = 0, batch = [], batched = 0, pending = <<>>,
            whys = #{}, reasoned = 0, counted = #{}, said_at, dropped = 0, exact}).

run(Options, Link) ->
    Exact = maps:get(exact, Options, false),
    try
        Exact andalso tell_clock(Link),
        begin_session(Options, Exact)
    of
        {Session, Patterns} ->
            loop(#t{exact = Exact, session = Session, link = Link, patterns = Patterns, left = maps:get(max, Options),
                    deadline = deadline(Options), said_at = now_ms() - ?SAID}, ?LOOK)
    catch
        throw:{error, Text} -> viv_see_link:tell(Link, {'end', {error, Text}, #{}})
    end.

now_ms() -> erlang:monotonic_time(millisecond).

deadline(#{time := infinity}) -> infinity;
deadline(#{time := Time}) when is_integer(Time) -> now_ms() + Time.

tell_clock(Link) ->
    viv_see_link:tell(Link, {clock, #{unit => erlang:convert_time_unit(1, second, native),
                                      offset => erlang:time_offset(nanosecond),
                                      began => erlang:system_time(nanosecond)}}),
    viv_see_link:tell(Link, {names, names()}).

names() -> [{Who, Name} || Name <- lists:sublist(registered(), ?NAMES), Who <- [whereis(Name)], Who =/= undefined].

%% --- what is traced -------------------------------------------------------------------------------------------------

begin_session(#{patterns := Patterns, kinds := Kinds, processes := Which, return := Return, caller := Caller,
                rate := Rate}, Exact) ->
    Flags = lists:usort(lists:append([flags(Kind) || Kind <- Kinds])),
    Body = [{exception_trace} || Return] ++ [{message, {caller}} || Caller],
    Limit = #{events => Rate, bytes => ?BYTES, depth => ?DEPTH, size => ?SIZE},
    Session = trace:session_create(viv_see, self(), [{limit, Limit}, {reload, keep}]),
    Specify = fun(Clauses) -> [{Head, Conditions, Body} || {Head, Conditions} <- Clauses] end,
    Set = [{Text, set_pattern(Session, Pattern, Specify, [local])} || {Text, _, _} = Pattern <- Patterns],
    Exact andalso lists:member('receive', Kinds) andalso trace:recv(Session, ?WITH_SENDER, []),
    Stamp = stamp(Exact),
    All = Stamp ++ [call || Patterns =/= []] ++ lists:delete(ports, Flags),
    Found = lists:sum([switch(Session, traced(What), All) || What <- Which]),
    lists:member(ports, Flags) andalso trace:port(Session, all, true, [ports | Stamp]),
    Found =:= 0 andalso Which =/= [new] andalso throw({error, <<"none of the processes is there">>}),
    {Session, functions(Set)}.

stamp(true) -> [strict_monotonic_timestamp, scheduler_id];
stamp(false) -> [timestamp].

flags(procs) -> [procs];
flags(sched) -> [running, exiting];
flags(gc) -> [garbage_collection];
flags(ports) -> [ports];
flags(send) -> [send];
flags('receive') -> ['receive'];
flags(_) -> refuse([<<"the node does not know what is to be traced">>]).

%% -> {M, F, A}, as trace:function/4 takes it. What is wrong is thrown as {error, Text}.
set_pattern(Session, {Text, Names, Pattern}, Specify, How) ->
    {Module, Function, Arity, Clauses} = pattern(Text, Names, Pattern),
    set(Session, {Text, {Module, Function, Arity}}, Specify(Clauses), How).

%% What the client has said in the external format: it has names that the node may not have.
pattern(Text, Names, Pattern) ->
    case [Name || Name <- Names, not is_atom_here(Name)] of
        [] -> ok;
        [Name | _] -> refuse([Text, <<": the node has no atom `">>, Name, <<"`: no such call can be">>])
    end,
    binary_to_term(Pattern, [safe]).

set(Session, {Text, {Module, _, _} = Functions}, Specification, How) ->
    _ = code:ensure_loaded(Module),
    try trace:function(Session, Functions, Specification, How) of
        0 -> refuse([Text, <<": the node has no such function">>]);
        _ -> Functions
    catch
        error:_ -> refuse([Text, <<": the specification is refused">>])
    end.

refuse(Text) -> throw({error, iolist_to_binary(Text)}).

%% Variables of specifications are there.
is_atom_here(<<$$, Digit, Digits/binary>> = Name) when Digit >= $1, Digit =< $9, byte_size(Digits) < 3 ->
    is_atom(binary_to_atom(Name));
is_atom_here(Name) ->
    try binary_to_existing_atom(Name) of _ -> true catch error:badarg -> false end.

traced(What) when What =:= all; What =:= new; What =:= existing -> What;
traced({pid, Text}) ->
    try list_to_pid(binary_to_list(Text))
    catch error:badarg -> refuse([Text, <<" is no process identifier of the node">>])
    end;
traced({name, Text}) ->
    case is_atom_here(Text) andalso whereis(binary_to_existing_atom(Text)) of
        Pid when is_pid(Pid) -> Pid;
        _ -> refuse([<<"no process is registered as ">>, Text])
    end.

switch(Session, What, Flags) ->
    try trace:process(Session, What, true, Flags)
    catch error:_ -> 0 % it has ended
    end.

%% -> [{Text, Functions}]: those that have the pattern's breakpoint, and not that of a later pattern, which takes its
%% place.
functions([{Text, Pattern} | Later]) -> [{Text, [F || F <- named(Pattern), not is_of(F, Later)]} | functions(Later)];
functions([]) -> [].

named({Module, Name, Arity}) ->
    [{Module, F, A} || {F, A} <- erlang:get_module_info(Module, functions), % not by a call that is traced
                       F =:= Name orelse Name =:= '_', A =:= Arity orelse Arity =:= '_'].

%% What the session knows of it there; a function that is no more has nothing.
info(Session, Function, What) ->
    try trace:info(Session, Function, What) of
        {What, Value} -> Value;
        undefined -> undefined
    catch error:_ -> undefined
    end.

is_of({M, F, A}, Patterns) ->
    [ok || {_, {Module, Name, Arity}} <- Patterns,
           M =:= Module, F =:= Name orelse Name =:= '_', A =:= Arity orelse Arity =:= '_'] =/= [].

%% --- events ---------------------------------------------------------------------------------------------------------

loop(T, 0) -> loop(in_time(T), ?LOOK);
loop(T = #t{pending = Pending}, _) when byte_size(Pending) >= ?PENDING ->
    receive
        stop -> finish(stopped, T)
    after ?BUSY_TICK -> loop(in_time(sent(T)), ?LOOK)
    end;
loop(T, Count) ->
    receive
        stop -> finish(stopped, T);
        {trace_ended, _, _} -> finish(ended, T);
        Other -> loop(received(Other, T), Count - 1)
    after 0 -> wait(in_time(T))
    end.

wait(T) ->
    receive
        stop -> finish(stopped, T);
        {trace_ended, _, _} -> finish(ended, T);
        Other -> loop(received(Other, T), ?LOOK)
    after wait_ms(T) -> loop(flush(T), ?LOOK)
    end.

wait_ms(#t{deadline = infinity, batched = 0, pending = <<>>}) -> infinity;
wait_ms(#t{deadline = Deadline, batched = 0, pending = <<>>}) -> max(1, min(1 bsl 30, Deadline - now_ms()));
wait_ms(_) -> ?TICK.

in_time(T = #t{deadline = Deadline}) ->
    case now_ms() of
        Now when Now >= Deadline -> finish(time, T); % `infinity` is larger
        _ -> T
    end.

received({trace_dropped, _, _, More}, T = #t{whys = Whys, said_at = SaidAt}) ->
    Sums = T#t{whys = maps:merge_with(fun(_, A, B) -> A + B end, Whys, More)},
    case now_ms() of
        Now when Now - SaidAt >= ?SAID -> drops_told(Sums#t{said_at = Now});
        _ -> Sums
    end;
received(Event, T = #t{batch = Batch, batched = Batched, told = Told, left = Left})
  when element(1, Event) =:= trace_ts ->
    case T#t{batch = [Event | Batch], batched = Batched + 1, told = Told + 1, left = less(Left)} of
        Next = #t{left = 0} -> finish(max, Next);
        Next = #t{batched = ?TOGETHER} -> flush(Next);
        Next -> Next
    end;
received(_, T) -> T.

less(infinity) -> infinity;
less(Left) -> Left - 1.

%% What was dropped, at its place among the events.
drops_told(T) -> drops_told(T, counted(T), 0).

drops_told(T = #t{whys = Whys, reasoned = Reasoned, counted = Before, dropped = Dropped}, Counted, Others) ->
    Parts = [{Of, N - maps:get(Of, Before, 0)} || {Of, N} <- Counted, N > maps:get(Of, Before, 0)],
    case lists:sum([N || {_, N} <- Parts]) + Others of
        0 -> T;
        Sum ->
            queued({dropped, Sum, Whys, Parts},
                   (pack(T))#t{counted = maps:from_list(Counted), dropped = Dropped + Sum, whys = #{},
                               reasoned = Reasoned + lists:sum(maps:values(Whys))})
    end.

%% Since the session began, of each pattern and of each kind of other events.
counted(#t{session = Session, patterns = Patterns}) ->
    [{Text, N} || {Text, Functions} <- Patterns, N <- [dropped_of(Session, Functions)], is_integer(N)] ++
        maps:to_list(maps:remove(call, dropped_kinds(Session))).

%% A pattern's functions count together; replaced code may have some of them no more.
dropped_of(_, []) -> false;
dropped_of(Session, [Function | Others]) ->
    case info(Session, Function, dropped) of
        N when is_integer(N) -> N;
        _ -> dropped_of(Session, Others)
    end.

dropped_kinds(Session) ->
    try
        {dropped, #{} = Kinds} = trace:info(Session, session, dropped),
        Kinds
    catch error:_ -> #{} % it is over
    end.

pack(T = #t{batch = []}) -> T;
pack(T = #t{batch = Batch}) -> packed(lists:reverse(Batch), T#t{batch = [], batched = 0}).

%% A frame is no larger than the client takes.
packed(Events, T) ->
    case {viv_see_frame:encode({events, Events}), length(Events)} of
        {Frame, Count} when byte_size(Frame) > ?FRAME, Count > 1 ->
            {Some, Others} = lists:split(Count div 2, Events),
            packed(Others, packed(Some, T));
        {Frame, _} -> add(Frame, T)
    end.

queued(What, T) -> add(viv_see_frame:encode(What), T).

add(Frame, T = #t{pending = Pending}) -> T#t{pending = <<Pending/binary, Frame/binary>>}.

flush(T) -> sent(pack(T)).

sent(T = #t{pending = <<>>}) -> T;
sent(T = #t{pending = Pending, link = Link}) ->
    case viv_see_link:send(Link, Pending) of
        {ok, 0} -> T;
        {ok, Taken} -> T#t{pending = binary:copy(binary:part(Pending, Taken, byte_size(Pending) - Taken))};
        closed -> exit(shutdown)
    end.

%% --- the end --------------------------------------------------------------------------------------------------------

%% Nothing is told any more once the flags are off: so what was told and what was dropped are together what happened,
%% unless he has had as many as he wanted.
-spec finish(atom(), #t{}) -> no_return().
finish(max, T = #t{session = Session}) ->
    _ = trace:session_destroy(Session),
    last(max, drops_told(T));
finish(ended, T) -> last(ended, drops_told(T));
finish(Why, T = #t{session = Session}) ->
    try
        _ = trace:process(Session, all, false, [all]),
        trace:port(Session, all, false, [all])
    catch error:_ -> ended_already
    end,
    Counted = counted(T),
    Refused = lists:sum(maps:values(dropped_kinds(Session))),
    _ = trace:session_destroy(Session),
    drain(Why, T, Counted, Refused).

drain(Why, T, Counted, Refused) ->
    receive
        {trace_ended, _, _} -> last(Why, all_drops_told(T, Counted, Refused));
        {trace_dropped, _, _, More} ->
            Whys = maps:merge_with(fun(_, A, B) -> A + B end, T#t.whys, More),
            drain(Why, T#t{whys = Whys}, Counted, Refused);
        Event when element(1, Event) =:= trace_ts, T#t.left =/= 0 ->
            #t{batch = Batch, batched = Batched, told = Told, left = Left} = T,
            More = T#t{batch = [Event | Batch], batched = Batched + 1, told = Told + 1, left = less(Left)},
            drain(Why, pushed(More), Counted, Refused);
        _ -> drain(Why, T, Counted, Refused)
    after 5000 -> last(Why, T)
    end.

pushed(T = #t{batched = Batched}) when Batched < ?TOGETHER -> T;
pushed(T = #t{link = Link}) ->
    #t{pending = Pending} = Packed = pack(T),
    case viv_see_link:send_all(Link, Pending) of
        ok -> Packed#t{pending = <<>>};
        closed -> exit(shutdown)
    end.

%% Some are of no pattern: what a call would have returned. Where there was no room even to say it, it was not said.
all_drops_told(T = #t{whys = Whys, reasoned = Reasoned, counted = Before, dropped = Dropped}, Counted, Refused) ->
    Parts = lists:sum([max(0, N - maps:get(Of, Before, 0)) || {Of, N} <- Counted]),
    Unsaid = max(0, Refused - Reasoned - lists:sum(maps:values(Whys))),
    All = maps:update_with(bytes, fun(N) -> N + Unsaid end, Unsaid, Whys),
    drops_told(T#t{whys = All}, Counted, max(0, Refused - Dropped - Parts)).

-spec last(atom(), #t{}) -> no_return().
last(Why, T = #t{link = Link, told = Told, dropped = Dropped, exact = Exact}) ->
    Packed = pack(T),
    Named = case Exact of
                true -> queued({names, names()}, Packed);
                false -> Packed
            end,
    #t{pending = Pending} = queued({'end', Why, #{told => Told, dropped => Dropped}}, Named),
    _ = viv_see_link:send_all(Link, Pending),
    exit(shutdown).
