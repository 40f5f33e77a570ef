%% viv trace as a page: a row for each scheduler, with whom it runs, and for each process and port, with its slices,
%% collections, calls and marks, and messages as arrows. The page is lib/see/timeline.html with what it includes. What
%% goes there is packed (deflated, in base64), as to read a page takes time for each of its characters:
%%
%%   @@DATA@@     names, and what is told of the whole
%%   @@ITEMS@@    columns of numbers, those of the items by their starts, then both ends of each arrow
%%   @@DETAILS@@  a line for each item, in blocks of LINES, in the order in which the items were over. They stand behind
%%                the script, which draws before they are read; a block is unpacked when one of it is pointed at.
-module(viv_see_timeline).
-export([open/2, names/2, events/2, dropped/4, close/1]).

-record(t, {file, node, base, names = #{}, rows = #{}, spans, open = #{}, messages = viv_see_messages:new(),
            items = [], lines = [], blocks = [], count = 0, texts = #{}, last = 0, dropped = 0}).
-define(LINES, 1024). % so many does lib/see/timeline/items.js expect
-define(RUN, 0).
-define(COLLECTION, 1).
-define(CALL, 2).
-define(MARK, 3).
-define(SEND, 4).
-define(RECEIVE, 5).

-spec open(file:name_all(), map()) -> #t{}.
open(File, #{node := Node, returns := Returns, began := Began}) ->
    #t{file = viv_see_out:open(File), node = Node, base = Began, spans = viv_see_spans:new(Returns)}.

names(Names, T = #t{names = Before}) -> T#t{names = maps:merge(Before, maps:from_list(Names))}.

dropped(Count, _, Of, T = #t{messages = Messages, dropped = Dropped}) ->
    T#t{messages = viv_see_messages:dropped(Of, Messages), dropped = Dropped + Count}.

events(Events, T) -> lists:foldl(fun event/2, T, Events).

event(#{who := Who, kind := Kind, parts := Parts, time := Time} = Event,
      T = #t{spans = Spans, last = Last, base = Base}) ->
    Named = case {Kind, Parts} of
                {register, [Name]} -> names([{Who, Name}], T);
                _ -> T
            end,
    {Steps, Next} = viv_see_spans:step(Event, Spans),
    lists:foldl(fun(Step, U) -> step(Step, Event, U) end, Named#t{spans = Next, last = max(Last, Time - Base)}, Steps).

step({open, {Kind, _} = Track, Name}, #{time := Time} = Event, T = #t{open = Open, base = Base, node = Node}) ->
    {Shown, Detail} = case Kind of
                          scheduler -> {name(Name, T), <<>>};
                          _ -> {bytes(viv_see_event:span(Kind, Name, Node)), bytes(detail(Event, T))}
                      end,
    Outer = maps:get(Track, Open, []),
    T#t{open = Open#{Track => [{depth(Outer), Time - Base, Shown, Detail} | Outer]}};
step({close, Track, How}, #{time := Time} = Event, T = #t{open = Open, base = Base}) ->
    #{Track := [{Depth, Start, Name, Detail} | Others]} = Open,
    Rest = T#t{open = case Others of
                          [] -> maps:remove(Track, Open);
                          _ -> Open#{Track => Others}
                      end},
    case How of
        told -> item(Track, Depth, Start, Time - Base - Start, Name, [Detail, end_of(Track, Event, T)], Rest);
        untold -> item(Track, Depth, Start, -1, Name, [Detail, "; its end was not told"], Rest)
    end;
step(mark, #{time := Time, who := Who, kind := Kind} = Event, T = #t{messages = Messages, count = Id, base = Base}) ->
    T1 = item({mark(Kind), Who}, 0, Time - Base, -1, bytes(viv_see_event:mark(Event)), detail(Event, T), T),
    T1#t{messages = viv_see_messages:add(Id, Event, Messages)}.

%% Kept with the span: what calls itself last, over and over, is open so many times.
depth([]) -> 0;
depth([{Depth, _, _, _} | _]) -> Depth + 1.

bytes(Text) -> unicode:characters_to_binary(Text).

mark(send) -> ?SEND;
mark('receive') -> ?RECEIVE;
mark(_) -> ?MARK.

detail(Event, T = #t{node = Node}) ->
    [fields(Event, T), [[" on scheduler ", integer_to_list(S)] || #{scheduler := S} <- [Event], S > 0],
     [[" from ", viv_see_text:term(From, Node)] || #{sender := From} <- [Event], From =/= undefined]].

fields(Event, #t{node = Node}) ->
    lists:join("; ", [[Name, " ", viv_see_event:shown(Value)]
                      || {Name, Value} <- viv_see_event:fields(Event, Node), Name =/= "function"]).

end_of({calls, _}, Event, T) -> [" -> ", fields(Event, T)];
end_of(_, _, _) -> "".

item({Kind, Who} = Track, Depth, Start, Duration, Name, Detail, T = #t{items = Items, lines = Lines, count = Count}) ->
    {Row, T1} = row(case Kind of
                        scheduler -> Track;
                        _ -> Who
                    end, T),
    {Text, T2} = text(Name, T1),
    Line = binary:replace(bytes(Detail), <<"\n">>, <<" ">>, [global]),
    Told = {Start, Count, Duration, Row, kind(Kind), min(Depth, 255), Text},
    full(T2#t{items = [Told | Items], lines = [Line | Lines], count = Count + 1}).

full(T = #t{count = Count}) when Count rem ?LINES =:= 0 -> block(T);
full(T) -> T.

block(T = #t{lines = Lines, blocks = Blocks}) ->
    T#t{lines = [], blocks = [[packed(lists:join($\n, lists:reverse(Lines))), $\n] | Blocks]}.

packed(Bytes) -> base64:encode(zlib:compress(Bytes)).

kind(runs) -> ?RUN;
kind(scheduler) -> ?RUN;
kind(collections) -> ?COLLECTION;
kind(calls) -> ?CALL;
kind(Kind) -> Kind.

row(Who, T = #t{rows = Rows}) ->
    case Rows of
        #{Who := Row} -> {Row, T};
        #{} -> {map_size(Rows), T#t{rows = Rows#{Who => map_size(Rows)}}}
    end.

text(Text, T = #t{texts = Texts}) ->
    case Texts of
        #{Text := Number} -> {Number, T};
        #{} -> {map_size(Texts), T#t{texts = Texts#{Text => map_size(Texts)}}}
    end.

%% What is open at the end is shown until there.
close(T = #t{open = Open, last = Last}) ->
    Still = [{Track, Span} || {Track, Spans} <- maps:to_list(Open), Span <- lists:reverse(Spans)],
    write(block(lists:foldl(fun({Track, {Depth, Start, Name, Detail}}, U) ->
                                    item(Track, Depth, Start, max(0, Last - Start), Name,
                                         [Detail, "; not over when the trace ended"], U)
                            end, T, Still))).

write(T = #t{file = File, items = Unsorted, blocks = Blocks, rows = Rows, messages = Messages}) ->
    [Head, Middle, Next, Tail] = viv_page:parts('see/timeline.html',
                                                [<<"@@DATA@@">>, <<"@@ITEMS@@">>, <<"@@DETAILS@@">>]),
    Items = lists:sort(Unsorted),
    Order = [Row || {_, Row} <- lists:sort([{above(Who), Row} || {Who, Row} <- maps:to_list(Rows)])],
    Arrows = arrows(viv_see_messages:pairs(Messages), Items),
    ok = viv_see_out:write(File, [Head, viv_json:encode(data(Order, length(Arrows), T)), Middle,
                                  packed(columns(Items, Order, Arrows)), Next, lists:reverse(Blocks), Tail]).

data(Order, Arrows, #t{node = Node, base = Base, rows = Rows, texts = Texts, last = Last, dropped = Dropped,
                       count = Count} = T) ->
    Whose = list_to_tuple(in_order(Rows)),
    #{node => atom_to_binary(Node), began => Base div 1000000, last => Last, count => Count, dropped => Dropped,
      rows => [name(element(Row + 1, Whose), T) || Row <- Order], names => in_order(Texts), arrows => Arrows}.

%% Both ends of each, as places among the items.
arrows([], _) -> [];
arrows(Pairs, Items) ->
    Ends = maps:from_list([{element(2, Item), I} || {I, Item} <- lists:enumerate(0, Items)]),
    lists:sort([{maps:get(A, Ends), maps:get(B, Ends)} || {A, B} <- Pairs]).

columns(Items, Order, Arrows) ->
    Places = maps:from_list([{Row, Place} || {Place, Row} <- lists:enumerate(0, Order)]),
    [column(fun({_, _, _, Row, _, _, _}) -> map_get(Row, Places) end, Items),
     column(fun({_, _, _, _, _, _, Text}) -> Text end, Items),
     column(fun({Start, _, _, _, _, _, _}) -> Start end, Items),
     column(fun({_, _, _, _, Kind, _, _}) -> Kind end, Items),
     column(fun({_, _, _, _, _, Depth, _}) -> Depth end, Items),
     grouped(Items, #{}, <<>>, <<>>),
     column(fun({From, _}) -> From end, Arrows), column(fun({_, To}) -> To end, Arrows)].

%% Differences, as they are small: what has a sign has it in its lowest bit.
column(Of, Things) -> column(Of, Things, 0, <<>>).

column(Of, [Thing | Things], Before, Bytes) ->
    Value = Of(Thing),
    column(Of, Things, Value, number(signed(Value - Before), Bytes));
column(_, [], _, Bytes) -> Bytes.

%% How long an item was and where its line is: as the one before it in the row that is called so.
grouped([{_, Line, Duration, Row, _, _, Text} | Items], Groups, Durations, Lines) ->
    {DurationBefore, LineBefore} = maps:get({Row, Text}, Groups, {0, 0}),
    grouped(Items, Groups#{{Row, Text} => {Duration, Line}}, number(signed(Duration - DurationBefore), Durations),
            number(signed(Line - LineBefore), Lines));
grouped([], _, Durations, Lines) -> [Durations, Lines].

signed(N) when N >= 0 -> N bsl 1;
signed(N) -> (-N bsl 1) - 1.

%% Seven bits in each byte, the lowest first; all but the last have the eighth.
number(N, Bytes) when N < 128 -> <<Bytes/binary, N>>;
number(N, Bytes) -> number(N bsr 7, <<Bytes/binary, 1:1, N:7>>).

in_order(Numbers) -> [What || {_, What} <- lists:sort([{Number, What} || {What, Number} <- maps:to_list(Numbers)])].

%% Schedulers, by number, then the others as they came.
above({scheduler, Number}) -> {0, Number};
above(_) -> {1, 0}.

name({scheduler, Number}, _) -> <<"scheduler ", (integer_to_binary(Number))/binary>>;
name(Who, #t{names = Names, node = Node}) -> unicode:characters_to_binary(viv_see_event:who(Who, Names, Node)).
