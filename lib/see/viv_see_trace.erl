%% viv trace, in the node: a session of its own, whose tracer is the process that sends to the client.
%%
%% It never waits for the client. What he does not take is kept up to PENDING bytes; then events are dropped, as they
%% are when more come in a tenth of a second than `rate` allows, and each is counted. When more wait than QUEUE, or they
%% take more than MEMORY, tracing pauses: one order for all processes, no breakpoint is touched. It goes on when the
%% queue is empty and the pause is over; how long it was is told.
%%
%%   {events, [Event]}             trace messages as trace(3) has them, with time stamps, their terms cut (viv_see_cut)
%%   {dropped, Events, PauseMs}    since the last such, where it happened
%%   {'end', Why, Figures}         the last: time | max | stopped, or {error, Text}
-module(viv_see_trace).
-export([run/2]).
-export([set_pattern/4]). % for viv_see_count

-define(QUEUE, 20000).
-define(MEMORY, 64 bsl 20).
-define(PENDING, 1 bsl 20).
-define(LOOK, 256). % events between two looks at clock and queue
-define(TICK, 50). % milliseconds that an event may wait for others to be sent with
-define(PAUSE, 200).

-record(t, {session, link, traced, flags, port_flags, rate, window = 0, in_window = 0, left, deadline, told = 0,
            dropped = 0, paused = 0, dropped_all = 0, paused_all = 0, batch = [], batched = 0, pending = <<>>}).

