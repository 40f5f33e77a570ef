%% Terms as JSON (RFC 8259), for what this runtime writes itself.
%%
%% Lists are arrays, maps objects, with atoms for keys; {text, Characters} and binaries in UTF-8 are strings, atoms too,
%% but for true, false and null. No string ends the element of a page that it stands in: `<` is written as an escape.
-module(viv_json).
-export([encode/1]).

-spec encode(term()) -> iodata().
encode(Number) when is_integer(Number) -> integer_to_binary(Number);
encode(Number) when is_float(Number) -> io_lib:format("~p", [Number]);
encode(Word) when Word =:= true; Word =:= false; Word =:= null -> atom_to_binary(Word);
encode(Atom) when is_atom(Atom) -> string(atom_to_binary(Atom));
encode(Text) when is_binary(Text) -> string(Text);
encode({text, Characters}) -> string(characters(Characters));
encode(List) when is_list(List) -> [$[, lists:join($,, [encode(Element) || Element <- List]), $]];
encode(Map) when is_map(Map) ->
    [${, lists:join($,, [[encode(Key), $: | encode(Value)] || {Key, Value} <- lists:sort(maps:to_list(Map))]), $}].

%% What is no text is taken for Latin-1.
characters(Characters) ->
    case unicode:characters_to_binary(Characters) of
        Text when is_binary(Text) -> Text;
        _ -> unicode:characters_to_binary(iolist_to_binary(Characters), latin1)
    end.

string(Text) ->
    case is_plain(Text) of
        true -> [$", Text, $"];
        false -> [$", << <<(character(C))/binary>> || <<C/utf8>> <= Text >>, $"]
    end.

%% Most are: nothing is written otherwise.
is_plain(<<C, Rest/binary>>) when C >= 32, C < 127, C =/= $", C =/= $\\, C =/= $< -> is_plain(Rest);
is_plain(Rest) -> Rest =:= <<>>.

character($") -> <<"\\\"">>;
character($\\) -> <<"\\\\">>;
character($<) -> <<"\\u003C">>;
character(C) when C < 32; C =:= 16#2028; C =:= 16#2029 -> iolist_to_binary(io_lib:format("\\u~4.16.0B", [C]));
character(C) -> <<C/utf8>>.
