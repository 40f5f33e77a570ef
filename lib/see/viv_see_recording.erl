%% viv record: what the flight recorder of a node holds, or held when the node crashed (src/process/recorder_text.h).
-module(viv_see_recording).
-export([run/1, help/0, options/0]).

-define(EVENTS, "sched,procs,gc").
-define(RECORDS, 65536).

help() ->
    "usage: viv record TARGET [--last TIME] [-o FILE]\n"
    "       viv record TARGET --on [--events NAMES] [--records N] | --off\n"
    "       viv record --crash FILE [--last TIME] [-o FILE]\n\n"
    "Tells what a running node did in its last seconds, if its flight recorder is on: from its start with the flag\n"
    "+recorder, or with --on. TARGET: a process number of this machine (see viv nodes), or NAME@HOST.\n\n"
    "  --last TIME      only the last 500ms, 2s, ...\n"
    "  -o FILE          into a file; FILE.json: an object in each line\n"
    "  --on, --off      switches the recorder; what it held before goes, unless only the events change\n"
    "  --events NAMES   some of sched,procs,gc,send,receive (" ?EVENTS ")\n"
    "  --records N      so many records for each scheduler (65536), 40 bytes each\n"
    "  --crash FILE     of the node that left the crash dump FILE: what stands in FILE.recorder beside it\n".

options() ->
    #{"--last" => time, "-o" => file, "--on" => flag, "--off" => flag,
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
    fetch_more(Conversation, []).

fetch_more(Conversation, Parts) ->
    case viv_see_target:hear(Conversation) of
        {{text, Part}, Next} -> fetch_more(Next, [Part | Parts]);
        {{'end', done, _}, _} -> iolist_to_binary(lists:reverse(Parts));
        {{'end', off, _}, _} ->
            throw({see, "the flight recorder is off: it is switched on by viv record TARGET --on, "
                        "or from the start by the flag +recorder"});
        {{'end', {error, Text}, _}, _} -> throw({see, Text})
    end.

%% The dump's name will do.
left(File) ->
    case {read(File), read(File ++ ".recorder")} of
        {{ok, <<"viv recorder\t", _/binary>> = Text}, _} -> Text;
        {_, {ok, <<"viv recorder\t", _/binary>> = Text}} -> Text;
        {{ok, _}, _} -> throw({see, [File, " is not what a flight recorder left, nor is there one beside it"]});
        {{error, Reason}, _} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

read(File) -> prim_file:read_file(unicode:characters_to_binary(File)).

%% --- what was recorded ----------------------------------------------------------------------------------------------

show(Text, Options) ->
    Recorded = #{events := All, written := Written, passed_over := PassedOver} = recorded(Text),
    File = proplists:get_value("-o", Options),
    Chosen = since(last(Options), Written, All),
    put_out(File, [line(form(File), Event) || Event <- Chosen]),
    viv_see_out:say("record",
                    [summary(Chosen, Recorded),
                     [[", written at ", calendar:system_time_to_rfc3339(Written, [{unit, nanosecond}])]
                      || is_integer(Written), proplists:is_defined("--crash", Options)],
                     [io_lib:format("; lines that are cut or damaged: ~w", [PassedOver]) || PassedOver > 0]]),
    throw({exit, 0}).

recorded(Text) ->
    case viv_see_recorded:read(Text) of
        {ok, Recorded} -> Recorded;
        {error, newer} -> throw({see, "it was written by a newer version of viv"});
        {error, nothing} -> throw({see, "it was cut in its first line"})
    end.

since(0, _, Events) -> Events;
since(_, _, []) -> [];
since(Last, unknown, Events) -> since(Last, element(1, lists:last(Events)), Events);
since(Last, Written, Events) -> [Event || Event <- Events, element(1, Event) >= Written - Last].

form(undefined) -> text;
form(File) ->
    case filename:extension(File) of
        ".json" -> json;
        _ -> text
    end.

summary(Events, #{rings := Rings}) ->
    Span = case Events of
               [] -> 0;
               [First | _] -> (element(1, lists:last(Events)) - element(1, First)) div 1000000
           end,
    Missed = lists:sum([M || {_, M} <- Rings]),
    All = lists:sum([N || {N, _} <- Rings]),
    [io_lib:format("~w records of ~w ms; ~w were written in all", [length(Events), Span, All]),
     [io_lib:format(", ~w missed", [Missed]) || Missed > 0]].

put_out(undefined, Lines) -> viv_see_out:put(iolist_to_binary(Lines));
put_out(File, Lines) -> viv_see_out:put_file(File, Lines).

%% Texts are UTF-8 already.
line(text, {Time, Scheduler, Pid, Kind, Fields}) ->
    [viv_see_text:clock(Time div 1000), $\s, integer_to_binary(Scheduler), $\s, Pid, $\s, text(Kind, Fields), $\n];
line(json, {Time, Scheduler, Pid, Kind, Fields}) ->
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

micro(Nanoseconds) -> io_lib:format("~w.~w us", [Nanoseconds div 1000, Nanoseconds rem 1000 div 100]).

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