run(Options, Link) ->
    try begin_session(Options) of
        {Session, Traced, Flags, PortFlags} ->
            Max = maps:get(max, Options),
            loop(#t{session = Session, link = Link, traced = Traced, flags = Flags, port_flags = PortFlags,
                    rate = max(1, maps:get(rate, Options) div 10), left = Max, deadline = deadline(Options)}, ?LOOK)
    catch
        throw:{error, Text} -> viv_see_link:tell(Link, {'end', {error, Text}, #{}})
    end.

now_ms() -> erlang:monotonic_time(millisecond).

deadline(#{time := infinity}) -> infinity;
deadline(#{time := Time}) -> now_ms() + Time.

%% --- what is traced -------------------------------------------------------------------------------------------------

begin_session(#{patterns := Patterns, kinds := Kinds, processes := Which, return := Return, caller := Caller}) ->
    Flags = lists:usort(lists:append([flags(Kind) || Kind <- Kinds])),
    Body = [{exception_trace} || Return] ++ [{message, {caller}} || Caller],
    Session = trace:session_create(viv_see, self(), []),
    Specify = fun(Clauses) -> [{Head, Conditions, Body} || {Head, Conditions} <- Clauses] end,
    [_ = set_pattern(Session, Pattern, Specify, [local]) || Pattern <- Patterns],
    PortFlags = [ports || lists:member(ports, Flags)],
    All = [timestamp | [call || Patterns =/= []]] ++ lists:delete(ports, Flags) ++ PortFlags,
    Traced = [traced(What) || What <- Which],
    State = {Session, Traced, All, [timestamp | PortFlags]},
    Found = switch(true, State),
    Found =:= 0 andalso Which =/= [new] andalso throw({error, <<"none of the processes is there">>}),
    State.

flags(procs) -> [procs];
flags(sched) -> [running, exiting];
flags(gc) -> [garbage_collection];
flags(ports) -> [ports];
flags(send) -> [send];
flags('receive') -> ['receive'];
flags(_) -> refuse([<<"the node does not know what is to be traced">>]).

%% -> {M, F, A}, as trace:function/4 takes it. What is wrong is thrown as {error, Text}.
set_pattern(Session, {Text, Names, Pattern}, Specify, How) ->
    case [Name || Name <- Names, not is_atom_here(Name)] of
        [] -> ok;
        [Name | _] -> refuse([Text, <<": the node has no atom `">>, Name, <<"`: no such call can be">>])
    end,
    {Module, Function, Arity, Clauses} = binary_to_term(Pattern, [safe]),
    _ = code:ensure_loaded(Module),
    try trace:function(Session, {Module, Function, Arity}, Specify(Clauses), How) of
        0 -> refuse([Text, <<": the node has no such function">>]);
        _ -> {Module, Function, Arity}
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

switch(On, {Session, Traced, Flags, PortFlags}) ->
    Found = lists:sum([switch(Session, What, On, Flags) || What <- Traced]),
    PortFlags =:= [timestamp] orelse trace:port(Session, all, On, PortFlags),
    Found.

switch(Session, What, On, Flags) ->
    try trace:process(Session, What, On, Flags)
    catch error:_ -> 0 % it has ended
    end.

switched(On, #t{session = Session, traced = Traced, flags = Flags, port_flags = PortFlags}) ->
    switch(On, {Session, Traced, Flags, PortFlags}).

%% --- events ---------------------------------------------------------------------------------------------------------

loop(T, 0) -> loop(look(T), ?LOOK);
loop(T, Count) ->
    receive
        stop -> finish(stopped, T);
        Event when element(1, Event) =:= trace_ts -> loop(event(Event, T), Count - 1);
        _ -> loop(T, Count)
    after 0 ->
        wait(look(T))
    end.

wait(T) ->
    receive
        stop -> finish(stopped, T);
        Event when element(1, Event) =:= trace_ts -> loop(event(Event, T), ?LOOK);
        _ -> wait(T)
    after wait_ms(T) ->
        wait(look(flush(T)))
    end.

wait_ms(#t{deadline = infinity, batched = 0, pending = <<>>, dropped = 0, paused = 0}) -> infinity;
wait_ms(#t{deadline = Deadline, batched = 0, pending = <<>>, dropped = 0, paused = 0}) -> max(1, Deadline - now_ms());
wait_ms(_) -> ?TICK.

event(_, T = #t{left = 0}) -> T;
event(Event, T = #t{in_window = Before, rate = Rate, pending = Pending})
  when Before < Rate, byte_size(Pending) < ?PENDING ->
    add(cut(Event), (told_drops(T))#t{in_window = Before + 1});
event(_, T = #t{dropped = Dropped}) -> T#t{dropped = Dropped + 1}.

add(Event, T = #t{batch = Batch, batched = Batched, told = Told, left = Left}) ->
    case T#t{batch = [Event | Batch], batched = Batched + 1, told = Told + 1, left = less(Left)} of
        Next = #t{left = 0} -> finish(max, Next);
        Next = #t{batched = 200} -> flush(Next);
        Next -> Next
    end.

less(infinity) -> infinity;
less(Left) -> Left - 1.

cut(Event) -> list_to_tuple([viv_see_cut:term(Part) || Part <- tuple_to_list(Event)]).

%% What was dropped is told ahead of what comes next.
told_drops(T = #t{dropped = 0, paused = 0}) -> T;
told_drops(T = #t{dropped = Dropped, paused = Paused, dropped_all = DroppedAll, paused_all = PausedAll}) ->
    Packed = #t{pending = Pending} = pack(T),
    Frame = viv_see_frame:encode({dropped, Dropped, Paused}),
    Packed#t{pending = <<Pending/binary, Frame/binary>>, dropped = 0, paused = 0,
             dropped_all = DroppedAll + Dropped, paused_all = PausedAll + Paused}.

pack(T = #t{batch = []}) -> T;
pack(T = #t{batch = Batch, pending = Pending}) ->
    Frame = viv_see_frame:encode({events, lists:reverse(Batch)}),
    T#t{pending = <<Pending/binary, Frame/binary>>, batch = [], batched = 0}.

flush(T) -> sent(pack(T)).

sent(T = #t{pending = <<>>}) -> T;
sent(T = #t{pending = Pending, link = Link}) ->
    case viv_see_link:send(Link, Pending) of
        {ok, Taken} -> T#t{pending = binary:copy(binary:part(Pending, Taken, byte_size(Pending) - Taken))};
        closed -> exit(shutdown)
    end.

%% Time, rate, and what waits.
look(T = #t{deadline = Deadline, window = Window}) ->
    Now = now_ms(),
    New = case Now div 100 of
              Window -> T;
              Other -> idle_drops(sent(T#t{window = Other, in_window = 0}))
          end,
    if
        Now >= Deadline -> finish(time, New);
        true -> spared(New)
    end.

%% Nothing comes any more to tell it ahead of.
idle_drops(T = #t{pending = Pending}) when byte_size(Pending) < ?PENDING -> told_drops(T);
idle_drops(T) -> T.

spared(T) ->
    case process_info(self(), [message_queue_len, memory]) of
        [{_, Queue}, {_, Memory}] when Queue > ?QUEUE; Memory > ?MEMORY -> pause(T, now_ms());
        _ -> T
    end.

pause(T = #t{paused = Paused}, Since) ->
    _ = switched(false, T),
    Drained = drain(T, Since + ?PAUSE),
    erlang:garbage_collect(),
    _ = switched(true, Drained),
    Drained#t{paused = Paused + now_ms() - Since}.

%% Until nothing comes, and the time is over.
drain(T = #t{dropped = Dropped, deadline = Deadline}, Until) ->
    receive
        stop -> finish(stopped, T);
        Event when element(1, Event) =:= trace_ts -> drain(T#t{dropped = Dropped + 1}, Until);
        _ -> drain(T, Until)
    after 10 ->
        case now_ms() of
            Now when Now >= Deadline -> finish(time, T);
            Now when Now >= Until -> T;
            _ -> drain(sent(T), Until)
        end
    end.

%% The session ends first: what comes then is nobody's. All that there is to tell is told, if the client takes it.
-spec finish(atom(), #t{}) -> no_return().
finish(Why, T = #t{session = Session, link = Link, told = Told}) ->
    _ = trace:session_destroy(Session),
    #t{pending = Pending, dropped_all = Dropped, paused_all = Paused} = told_drops(pack(T)),
    Last = viv_see_frame:encode({'end', Why, #{told => Told, dropped => Dropped, paused => Paused}}),
    _ = viv_see_link:send_all(Link, <<Pending/binary, Last/binary>>),
    exit(shutdown).
