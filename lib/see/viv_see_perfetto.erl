%% viv trace as a trace of Perfetto (ui.perfetto.dev; perfetto.dev/docs/reference/trace-packet-proto): the node is its
%% process, in which each process and port has a track, with one below it for its slices and one for its collections,
%% and each scheduler one. Times are the system's. Calls that return, slices and collections are slices there, all else
%% is an instant. A message is a flow where it is known which send and which receive are its own (viv_see_messages).
-module(viv_see_perfetto).
-export([open/2, names/2, events/2, dropped/4, close/1]).
-import(viv_protobuf, [number/2, fixed64/2, message/2]).

-record(p, {file, node, names = #{}, tracks = #{}, spans, messages = viv_see_messages:new(), held = []}).
-define(NODE, 1). % tracks that are always there
-define(SCHEDULERS, 2).

%% Of the messages there: fields by number.
-define(TRACE_PACKET, 1).
-define(PACKET_CLOCKS, 6).
-define(PACKET_TIME, 8).
-define(PACKET_SEQUENCE, 10).
-define(PACKET_EVENT, 11).
-define(PACKET_SEQUENCE_FLAGS, 13).
-define(PACKET_TRACK, 60).
-define(CLOCKS_CLOCK, 1).
-define(CLOCK_ID, 1).
-define(CLOCK_TIME, 2).
-define(TRACK_UUID, 1).
-define(TRACK_NAME, 2).
-define(TRACK_PROCESS, 3).
-define(TRACK_PARENT, 5).
-define(PROCESS_PID, 1).
-define(PROCESS_NAME, 6).
-define(EVENT_ANNOTATION, 4).
-define(EVENT_TYPE, 9).
-define(EVENT_TRACK, 11).
-define(EVENT_CATEGORY, 22).
-define(EVENT_NAME, 23).
-define(EVENT_FLOW, 47).
-define(ANNOTATION_STRING, 6).
-define(ANNOTATION_NAME, 10).
-define(SLICE_BEGIN, 1).
-define(SLICE_END, 2).
-define(INSTANT, 3).
-define(REALTIME, 1).
-define(BOOTTIME, 6).

-spec open(file:name_all(), map()) -> #p{}.
open(File, #{node := Node, os_pid := OsPid, returns := Returns, began := Began}) ->
    P = #p{file = viv_see_out:open(File), node = Node, spans = viv_see_spans:new(Returns)},
    Process = [number(?PROCESS_PID, OsPid), string(?PROCESS_NAME, atom_to_binary(Node))],
    write([clocks(Began),
           track(?NODE, [string(?TRACK_NAME, atom_to_binary(Node)), message(?TRACK_PROCESS, Process)]),
           track(?SCHEDULERS, [string(?TRACK_NAME, "schedulers"), number(?TRACK_PARENT, ?NODE)])], P).

write(Bytes, P = #p{file = File}) ->
    ok = viv_see_out:write(File, Bytes),
    P.

%% The trace's clock is the time of day. There is one sequence, which begins here.
clocks(Time) ->
    Clocks = [message(?CLOCKS_CLOCK, [number(?CLOCK_ID, Id), number(?CLOCK_TIME, Time)])
              || Id <- [?REALTIME, ?BOOTTIME]],
    packet([number(?PACKET_TIME, Time), number(?PACKET_SEQUENCE_FLAGS, 1), message(?PACKET_CLOCKS, Clocks)]).

packet(Fields) -> message(?TRACE_PACKET, [number(?PACKET_SEQUENCE, 1), Fields]).

track(Uuid, Fields) -> packet(message(?PACKET_TRACK, [number(?TRACK_UUID, Uuid), Fields])).

string(Field, Text) -> message(Field, unicode:characters_to_binary(Text)).

%% --- tracks ---------------------------------------------------------------------------------------------------------

%% Processes that were named after their track was begun are told again.
names(Names, P = #p{names = Before, tracks = Tracks}) ->
    All = maps:merge(Before, maps:from_list(Names)),
    Changed = [{Who, Uuid} || {{calls, Who}, Uuid} <- maps:to_list(Tracks),
                              maps:find(Who, All) =/= maps:find(Who, Before)],
    Named = P#p{names = All},
    write([track(Uuid, descriptor({calls, Who}, ?NODE, Named)) || {Who, Uuid} <- Changed], Named).

descriptor(Track, Parent, P) ->
    [string(?TRACK_NAME, track_name(Track, P)), number(?TRACK_PARENT, Parent)].

track_name({calls, Who}, P) -> name(Who, P);
track_name({runs, _}, _) -> "runs";
track_name({collections, _}, _) -> "collections";
track_name({scheduler, Number}, _) -> io_lib:format("scheduler ~w", [Number]).

name(Who, #p{names = Names, node = Node}) -> viv_see_event:who(Who, Names, Node).

%% -> {Uuid, What is new, P}
uuid(Track, P = #p{tracks = Tracks}) ->
    case Tracks of
        #{Track := Uuid} -> {Uuid, [], P};
        #{} ->
            {Parent, New, #p{tracks = More} = Next} = parent(Track, P),
            Uuid = ?SCHEDULERS + 1 + map_size(More),
            {Uuid, [New, track(Uuid, descriptor(Track, Parent, Next))], Next#p{tracks = More#{Track => Uuid}}}
    end.

parent({calls, _}, P) -> {?NODE, [], P};
parent({scheduler, _}, P) -> {?SCHEDULERS, [], P};
parent({_, Who}, P) -> uuid({calls, Who}, P).

%% --- events ---------------------------------------------------------------------------------------------------------

events(Events, P) ->
    {Packets, Next} = lists:mapfoldl(fun event/2, P, Events),
    write(Packets, Next).

event(#{kind := register, who := Who, parts := [Name]} = Event, P) -> shown(Event, names([{Who, Name}], P));
event(Event, P) -> shown(Event, P).

shown(Event, P = #p{spans = Spans}) ->
    {Steps, Next} = viv_see_spans:step(Event, Spans),
    lists:mapfoldl(fun(Step, Q) -> step(Step, Event, Q) end, P#p{spans = Next}, Steps).

step({open, Track, Name}, Event, P) ->
    {Uuid, New, Next} = uuid(Track, P),
    Fields = [type(?SLICE_BEGIN, Uuid), string(?EVENT_NAME, span_name(Track, Name, P)), category(Track),
              annotations(Track, Event, P)],
    {[New, told(Event, Fields)], Next};
step({close, Track, How}, Event, P) ->
    {Uuid, New, Next} = uuid(Track, P),
    Said = case How of
               told -> annotations(Track, Event, P);
               untold -> annotation("end", "was not told")
           end,
    {[New, told(Event, [type(?SLICE_END, Uuid), Said])], Next};
step(mark, #{who := Who, kind := Kind} = Event, P = #p{messages = Messages, held = Held}) ->
    {Uuid, New, Next} = uuid({calls, Who}, P),
    Fields = [type(?INSTANT, Uuid), string(?EVENT_NAME, viv_see_event:mark(Event)), category(Event),
              annotations(Event, P)],
    case Kind of
        _ when Kind =:= send; Kind =:= 'receive' -> % what it belongs to is known in the end
            Id = length_of(Held),
            {New, Next#p{messages = viv_see_messages:add(Id, Event, Messages),
                         held = [{Id, Event, iolist_to_binary(Fields)} | Held]}};
        _ -> {[New, told(Event, Fields)], Next}
    end.

length_of([{Id, _, _} | _]) -> Id + 1;
length_of([]) -> 1.

told(#{time := Time}, Fields) ->
    packet([number(?PACKET_TIME, Time), message(?PACKET_EVENT, Fields)]).

type(Type, Uuid) -> [number(?EVENT_TYPE, Type), number(?EVENT_TRACK, Uuid)].

span_name({scheduler, _}, Who, P) -> name(Who, P);
span_name({Kind, _}, What, #p{node = Node}) -> viv_see_event:span(Kind, What, Node).

category(#{kind := Kind}) -> string(?EVENT_CATEGORY, atom_to_binary(Kind));
category({Track, _}) -> string(?EVENT_CATEGORY, atom_to_binary(Track)).

%% That a process is on a scheduler says its own track, and what else there is to it.
annotations({scheduler, _}, _, _) -> [];
annotations(_, Event, P) -> annotations(Event, P).

annotations(Event, #p{node = Node}) ->
    [[annotation(Name, viv_see_event:shown(Value))
      || {Name, Value} <- viv_see_event:fields(Event, Node), Name =/= "function"],
     [annotation("scheduler", integer_to_binary(Scheduler)) || #{scheduler := Scheduler} <- [Event]],
     [annotation("from", viv_see_text:term(Sender, Node)) || #{sender := Sender} <- [Event], Sender =/= undefined]].

annotation(Name, Text) ->
    message(?EVENT_ANNOTATION, [string(?ANNOTATION_NAME, Name), string(?ANNOTATION_STRING, Text)]).

dropped(_, _, Of, P = #p{messages = Messages}) -> P#p{messages = viv_see_messages:dropped(Of, Messages)}.

close(P = #p{held = Held, messages = Messages}) ->
    Pairs = viv_see_messages:pairs(Messages),
    Flows = maps:from_list([{Id, Send} || {Send, Receive} <- Pairs, Id <- [Send, Receive]]),
    _ = write([told(Event, [Fields | [fixed64(?EVENT_FLOW, Flow) || {ok, Flow} <- [maps:find(Id, Flows)]]])
               || {Id, Event, Fields} <- lists:reverse(Held)], P),
    ok.
