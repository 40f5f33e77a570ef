%% The text of a flight recorder (src/process/recorder_text.h), taken as it comes, in parts of any size. What a crash or
%% a full disk has left of it may end anywhere: a line that is not whole, or not what it should be, is passed over and
%% counted.
%%
%% There may be millions of records: until it is their turn they stay the text that they came as, in stretches in which
%% no time is less than the one before. Each ring is such a stretch, or a few, where threads share it; fold/3 merges
%% them, and reads a line only then.
-module(viv_see_recorded).
-export([new/0, add/2, told/1, fold/3]).
-export_type([text/0, told/0, event/0]).

-type event() :: {Nanoseconds :: integer(), Scheduler :: integer(), Process :: binary(), Kind :: binary(),
                  Fields :: [integer() | binary()]}.
%% When it was written, or `unknown`; of each ring how many were ever written, and missed; and how many lines beside
%% records were passed over.
-type told() :: #{written := integer() | unknown, rings := [{Written :: integer(), Missed :: integer()}],
                  passed_over := non_neg_integer()}.

%% `open` is the last stretch, the last piece first; `last` the time of its last line; `rest` what is no whole line yet.
-record(text, {version = none, rest = <<>>, stretches = [], open = [], last = 0, written = unknown, rings = [],
               bad = 0, skips = false}).
-opaque text() :: #text{}.
-type acc() :: term().
-define(LONGEST, 20). % digits of a number that was written
-define(LONGEST_LINE, 65536). % bytes: a longer one is no line, and passed over

-spec new() -> text().
new() -> #text{}.

