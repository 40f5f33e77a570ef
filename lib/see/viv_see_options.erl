%% The words behind a command: options, in any order and place, and others.
%%
%% Known options: #{"--name" => Kind}; each command has one such table, of which completions in the shell are made, too
%% (viv_see_completion). One with a value stands there once, unless it is {many, Kind}. A file, one of these words, or
%% what a process or a table is called are strings here. What is wrong is thrown as {usage, Text}.
-module(viv_see_options).
-export([parse/2, files/1, target/1, interval/1]).
-export_type([kind/0]).

-type kind() :: flag | string | count | time | file | folder | process | {words, [string()]} | {many, kind()}.
-spec parse([string()], #{string() => kind()}) -> {Options :: [{string(), term()}], Words :: [string()]}.
parse(Arguments, Known) -> parse(Arguments, Known, [], []).

parse(["--" | Rest], _, Options, Words) -> {lists:reverse(Options), lists:reverse(Words) ++ Rest};
parse([[$-, _ | _] = Word | Rest], Known, Options, Words) ->
    {Name, Own} = case string:split(Word, "=") of
                      [Before, After] when hd(tl(Word)) =:= $- -> {Before, [After]};
                      _ -> {Word, []}
                  end,
    case {Known, Own, Rest} of
        {#{Name := flag}, [], _} -> parse(Rest, Known, [{Name, true} | Options], Words);
        {#{Name := flag}, _, _} -> usage("~ts takes no value", [Name]);
        {#{Name := Kind}, [Value], _} -> parse(Rest, Known, [option(Name, Kind, Value, Options) | Options], Words);
        {#{Name := Kind}, [], [Value | More]} ->
            parse(More, Known, [option(Name, Kind, Value, Options) | Options], Words);
        {#{Name := _}, [], []} -> usage("~ts needs a value", [Name]);
        _ -> usage("unknown option ~ts", [Name])
    end;
parse([Word | Rest], Known, Options, Words) -> parse(Rest, Known, Options, [Word | Words]);
parse([], _, Options, Words) -> {lists:reverse(Options), lists:reverse(Words)}.

option(Name, {many, Kind}, Value, _) -> {Name, value(Name, Kind, Value)};
option(Name, Kind, Value, Before) ->
    proplists:is_defined(Name, Before) andalso usage("~ts is given twice", [Name]),
    {Name, value(Name, Kind, Value)}.

value(Name, count, Value) ->
    case string:to_integer(Value) of
        {N, ""} when is_integer(N), N > 0, N < 1 bsl 50 -> N;
        _ -> usage("~ts takes a number, 1 at least, not ~ts", [Name, Value])
    end;
value(Name, time, Value) ->
    case string:to_integer(Value) of
        {N, Unit} when is_integer(N), N > 0 -> at_most(Name, N * unit(Name, Unit, Value));
        _ -> time(Name, Value)
    end;
value(_, _, Value) -> Value.

%% What a receive can wait.
at_most(_, Time) when Time < 1 bsl 32 -> Time;
at_most(Name, _) -> usage("~ts takes 49 days at most", [Name]).

unit(_, "ms", _) -> 1;
unit(_, "s", _) -> 1000;
unit(_, "", _) -> 1000;
unit(_, "m", _) -> 60000;
unit(_, "h", _) -> 3600000;
unit(Name, _, Value) -> time(Name, Value).

-spec time(string(), string()) -> no_return().
time(Name, Value) -> usage("~ts takes a time as 500ms, 10s, 5m or 1h, not ~ts", [Name, Value]).

-spec usage(string(), [term()]) -> no_return().
usage(Format, Arguments) -> throw({usage, io_lib:format(Format, Arguments)}).

%% Where the same is written to; `undefined`: standard output, if nowhere else.
-spec files([{string(), term()}]) -> [string() | undefined].
files(Options) ->
    case [File || {"-o", File} <- Options] of
        [] -> [undefined];
        Files -> Files
    end.

%% The one word of a command that takes a TARGET alone.
-spec target([string()]) -> string().
target([Target]) -> Target;
target([]) -> usage("no TARGET given", []);
target([_, Word | _]) -> usage("unexpected argument ~ts", [Word]).

%% Between two looks at a node, in milliseconds.
-spec interval(pos_integer()) -> pos_integer().
interval(Interval) when Interval >= 100 -> Interval;
interval(_) -> usage("--interval takes 100ms at least", []).
