%% viv trace as a trace of the Common Trace Format 1.8 (diamon.org/ctf): a folder with `metadata` and stream files, for
%% babeltrace2 and what else reads it. An event has the fields of its object in .json, as strings, and in its context
%% process and scheduler.
%%
%% Times of a stream never go back, but events of several processes come in any order. So an event goes to the first
%% stream that has nothing later, and if there is none, to a new one: as many streams as events overtake one another at
%% once, and nothing waits. A time has 32 bits within a packet, which begins with one of 64: what comes 2^32 ns
%% later, or more, begins a packet. Classes of events are written when the first of them comes.
-module(viv_see_ctf).
-export([open/2, names/2, events/2, dropped/4, close/1]).

-record(stream, {number, file, last = 0, from, events = [], size = 0}).
-record(c, {folder, metadata, node, base, uuid, classes = #{}, streams = [], discarded = 0}).
-define(MAGIC, 16#C1FC1FC1).
-define(PACKET, 65536). % bytes of events from which on a packet is full
-define(WRAP, 16#100000000).
-define(HEADER_BYTES, 68). % of a packet

-spec open(file:name_all(), map()) -> #c{}.
open(Folder, #{node := Node, os_pid := OsPid, began := Began}) ->
    empty(Folder),
    Uuid = erlang:md5(term_to_binary({Node, OsPid, Began, os:getpid(), make_ref()})),
    Metadata = viv_see_out:open(filename:join(Folder, "metadata")),
    C = #c{folder = Folder, metadata = Metadata, node = Node, base = Began, uuid = Uuid},
    viv_see_out:write(Metadata, head(C, OsPid)),
    added(new_stream(C), C).

%% A trace that was there makes room; what else is there is left alone.
empty(Folder) ->
    case file:list_dir(Folder) of
        {ok, Names} ->
            [file:delete(filename:join(Folder, Name))
             || lists:member("metadata", Names), "stream_" ++ _ = Name <- ["stream_metadata" | Names]],
            [throw({see, [Folder, ": the folder has something else in it"]})
             || Names =/= [], not lists:member("metadata", Names)],
            ok;
        {error, _} ->
            case file:make_dir(Folder) of
                ok -> ok;
                {error, Reason} -> throw({see, [Folder, ": ", file:format_error(Reason)]})
            end
    end.

%% --- metadata -------------------------------------------------------------------------------------------------------

head(#c{node = Node, base = Base, uuid = Uuid}, OsPid) ->
    Text = uuid_text(Uuid),
    ["/* CTF 1.8 */\n"
     "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
     "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
     "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
     "trace {\n  major = 1;\n  minor = 8;\n  uuid = \"", Text, "\";\n  byte_order = le;\n"
     "  packet.header := struct {\n    uint32_t magic;\n"
     "    integer { size = 8; align = 8; signed = false; } uuid[16];\n"
     "    uint32_t stream_id;\n    uint64_t stream_instance_id;\n  };\n};\n"
     "env {\n  tracer_name = \"viv\";\n  node = ", quoted(atom_to_binary(Node)), ";\n",
     io_lib:format("  pid = ~w;\n};\n", [OsPid]),
     "clock {\n  name = \"system\";\n  description = \"the node's system time\";\n  freq = 1000000000;\n",
     io_lib:format("  offset_s = ~w;\n  offset = ~w;\n};\n", [Base div 1000000000, Base rem 1000000000]),
     "typealias integer { size = 32; align = 8; signed = false; map = clock.system.value; } := time32_t;\n"
     "typealias integer { size = 64; align = 8; signed = false; map = clock.system.value; } := time64_t;\n"
     "stream {\n  id = 0;\n"
     "  packet.context := struct {\n    time64_t timestamp_begin;\n    time64_t timestamp_end;\n"
     "    uint64_t content_size;\n    uint64_t packet_size;\n    uint32_t events_discarded;\n  };\n"
     "  event.header := struct {\n    uint16_t id;\n    time32_t timestamp;\n  };\n"
     "  event.context := struct {\n    string _process;\n    uint16_t _scheduler;\n  };\n};\n"].

uuid_text(<<A:32, B:16, C:16, D:16, E:48>>) ->
    io_lib:format("~8.16.0b-~4.16.0b-~4.16.0b-~4.16.0b-~12.16.0b", [A, B, C, D, E]).

quoted(Text) -> [$", [escaped(Byte) || <<Byte>> <= Text], $"].

escaped(Byte) when Byte =:= $"; Byte =:= $\\ -> [$\\, Byte];
escaped(Byte) -> Byte.

class(Kind, Fields, C = #c{classes = Classes, metadata = Metadata}) ->
    Key = {Kind, [{Name, is_tuple(Value)} || {Name, Value} <- Fields]},
    case Classes of
        #{Key := Id} -> {Id, C};
        #{} ->
            Id = map_size(Classes),
            viv_see_out:write(Metadata, ["event {\n", io_lib:format("  id = ~w;\n", [Id]),
                                         "  name = ", quoted(atom_to_binary(Kind)), ";\n  stream_id = 0;\n"
                                         "  fields := struct {\n", [member(Field) || Field <- Fields], "  };\n};\n"]),
            {Id, C#c{classes = Classes#{Key => Id}}}
    end.

member({Name, {list, _}}) -> ["    uint16_t __", Name, "_length;\n    string _", Name, "[__", Name, "_length];\n"];
member({Name, _}) -> ["    string _", Name, ";\n"].

%% --- streams --------------------------------------------------------------------------------------------------------

names(_, C) -> C.

events(Events, C) -> lists:foldl(fun event/2, C, Events).

event(Event = #{time := Time, who := Who, kind := Kind}, C = #c{node = Node, base = Base}) ->
    Fields = viv_see_event:fields(Event, Node),
    {Id, Known} = class(Kind, Fields, C),
    At = max(0, Time - Base), % the clock was read before anything was traced
    Bytes = iolist_to_binary([<<Id:16/little, At:32/little>>, string(viv_see_text:term(Who, Node)),
                              <<(maps:get(scheduler, Event, 0)):16/little>> | [value(Value) || {_, Value} <- Fields]]),
    into(At, Bytes, Known).

value({list, Texts}) -> [<<(length(Texts)):16/little>> | [string(Text) || Text <- Texts]];
value(Text) -> string(Text).

%% A string ends with its first zero byte; no term's text has one.
string(Text) -> [binary:replace(unicode:characters_to_binary(Text), <<0>>, <<>>, [global]), 0].

%% The first that has nothing later: their last times fall.
into(At, Bytes, C = #c{streams = Streams}) ->
    case lists:splitwith(fun(#stream{last = Last}) -> Last > At end, Streams) of
        {Later, [Stream | Others]} -> C#c{streams = Later ++ [put_in(At, Bytes, Stream, C) | Others]};
        {_, []} ->
            Stream = new_stream(C),
            added(put_in(At, Bytes, Stream, C), C)
    end.

new_stream(#c{folder = Folder, streams = Streams}) ->
    Number = length(Streams),
    #stream{number = Number, file = viv_see_out:open(filename:join(Folder, ["stream_", integer_to_list(Number)]))}.

added(Stream, C = #c{streams = Streams}) -> C#c{streams = Streams ++ [Stream]}.

put_in(At, Bytes, S = #stream{from = undefined}, _) ->
    S#stream{from = At, last = At, events = [Bytes], size = byte_size(Bytes)};
put_in(At, Bytes, S = #stream{last = Last, size = Size}, C) when At - Last >= ?WRAP; Size >= ?PACKET ->
    put_in(At, Bytes, packed(S, C), C);
put_in(At, Bytes, S = #stream{events = Events, size = Size}, _) ->
    S#stream{last = At, events = [Bytes | Events], size = Size + byte_size(Bytes)}.

packed(S = #stream{from = undefined}, _) -> S;
packed(S = #stream{file = File, number = Number, from = From, last = Last, events = Events,
                   size = Size}, #c{uuid = Uuid, discarded = Discarded}) ->
    Bits = (?HEADER_BYTES + Size) * 8,
    Lost = case Number of
               0 -> Discarded band 16#FFFFFFFF; % it counts for all
               _ -> 0
           end,
    ok = viv_see_out:write(File, [<<?MAGIC:32/little>>, Uuid, <<0:32, Number:64/little, From:64/little, Last:64/little,
                                    Bits:64/little, Bits:64/little, Lost:32/little>> | lists:reverse(Events)]),
    S#stream{from = undefined, events = [], size = 0}.

%% A packet tells how many were lost until it ends.
dropped(Count, _, _, C = #c{discarded = Discarded, streams = Streams}) ->
    Lost = C#c{discarded = Discarded + Count},
    Lost#c{streams = [case S of
                          #stream{number = 0} -> packed(S, Lost);
                          _ -> S
                      end || S <- Streams]}.

close(C = #c{streams = Streams}) ->
    [packed(Stream, C) || Stream <- Streams],
    ok.