-spec add(binary(), text()) -> text().
add(_, T = #text{version = {error, _}}) -> T;
add(Part, T = #text{skips = true}) ->
    case binary:match(Part, <<"\n">>) of
        nomatch -> T;
        {At, 1} -> add(part(Part, At + 1, byte_size(Part)), T#text{skips = false})
    end;
add(Part, T = #text{rest = Rest}) ->
    Bytes = case Rest of
                <<>> -> Part;
                _ -> iolist_to_binary([Rest, Part])
            end,
    scan(Bytes, 0, 0, T).

-spec told(text()) -> {ok, told()} | {error, nothing | newer}.
told(#text{version = none}) -> {error, nothing};
told(#text{version = {error, _} = Error}) -> Error;
told(#text{written = Written, rings = Rings, bad = Bad, rest = Rest}) ->
    {ok, #{written => Written, rings => lists:reverse(Rings), passed_over => Bad + length([cut || Rest =/= <<>>])}}.

%% --- lines as they come ---------------------------------------------------------------------------------------------

%% From `Start` on there are lines of the last stretch, up to the one that begins at `At`.
scan(Bytes, Start, At, T = #text{last = Last}) ->
    case {binary:match(Bytes, <<"\n">>, [{scope, {At, byte_size(Bytes) - At}}]), begins(Bytes, At, T)} of
        {nomatch, _} -> left(binary:copy(part(Bytes, At, byte_size(Bytes))), piece(Bytes, Start, At, T));
        {{End, 1}, Time} when is_integer(Time), Time >= Last -> scan(Bytes, Start, End + 1, T#text{last = Time});
        {{End, 1}, Time} when is_integer(Time) ->
            scan(Bytes, At, End + 1, (closed(piece(Bytes, Start, At, T)))#text{last = Time});
        {{End, 1}, none} ->
            Words = words(part(Bytes, At, End)),
            case about(Words, piece(Bytes, Start, At, T)) of
                #text{version = {error, _}} = Unknown -> Unknown;
                Next -> scan(Bytes, End + 1, End + 1, Next)
            end
    end.

left(Rest, T = #text{bad = Bad}) when byte_size(Rest) > ?LONGEST_LINE ->
    T#text{rest = <<>>, bad = Bad + 1, skips = true};
left(Rest, T) -> T#text{rest = Rest}.

begins(_, _, #text{version = none}) -> none;
begins(Bytes, At, _) ->
    <<_:At/binary, Line/binary>> = Bytes,
    time_of(Line).

%% What a line begins with, if with a digit. One of more digits than a time has is no record, wherever it stands.
time_of(<<C, Rest/binary>>) when C >= $0, C =< $9 -> digits(Rest, C - $0, ?LONGEST - 1);
time_of(_) -> none.

digits(<<C, Rest/binary>>, Number, Left) when C >= $0, C =< $9, Left > 0 ->
    digits(Rest, 10 * Number + C - $0, Left - 1);
digits(_, Number, _) -> Number.

piece(_, Same, Same, T) -> T;
piece(Bytes, Start, At, T = #text{open = Open}) -> T#text{open = [part(Bytes, Start, At) | Open], rest = <<>>}.

part(Bytes, From, To) -> binary:part(Bytes, From, To - From).

closed(T = #text{open = []}) -> T;
closed(T = #text{open = Open, stretches = Stretches}) ->
    T#text{stretches = [lists:reverse(Open) | Stretches], open = []}.

about([<<"viv recorder">>, <<"1">>], T = #text{version = none}) -> T#text{version = 1};
about([<<"viv recorder">>, _], T = #text{version = none}) -> T#text{version = {error, newer}};
about(_, T = #text{version = none}) -> T#text{version = {error, nothing}};
about(Words, T = #text{written = Written, rings = Rings, bad = Bad}) ->
    case line(Words, fun read_about/1) of
        {written, Time} when Written =:= unknown -> T#text{written = Time};
        {ring, Ring} -> T#text{rings = [Ring | Rings]};
        bad -> T#text{bad = Bad + 1};
        _ -> T
    end.

read_about([<<"written">>, Time]) -> {written, time(Time)};
read_about([<<"events">> | _]) -> known;
read_about([<<"records">>, Capacity]) -> {known, number(Capacity)};
read_about([<<"ring">>, Number, Written, Missed]) ->
    _ = number(Number),
    {ring, {number(Written), number(Missed)}};
read_about(_) -> throw(bad).

%% --- in the order of their times ------------------------------------------------------------------------------------

%% Of one time they come in the order of terms. Also how many lines were passed over.
-spec fold(fun((event(), acc()) -> acc()), acc(), text()) -> {acc(), PassedOver :: non_neg_integer()}.
fold(Do, Acc, T) ->
    #text{stretches = Stretches} = closed(T),
    Numbered = lists:zip(lists:seq(1, length(Stretches)), Stretches),
    Waiting = gb_sets:from_list([{time_of(First), Number, First, Pieces} || {Number, [First | Pieces]} <- Numbered]),
    merge(Waiting, 0, [], 0, Do, Acc).

%% `Together` are events of the time `Now`, and there may be more of it.
merge(Waiting, Now, Together, Bad, Do, Acc) ->
    case gb_sets:is_empty(Waiting) of
        true -> {lists:foldl(Do, Acc, lists:sort(Together)), Bad};
        false ->
            {{Time, Number, Lines, Pieces}, Others} = gb_sets:take_smallest(Waiting),
            [Line, Rest] = binary:split(Lines, <<"\n">>),
            Event = line(words(Line), fun read_event/1),
            Next = waits(Number, Rest, Pieces, Others),
            case Event of
                bad -> merge(Next, Now, Together, Bad + 1, Do, Acc);
                _ when Time =:= Now -> merge(Next, Now, [Event | Together], Bad, Do, Acc);
                _ -> merge(Next, Time, [Event], Bad, Do, lists:foldl(Do, Acc, lists:sort(Together)))
            end
    end.

waits(_, <<>>, [], Waiting) -> Waiting;
waits(Number, <<>>, [Piece | Pieces], Waiting) -> waits(Number, Piece, Pieces, Waiting);
waits(Number, Lines, Pieces, Waiting) -> gb_sets:add_element({time_of(Lines), Number, Lines, Pieces}, Waiting).

%% --- a line ---------------------------------------------------------------------------------------------------------

words(Line) -> binary:split(Line, <<"\t">>, [global]).

line(Words, Read) ->
    try Read(Words)
    catch throw:bad -> bad
    end.

read_event([Time, Scheduler, Process, Kind | Fields]) ->
    {time(Time), number(Scheduler), text(Process), Kind, fields(kinds(Kind), Fields)};
read_event(_) -> throw(bad).

kinds(<<"ran">>) -> [number, text, text];
kinds(<<"runs">>) -> [number];
kinds(<<"spawn">>) -> [text, text];
kinds(<<"exit">>) -> [text];
kinds(Kind) when Kind =:= <<"register">>; Kind =:= <<"unregister">> -> [text, text];
kinds(Kind) when Kind =:= <<"minor">>; Kind =:= <<"major">> -> [number, number];
kinds(Kind) when Kind =:= <<"send">>; Kind =:= <<"receive">> -> [text, text];
kinds(_) -> throw(bad).

fields([number | Kinds], [Field | Fields]) -> [number(Field) | fields(Kinds, Fields)];
fields([text | Kinds], [Field | Fields]) -> [text(Field) | fields(Kinds, Fields)];
fields([], []) -> [];
fields(_, _) -> throw(bad).

time(Field) ->
    case number(Field) of
        Time when Time >= 0 -> Time;
        _ -> throw(bad)
    end.

%% As many digits as one has that was written.
number(Field) when byte_size(Field) =< ?LONGEST ->
    try binary_to_integer(Field)
    catch error:badarg -> throw(bad)
    end;
number(_) -> throw(bad).

text(<<>>) -> throw(bad);
text(Field) ->
    case unicode:characters_to_binary(Field) of
        Field -> Field;
        _ -> throw(bad)
    end.
