%% viv record: what the flight recorder of a node holds, or held when the node crashed (src/process/recorder_text.h).
-module(viv_see_recording).
-export([run/1, help/0, options/0]).

-define(EVENTS, "sched,procs,gc").
-define(RECORDS, 65536).
-define(PIECE, 262144).
-define(TOGETHER, 1000). % records that are written at once

%% What is written of the records; `events` wait for it, the last first. Any time is less than an atom.
-record(shown, {outs, since, events = [], count = 0, first = none, last = none}).

help() ->
    "usage: viv record TARGET [--last TIME] [-o FILE]\n"
    "       viv record TARGET --on [--events NAMES] [--records N] | --off\n"
    "       viv record --crash FILE [--last TIME] [-o FILE]\n\n"
    "Tells what a running node did in its last seconds, if its flight recorder is on: from its start with the flag\n"
    "+recorder, or with --on. TARGET: a process number of this machine (see viv nodes), or NAME@HOST.\n\n"
    "  --last TIME      only the last 500ms, 2s, ...\n"
    "  -o FILE          into a file; FILE.json: an object in each line; may be given again\n"
    "  --on, --off      switches the recorder; what it held before goes, unless only the events change\n"
    "  --events NAMES   some of sched,procs,gc,send,receive (" ?EVENTS ")\n"
    "  --records N      so many records for each scheduler (65536), 40 bytes each\n"
    "  --crash FILE     of the node that left the crash dump FILE: what stands in FILE.recorder beside it\n".

options() ->
    #{"--last" => time, "-o" => {many, file}, "--on" => flag, "--off" => flag,
      "--events" => {words, ["sched", "procs", "gc", "send", "receive"]}, "--records" => count, "--crash" => file}.

run(Arguments) ->
    {Options, Words} = viv_see_options:parse(Arguments, options()),
    Is = fun(Name) -> proplists:is_defined(Name, Options) end,
    [throw({usage, [Name, " goes with --on alone"]})
     || Name <- ["--events", "--records"], Is(Name), not Is("--on")],
    case {[Name || Name <- ["--on", "--off", "--crash"], Is(Name)], Words} of
        {[], [Target]} -> show(fetch(Target, last(Options)), Options);
        {["--on"], [Target]} -> switch(Target, events(Options), proplists:get_value("--records", Options, ?RECORDS));
        {["--off"], [Target]} -> switch(Target, <<>>, ?RECORDS);
        {["--crash"], []} -> show(left(proplists:get_value("--crash", Options)), Options);
        {[_, _ | _], _} -> throw({usage, "--on, --off and --crash do not go together"});
        {["--crash"], _} -> throw({usage, "--crash takes a file, and no TARGET"});
        {_, []} -> throw({usage, "no TARGET"});
        {_, [_, Word | _]} -> throw({usage, ["unexpected argument ", Word]})
    end.

last(Options) -> proplists:get_value("--last", Options, 0) * 1000000.

events(Options) ->
    Names = proplists:get_value("--events", Options, ?EVENTS),
    [throw({usage, ["--events knows sched, procs, gc, send and receive, not ", Name]})
     || Name <- string:lexemes(Names, ","), not lists:member(Name, ["sched", "procs", "gc", "send", "receive"])],
    string:lexemes(Names, ",") =/= [] orelse throw({usage, "--events takes one name at least"}),
    unicode:characters_to_binary(Names).

