%% A file that is written beside the one that it is to be, and takes its place when it is whole: who reads it sees the
%% old or the new.
-module(viv_memory_file).
-export([replace/2]).

-include_lib("kernel/include/file.hrl").

%% What is no regular file, as a pipe, is written to as it is.
-spec replace(file:name_all(), fun((file:fd()) -> ok | {error, Reason})) ->
          ok | {error, Reason | file:posix() | badarg}.
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
