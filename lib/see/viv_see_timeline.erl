%% viv trace as a page: a row for each scheduler, with whom it runs, and for each process and port, with its slices,
%% collections, calls and marks, and messages as arrows. The page is lib/see/timeline.html with what it includes; there,
%% where it says @@DATA@@ and @@DETAILS@@, go columns of numbers and a line for each item, which is looked at when
%% somebody points at it.
-module(viv_see_timeline).
-export([open/2, names/2, events/2, dropped/4, close/1]).

-record(t, {file, node, base, names = #{}, rows = #{}, spans, open = #{}, messages = viv_see_messages:new(),
            items = [], count = 0, texts = #{}, last = 0, dropped = 0}).
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
    Span = case Kind of
               scheduler -> {Time - Base, name(Name, T), ""};
               _ -> {Time - Base, viv_see_event:span(Kind, Name, Node), detail(Event, T)}
           end,
    T#t{open = Open#{Track => [Span | maps:get(Track, Open, [])]}};
step({close, Track, How}, #{time := Time} = Event, T = #t{open = Open, base = Base}) ->
    #{Track := [{Start, Name, Detail} | Others]} = Open,
    Rest = T#t{open = case Others of
                          [] -> maps:remove(Track, Open);
                          _ -> Open#{Track => Others}
                      end},
    case How of
        told -> item(Track, length(Others), Start, Time - Base - Start, Name, [Detail, end_of(Track, Event, T)], Rest);
        untold -> item(Track, length(Others), Start, -1, Name, [Detail, "; its end was not told"], Rest)
    end;
step(mark, #{time := Time, who := Who, kind := Kind} = Event, T = #t{messages = Messages, count = Id, base = Base}) ->
    T1 = item({mark(Kind), Who}, 0, Time - Base, -1, viv_see_event:mark(Event), detail(Event, T), T),
    T1#t{messages = viv_see_messages:add(Id, Event, Messages)}.

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

item({Kind, Who} = Track, Depth, Start, Duration, Name, Detail, T = #t{items = Items, count = Count}) ->
    {Row, T1} = row(case Kind of
                        scheduler -> Track;
                        _ -> Who
                    end, T),
    {Text, T2} = text(unicode:characters_to_binary(Name), T1),
    Line = binary:replace(unicode:characters_to_binary(Detail), [<<"\n">>, <<1>>], <<" ">>, [global]),
    Told = {Start, Count, Duration, Row, kind(Kind), min(Depth, 255), Text,
            binary:replace(Line, <<"<">>, <<1>>, [global])}, % nothing in it ends the element
    T2#t{items = [Told | Items], count = Count + 1}.

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
    Still = [{Track, Depth - 1, Span} || {Track, Spans} <- maps:to_list(Open),
                                         {Depth, Span} <- lists:enumerate(lists:reverse(Spans))],
    write(lists:foldl(fun({Track, Depth, {Start, Name, Detail}}, U) ->
                              item(Track, Depth, Start, max(0, Last - Start), Name,
                                   [Detail, "; not over when the trace ended"], U)
                      end, T, Still)).

write(T = #t{file = File, items = Unsorted}) ->
    [Head, Middle, Tail] = viv_page:parts('see/timeline.html', [<<"@@DATA@@">>, <<"@@DETAILS@@">>]),
    Items = lists:sort(Unsorted),
    ok = viv_see_out:write(File, [Head, viv_json:encode(data(Items, T)), Middle,
                                  lists:join($\n, [element(8, Item) || Item <- Items]), Tail]).

data(Items, T = #t{node = Node, base = Base, rows = Rows, texts = Texts, messages = Messages, last = Last,
                   dropped = Dropped}) ->
    Pairs = viv_see_messages:pairs(Messages),
    Ends = case Pairs of
               [] -> #{};
               _ -> maps:from_list([{element(2, Item), I} || {I, Item} <- lists:enumerate(0, Items)])
           end,
    Whose = list_to_tuple(in_order(Rows)),
    Order = [Row || {_, Row} <- lists:sort([{above(Who), Row} || {Who, Row} <- maps:to_list(Rows)])],
    Places = maps:from_list([{Row, Place} || {Place, Row} <- lists:enumerate(0, Order)]),
    #{node => atom_to_binary(Node), began => Base div 1000000, last => Last, count => length(Items), dropped => Dropped,
      rows => [name(element(Row + 1, Whose), T) || Row <- Order], names => in_order(Texts),
      starts => base64:encode(<< <<(element(1, I)):64/float-little>> || I <- Items >>),
      durations => base64:encode(<< <<(element(3, I)):64/float-little>> || I <- Items >>),
      row => base64:encode(<< <<(map_get(element(4, I), Places)):32/little>> || I <- Items >>),
      kind => base64:encode(<< <<(element(5, I))>> || I <- Items >>),
      depth => base64:encode(<< <<(element(6, I))>> || I <- Items >>),
      name => base64:encode(<< <<(element(7, I)):32/little>> || I <- Items >>),
      arrows => base64:encode(<< <<(maps:get(Id, Ends)):32/little>> || {A, B} <- Pairs, Id <- [A, B] >>)}.

in_order(Numbers) -> [What || {_, What} <- lists:sort([{Number, What} || {What, Number} <- maps:to_list(Numbers)])].

%% Schedulers, by number, then the others as they came.
above({scheduler, Number}) -> {0, Number};
above(_) -> {1, 0}.

name({scheduler, Number}, _) -> <<"scheduler ", (integer_to_binary(Number))/binary>>;
name(Who, #t{names = Names, node = Node}) -> unicode:characters_to_binary(viv_see_event:who(Who, Names, Node)).