switch(Target, Events, Records) ->
    Records >= 1024 andalso Records =< 1 bsl 24 orelse throw({usage, "--records takes 1024 to 16777216"}),
    {Conversation, _} = viv_see_target:open(Target, {record, #{switch => {Events, Records}}}),
    case viv_see_target:hear(Conversation) of
        {{'end', done, _}, _} -> throw({exit, 0});
        {{'end', {error, Text}, _}, _} -> throw({see, Text})
    end.

fetch(Target, Last) ->
    {Conversation, _} = viv_see_target:open_until_interrupt(Target, {record, #{last => Last}}),
    fetch_more(Conversation, viv_see_recorded:new()).

fetch_more(Conversation, Text) ->
    case viv_see_target:hear(Conversation) of
        {{text, Part}, Next} -> fetch_more(Next, viv_see_recorded:add(Part, Text));
        {{'end', done, _}, _} -> Text;
        {{'end', off, _}, _} ->
            throw({see, "the flight recorder is off: it is switched on by viv record TARGET --on, "
                        "or from the start by the flag +recorder"});
        {{'end', {error, Why}, _}, _} -> throw({see, Why})
    end.

%% The dump's name will do.
left(File) ->
    case {begun(File), begun(File ++ ".recorder")} of
        {{ok, Opened, Part}, _} -> left(File, Opened, viv_see_recorded:add(Part, viv_see_recorded:new()));
        {_, {ok, Opened, Part}} -> left(File, Opened, viv_see_recorded:add(Part, viv_see_recorded:new()));
        {another, _} -> throw({see, [File, " is not what a flight recorder left, nor is there one beside it"]});
        {{error, Reason}, _} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

left(File, Opened, Text) ->
    case file:read(Opened, ?PIECE) of
        {ok, Part} -> left(File, Opened, viv_see_recorded:add(Part, Text));
        eof -> Text;
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

%% A dump may be large: no more is read of it than shows that it is one.
begun(File) ->
    case file:open(unicode:characters_to_binary(File), [read, raw, binary]) of
        {ok, Opened} ->
            case file:read(Opened, ?PIECE) of
                {ok, <<"viv recorder\t", _/binary>> = Part} -> {ok, Opened, Part};
                {error, _} = Error -> Error;
                _ -> another
            end;
        Error -> Error
    end.

%% --- what was recorded ----------------------------------------------------------------------------------------------

show(Text, Options) ->
    Told = #{written := Written} = told(Text),
    Files = viv_see_options:files(Options),
    Shown = #shown{outs = [{form(File), viv_see_out:open(File)} || File <- Files],
                   since = since(last(Options), Written, Text)},
    {Last, PassedOver} = viv_see_recorded:fold(fun event/2, Shown, Text),
    viv_see_out:say("record", [summary(put_out(Last), Told), written(Written, Options), cut(PassedOver, Told)]),
    throw({exit, 0}).

told(Text) ->
    case viv_see_recorded:told(Text) of
        {ok, Told} -> Told;
        {error, newer} -> throw({see, "it was written by a newer version of viv"});
        {error, nothing} -> throw({see, "it was cut in its first line"})
    end.

since(0, _, _) -> 0;
since(Last, unknown, Text) -> element(1, viv_see_recorded:fold(fun({Time, _, _, _, _}, _) -> Time end, 0, Text)) - Last;
since(Last, Written, _) -> Written - Last.

event({Time, _, _, _, _}, S = #shown{since = Since}) when Time < Since -> S;
event(Event = {Time, _, _, _, _}, S = #shown{first = First, count = Count, events = Events}) ->
    More = S#shown{first = min(First, Time), last = Time, count = Count + 1, events = [Event | Events]},
    case More#shown.count rem ?TOGETHER of
        0 -> put_out(More);
        _ -> More
    end.

put_out(S = #shown{outs = Outs, events = Events}) ->
    Ordered = lists:reverse(Events),
    [viv_see_out:write(Out, iolist_to_binary(lines(Form, Ordered))) || {Form, Out} <- Outs],
    S#shown{events = []}.

summary(#shown{first = First, last = Last, count = Count}, #{rings := Rings}) ->
    Span = case Count of
               0 -> 0;
               _ -> (Last - First) div 1000000
           end,
    Missed = lists:sum([M || {_, M} <- Rings]),
    All = lists:sum([N || {N, _} <- Rings]),
    [io_lib:format("~w records of ~w ms; ~w were written in all", [Count, Span, All]),
     [io_lib:format(", ~w missed", [Missed]) || Missed > 0]].

written(Written, Options) ->
    [[", written at ", calendar:system_time_to_rfc3339(Written, [{unit, nanosecond}])]
     || is_integer(Written), proplists:is_defined("--crash", Options)].

cut(Records, #{passed_over := Others}) ->
    [io_lib:format("; lines that are cut or damaged: ~w", [Records + Others]) || Records + Others > 0].

form(undefined) -> text;
form(File) ->
    case filename:extension(File) of
        ".json" -> json;
        _ -> text
    end.

%% Texts are UTF-8 already.
lines(json, Events) -> [object(Event) || Event <- Events];
lines(text, Events) -> element(1, lists:mapfoldl(fun line/2, {none, <<>>}, Events)).

%% Most are of the same second as the one before: the calendar is asked once for each.
line({Time, Scheduler, Pid, Kind, Fields}, Before) ->
    {_, Clock} = Second = second(Time div 1000000000, Before),
    <<_, Fraction/binary>> = integer_to_binary(1000000 + Time div 1000 rem 1000000),
    {[Clock, $., Fraction, $\s, integer_to_binary(Scheduler), $\s, Pid, $\s, text(Kind, Fields), $\n], Second}.

second(Second, {Second, _} = Same) -> Same;
second(Second, _) -> {Second, hd(string:split(viv_see_text:clock(Second * 1000000), "."))}.

object({Time, Scheduler, Pid, Kind, Fields}) ->
    %% Nanoseconds are more than a double holds, which is what many take numbers for.
    Times = #{<<"time_us">> => Time div 1000, <<"time_ns">> => integer_to_binary(Time)},
    Object = Times#{<<"event">> => Kind, <<"process">> => Pid, <<"scheduler">> => Scheduler},
    [viv_json:encode(maps:merge(fields(Kind, Fields), Object)), $\n].

text(<<"ran">>, [Took, Place, Stop]) -> ["ran ", micro(Took), $\s, Place, ", ", Stop];
text(<<"runs">>, [Took]) -> ["has run for ", micro(Took)];
text(Kind, [Took, Words]) when Kind =:= <<"minor">>; Kind =:= <<"major">> ->
    [Kind, " collection ", micro(Took), ", ", integer_to_binary(Words), " words freed"];
text(<<"send">>, [To, Message]) -> ["send ", To, " ! ", Message];
text(<<"receive">>, [From, Message]) -> ["receive ", Message, " from ", From];
text(Kind, Texts) -> lists:join($\s, [Kind | Texts]).

micro(Nanoseconds) ->
    [integer_to_binary(Nanoseconds div 1000), $., integer_to_binary(Nanoseconds rem 1000 div 100), " us"].

fields(<<"ran">>, [Took, Place, Stop]) -> #{<<"ns">> => Took, <<"place">> => Place, <<"stop">> => Stop};
fields(<<"runs">>, [Took]) -> #{<<"ns">> => Took};
fields(<<"spawn">>, [Child, Place]) -> #{<<"child">> => Child, <<"place">> => Place};
fields(<<"exit">>, [Reason]) -> #{<<"reason">> => Reason};
fields(Kind, [Took, Words]) when Kind =:= <<"minor">>; Kind =:= <<"major">> ->
    #{<<"ns">> => Took, <<"words_freed">> => Words};
fields(<<"send">>, [To, Message]) -> #{<<"to">> => To, <<"message">> => Message};
fields(<<"receive">>, [From, Message]) -> #{<<"from">> => From, <<"message">> => Message};
fields(Kind, [Name, Owner]) when Kind =:= <<"register">>; Kind =:= <<"unregister">> ->
    #{<<"name">> => Name, <<"owner">> => Owner}.
