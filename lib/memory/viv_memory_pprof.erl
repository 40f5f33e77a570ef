%% Live memory as a profile.proto (github.com/google/pprof, proto/profile.proto), gzipped.
%%
%% A sample is a stack of viv_memory_export: its place, called by its process; it has two values, blocks and bytes, and
%% labels for its type, class and process. Strings, functions and locations are numbered as they come.
-module(viv_memory_pprof).
-export([encode/4]).
-import(viv_protobuf, [number/2, message/2, varint/1]).

%% Fields of the messages, by their numbers in profile.proto.
-define(PROFILE_SAMPLE_TYPE, 1).
-define(PROFILE_SAMPLE, 2).
-define(PROFILE_MAPPING, 3).
-define(PROFILE_LOCATION, 4).
-define(PROFILE_FUNCTION, 5).
-define(PROFILE_STRING_TABLE, 6).
-define(PROFILE_TIME_NANOS, 9).
-define(PROFILE_PERIOD_TYPE, 11).
-define(PROFILE_PERIOD, 12).
-define(PROFILE_COMMENT, 13).
-define(PROFILE_DEFAULT_SAMPLE_TYPE, 14).
-define(VALUE_TYPE, 1).
-define(VALUE_UNIT, 2).
-define(SAMPLE_LOCATION_ID, 1).
-define(SAMPLE_VALUE, 2).
-define(SAMPLE_LABEL, 3).
-define(LABEL_KEY, 1).
-define(LABEL_STR, 2).
-define(MAPPING_ID, 1).
-define(MAPPING_FILENAME, 5).
-define(MAPPING_HAS_FUNCTIONS, 7).
-define(MAPPING_HAS_FILENAMES, 8).
-define(MAPPING_HAS_LINE_NUMBERS, 9).
-define(LOCATION_ID, 1).
-define(LOCATION_MAPPING_ID, 2).
-define(LOCATION_LINE, 4).
-define(LINE_FUNCTION_ID, 1).
-define(LINE_LINE, 2).
-define(FUNCTION_ID, 1).
-define(FUNCTION_TITLE, 2). % `name` there, which is taken here
-define(FUNCTION_SYSTEM_TITLE, 3).
-define(FUNCTION_FILENAME, 4).

%% What is numbered: strings from 0 on, the first is empty; functions and locations from 1 on.
-record(tables, {strings = #{<<>> => 0}, functions = #{}, locations = #{}}).

%% Period: one block was drawn in so many bytes; 1: all are there.
-spec encode([viv_memory_export:stack()], Nanoseconds :: integer(), Period :: pos_integer(), [binary()]) -> binary().
encode(Stacks, Nanoseconds, Period, Comments) ->
    {Samples, Tables1} = lists:mapfoldl(fun sample/2, #tables{}, Stacks),
    {[Objects, Count, Space, Bytes, Viv | Said], Tables} =
        lists:mapfoldl(fun string/2, Tables1, [<<"inuse_objects">>, <<"count">>, <<"inuse_space">>, <<"bytes">>,
                                               <<"viv">> | Comments]),
    SpaceType = [number(?VALUE_TYPE, Space), number(?VALUE_UNIT, Bytes)],
    zlib:gzip([message(?PROFILE_SAMPLE_TYPE, [number(?VALUE_TYPE, Objects), number(?VALUE_UNIT, Count)]),
               message(?PROFILE_SAMPLE_TYPE, SpaceType), Samples, mapping(Viv), locations(Tables), functions(Tables),
               [message(?PROFILE_STRING_TABLE, String) || String <- by_number(Tables#tables.strings)],
               number(?PROFILE_TIME_NANOS, Nanoseconds), message(?PROFILE_PERIOD_TYPE, SpaceType),
               number(?PROFILE_PERIOD, Period), [number(?PROFILE_COMMENT, Text) || Text <- Said],
               number(?PROFILE_DEFAULT_SAMPLE_TYPE, Space)]).

sample(#{place := Place, process := Process, type := Type, class := Class} = Stack, Tables1) ->
    #{bytes := Bytes, blocks := Blocks} = Stack,
    {Locations, Tables2} = lists:mapfoldl(fun location/2, Tables1, [Place, {Process, <<>>, 0}]),
    {Labels, Tables} = lists:mapfoldl(fun label/2, Tables2, [{<<"type">>, atom_to_binary(Type)},
                                                             {<<"class">>, atom_to_binary(Class)},
                                                             {<<"process">>, Process}]),
    {message(?PROFILE_SAMPLE, [message(?SAMPLE_LOCATION_ID, [varint(Id) || Id <- Locations]),
                               message(?SAMPLE_VALUE, [varint(Blocks), varint(Bytes)]), Labels]), Tables}.

label({Key, Value}, Tables1) ->
    {[K, V], Tables} = lists:mapfoldl(fun string/2, Tables1, [Key, Value]),
    {message(?SAMPLE_LABEL, [number(?LABEL_KEY, K), number(?LABEL_STR, V)]), Tables}.

string(String, #tables{strings = Strings} = Tables) ->
    {Number, More} = numbered(String, Strings, 0),
    {Number, Tables#tables{strings = More}}.

location({Name, File, Line}, Tables1) ->
    {Function, #tables{locations = Locations} = Tables} = function({Name, File}, Tables1),
    {Number, More} = numbered({Function, Line}, Locations, 1),
    {Number, Tables#tables{locations = More}}.

function({Name, File}, Tables1) ->
    {[N, F], #tables{functions = Functions} = Tables} = lists:mapfoldl(fun string/2, Tables1, [Name, File]),
    {Number, More} = numbered({N, F}, Functions, 1),
    {Number, Tables#tables{functions = More}}.

numbered(What, Numbers, First) ->
    case Numbers of
        #{What := Number} -> {Number, Numbers};
        _ -> {map_size(Numbers) + First, Numbers#{What => map_size(Numbers) + First}}
    end.

by_number(Numbers) -> [What || {_, What} <- lists:sort([{Number, What} || {What, Number} <- maps:to_list(Numbers)])].

%% It says that all names are there: nobody needs to look for them in a program.
mapping(Name) ->
    message(?PROFILE_MAPPING, [number(?MAPPING_ID, 1), number(?MAPPING_FILENAME, Name),
                               [number(Has, 1) || Has <- [?MAPPING_HAS_FUNCTIONS, ?MAPPING_HAS_FILENAMES,
                                                          ?MAPPING_HAS_LINE_NUMBERS]]]).

locations(#tables{locations = Locations}) ->
    [message(?PROFILE_LOCATION, [number(?LOCATION_ID, Id), number(?LOCATION_MAPPING_ID, 1),
                                 message(?LOCATION_LINE, [number(?LINE_FUNCTION_ID, Function),
                                                          number(?LINE_LINE, Line)])])
     || {Id, {Function, Line}} <- lists:enumerate(by_number(Locations))].

functions(#tables{functions = Functions}) ->
    [message(?PROFILE_FUNCTION, [number(?FUNCTION_ID, Id), number(?FUNCTION_TITLE, Name),
                                 number(?FUNCTION_SYSTEM_TITLE, Name), number(?FUNCTION_FILENAME, File)])
     || {Id, {Name, File}} <- lists:enumerate(by_number(Functions))].
