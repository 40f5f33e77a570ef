%% What the commands write: on standard output, into files, and what they say beside that on standard error.
-module(viv_see_out).
-export([put/1, put_file/2, open/1, write/2, say/2]).
-export_type([out/0]).

-opaque out() :: standard_output | {file:name_all(), file:fd()}.

%% Ends the command without a word where nobody reads any more. A binary is written as it is.
-spec put(unicode:chardata()) -> ok | no_return().
put(Text) ->
    case viv_io:write_all(1, bytes(Text)) of
        ok -> ok;
        {error, epipe} -> throw({exit, 1});
        {error, Reason} -> throw({see, ["standard output: ", file:format_error(Reason)]})
    end.

bytes(Bytes) when is_binary(Bytes) -> Bytes;
bytes(Text) -> unicode:characters_to_binary(Text).

-spec put_file(file:name_all(), iodata()) -> ok | no_return().
put_file(File, Bytes) ->
    case file:write_file(File, Bytes) of
        ok -> ok;
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

-spec say(string(), unicode:chardata()) -> ok.
say(Command, Text) ->
    _ = viv_io:write_all(2, unicode:characters_to_binary(["viv ", Command, ": ", Text, $\n])),
    ok.

%% For what comes bit by bit; `undefined`: standard output.
-spec open(undefined | file:name_all()) -> out() | no_return().
open(undefined) -> standard_output;
open(File) ->
    case file:open(File, [write, raw, binary]) of
        {ok, Opened} -> {File, Opened};
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.

-spec write(out(), iodata()) -> ok | no_return().
write(standard_output, Bytes) -> put(iolist_to_binary(Bytes));
write({File, Opened}, Bytes) ->
    case file:write(Opened, Bytes) of
        ok -> ok;
        {error, Reason} -> throw({see, [File, ": ", file:format_error(Reason)]})
    end.
