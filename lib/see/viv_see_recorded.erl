%% The text of a flight recorder (src/process/recorder_text.h), read line by line. What a crash or a full disk has left
%% of it may end anywhere: a line that is not whole, or not what it should be, is passed over and counted.
-module(viv_see_recorded).
-export([read/1]).
-export_type([recorded/0, event/0]).

-type event() :: {Nanoseconds :: integer(), Scheduler :: integer(), Process :: binary(), Kind :: binary(),
                  Fields :: [integer() | binary()]}.
%% Events in the order of their times; when it was written, or `unknown`; of each ring how many were ever written, and
%% missed; and how many lines were passed over.
-type recorded() :: #{events := [event()], written := integer() | unknown,
                      rings := [{Written :: integer(), Missed :: integer()}], passed_over := non_neg_integer()}.

-spec read(binary()) -> {ok, recorded()} | {error, nothing | newer}.
read(Text) ->
    case [binary:split(Line, <<"\t">>, [global]) || Line <- lines(Text)] of
        [[<<"viv recorder">>, <<"1">>] | Lines] -> {ok, read(Lines, rest(Text))};
        [[<<"viv recorder">>, _] | _] -> {error, newer};
        _ -> {error, nothing}
    end.

%% Behind the last end of a line stands what is no line.
lines(Text) -> lists:droplast(binary:split(Text, <<"\n">>, [global])).

rest(Text) ->
    case Text =:= <<>> orelse binary:last(Text) =:= $\n of
        true -> 0;
        false -> 1
    end.

read(Lines, Rest) ->
    Read = lists:map(fun line/1, Lines),
    #{events => lists:sort([Event || {event, Event} <- Read]), rings => [Ring || {ring, Ring} <- Read],
      written => hd([Time || {written, Time} <- Read] ++ [unknown]),
      passed_over => Rest + length([bad || bad <- Read])}.

line(Words) ->
    try read_line(Words)
    catch throw:bad -> bad
    end.

read_line([<<"written">>, Time]) -> {written, time(Time)};
read_line([<<"events">> | _]) -> about;
read_line([<<"records">>, Capacity]) -> {about, number(Capacity)};
read_line([<<"ring">>, Number, Written, Missed]) ->
    _ = number(Number),
    {ring, {number(Written), number(Missed)}};
read_line([Time, Scheduler, Process, Kind | Fields]) ->
    {event, {time(Time), number(Scheduler), text(Process), Kind, fields(kinds(Kind), Fields)}};
read_line(_) -> throw(bad).

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
number(Field) when byte_size(Field) =< 20 ->
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
