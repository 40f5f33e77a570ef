%% instrument:report/1,2: the memory of the running system as one HTML page, which needs nothing else to be read.
%%
%% The page is lib/memory/report.html, with all of lib/memory/report/ in it; it is part of the program. Into it
%% go, where it says @@BLOCKS@@, the blocks of a snapshot, deflated and in base64 (viv_memory_report_blocks), and, where
%% it says @@FACTS@@, all else that it tells, as JSON (viv_memory_report_facts).
%%
%% The page is written beside the file, and takes its place when it is whole.
-module(viv_memory_report).
-export([write/2]).

-include_lib("kernel/include/file.hrl").

-type options() :: #{since => viv_memory:snapshot()}.

%% False: the map is off, or was stopped meanwhile.
-spec write(file:name_all(), options()) -> ok | false | {error, file:posix() | badarg}.
write(File, Options) ->
    Since = since(File, Options),
    Began = erlang:system_time(millisecond),
    case viv_memory_report_blocks:take() of
        false -> false;
        Taken -> replace(File, fun(Device) -> page(Device, Began, Taken, Since) end)
    end.

since(_, Options) when Options =:= #{} -> none;
since(_, #{since := #{taken := _, kind := _, total := _, types := _, processes := _, functions := _} = Since} = Options)
  when map_size(Options) =:= 1 -> Since;
since(File, Options) -> erlang:raise(error, badarg, [{instrument, report, [File, Options], []}]).

%% Write(Device) -> ok | {error, Reason}. What is no regular file, as a pipe, is written to as it is.
replace(File, Write) ->
    case file:read_file_info(File, [raw]) of
        {ok, #file_info{type = Type}} when Type =/= regular -> written(File, Write);
        {error, badarg} = Error -> Error;
        _ -> written_beside(File, beside(File), Write)
    end.

beside(File) ->
    Name = filename:flatten(File),
    Added = ["." | integer_to_list(erlang:unique_integer([positive]))] ++ "." ++ os:getpid() ++ ".new",
    case is_binary(Name) of
        true -> iolist_to_binary([Name, Added]);
        false -> Name ++ lists:flatten(Added)
    end.

written_beside(File, Beside, Write) ->
    case written(Beside, Write) of
        ok -> renamed(file:rename(Beside, File), Beside);
        Error -> renamed(Error, Beside)
    end.

renamed(ok, _) -> ok;
renamed(Error, Beside) ->
    _ = file:delete(Beside),
    Error.

written(File, Write) ->
    case file:open(File, [write, raw, binary, {delayed_write, 1 bsl 18, 1000}]) of
        {ok, Device} ->
            Written = Write(Device),
            first_error(Written, closed(Device));
        {error, _} = Error -> Error
    end.

%% A delayed write that failed is told by the first close, which then leaves the file open.
closed(Device) ->
    case file:close(Device) of
        ok -> ok;
        Error -> _ = file:close(Device), Error
    end.

first_error(ok, Result) -> Result;
first_error(Error, _) -> Error.

page(Device, Began, Taken, Since) ->
    [Head, Rest] = binary:split(viv_code:held_file('memory/report.html'), <<"@@BLOCKS@@">>),
    [Middle, End] = binary:split(Rest, <<"@@FACTS@@">>),
    Put = fun(Data) -> file:write(Device, Data) end,
    in_order([fun() -> Put(Head) end,
              fun() -> viv_memory_report_blocks:write(Taken, Put) end,
              fun() -> Put([Middle, viv_memory_report_facts:json(Began, Taken, Since), End]) end]).

in_order([Step | Steps]) ->
    case Step() of
        ok -> in_order(Steps);
        Error -> Error
    end;
in_order([]) -> ok.
