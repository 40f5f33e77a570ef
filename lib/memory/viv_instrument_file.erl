%% Maps of blocks and sums in files: Erlang terms that file:consult/1 reads as well, written and read in pieces.
%%
%% A map: its first part; lists of blocks; {viv_memory_data_end, Blocks, FirstPart}, where Blocks says how many there
%% are, and FirstPart all that was known at the end. So a file that was cut anywhere is known by that.
%% Sums: {StatusType, [StatusInfo]} for total, allocators, classes and types.
-module(viv_instrument_file).
-export([store_data/1, store_status/1, read_data/1, read_status/1, format_error/1]).

-define(STATUS_TYPES, [total, allocators, classes, types]).

store_data(File) ->
    case viv_memory_map:snapshot() of
        false -> false;
        Snapshot -> store(File, fun(Device) -> write_data(Device, Snapshot) end)
    end.

store_status(File) ->
    Sums = [{Type, viv_instrument:memory_status(Type)} || Type <- ?STATUS_TYPES],
    case Sums of
        [{_, false} | _] -> false;
        _ -> store(File, fun(Device) -> put_all(Device, [term(Sum) || Sum <- Sums]) end)
    end.

%% Write(Device) -> boolean(). No half a file is left behind.
store(File, Write) ->
    case file:open(File, [write, raw, binary]) of
        {ok, Device} ->
            Stored = Write(Device),
            Closed = file:close(Device) =:= ok,
            Stored andalso Closed orelse begin _ = file:delete(File), false end;
        {error, _} -> false
    end.

put_all(Device, Data) -> file:write(Device, Data) =:= ok.

term(Term) -> io_lib:format("~p.~n", [Term]).

write_data(Device, Snapshot) ->
    First = viv_instrument:first_part(erlang:system_time(millisecond)),
    put_all(Device, term(First)) andalso write_pieces(Device, Snapshot, 0, 0, First).

write_pieces(Device, Snapshot, From, Count, First) ->
    case viv_memory_map:read(Snapshot, From, []) of
        {Next, Blocks} ->
            put_piece(Device, Blocks) andalso write_next(Device, Snapshot, Next, Count + length(Blocks), First);
        stopped -> false
    end.

write_next(Device, _, 0, Count, First) ->
    put_all(Device, term({viv_memory_data_end, Count, viv_instrument:ended(First)}));
write_next(Device, Snapshot, Next, Count, First) -> write_pieces(Device, Snapshot, Next, Count, First).

put_piece(_, []) -> true;
put_piece(Device, [Block | Blocks]) ->
    put_all(Device, [$[, block(Block), [[",\n" | block(Other)] || Other <- Blocks], "].\n"]).

block({Type, Address, Size, Owner}) ->
    [${, integer_to_binary(Type), $,, integer_to_binary(Address), $,, integer_to_binary(Size), $,, owner(Owner), $}].

owner(undefined) -> "undefined";
owner({X, Y, Z}) -> [${, integer_to_binary(X), $,, integer_to_binary(Y), $,, integer_to_binary(Z), $}].

%% Next(Term, State) -> {ok, NextState} | {error, Description} for each term, End(State) -> {ok, Result} |
%% {error, Description} after the last.
read(File, State, Next, End) ->
    case file:open(File, [read, read_ahead]) of
        {ok, Device} ->
            try
                _ = epp:set_encoding(Device),
                terms(Device, 1, State, Next, End)
            after
                file:close(Device)
            end;
        {error, _} = Error -> Error
    end.

terms(Device, Line, State, Next, End) ->
    case io:read(Device, '', Line) of
        {ok, Term, After} -> next(Next(Term, State), Device, Line, After, Next, End);
        {eof, After} -> ended(End(State), After);
        {error, Info, _} -> {error, Info};
        {error, Reason} -> {error, {Line, file_io_server, Reason}}
    end.

next({ok, State}, Device, _, After, Next, End) -> terms(Device, After, State, Next, End);
next({error, Description}, _, Line, _, _, _) -> wrong(Line, Description).

ended({ok, Result}, _) -> Result;
ended({error, Description}, Line) -> wrong(Line, Description).

wrong(Line, Description) -> {error, {Line, ?MODULE, Description}}.

read_data(File) -> read(File, none, fun data/2, fun data_end/1).

%% none, then {Types, Count, Lists}, then {ended, MemoryData}
data(First, none) ->
    case types(First) of
        none -> {error, no_first_part};
        Types -> {ok, {Types, 0, []}}
    end;
data({viv_memory_data_end, Count, First}, {Types, Count, Lists}) ->
    case types(First) of
        Types -> {ok, {ended, {First, lists:append(Lists)}}};
        _ -> {error, no_first_part}
    end;
data({viv_memory_data_end, Told, _}, {_, _, _}) -> {error, {not_so_many_blocks, Told}};
data(Blocks, {Types, Count, Lists}) ->
    case are_blocks(Blocks, Types) of
        true -> {ok, {Types, Count + length(Blocks), [Blocks | Lists]}};
        false -> {error, no_blocks}
    end;
data(_, {ended, _}) -> {error, after_end}.

data_end({ended, MemoryData}) -> {ok, MemoryData};
data_end(none) -> {error, no_first_part};
data_end(_) -> {error, cut}.

%% How many types there are, if all is there that others ask for.
types({viv_memory_data, 1, #{types := Types, block_header_size := Bytes}})
  when is_tuple(Types), tuple_size(Types) > 0, is_integer(Bytes), Bytes >= 0 ->
    case lists:all(fun is_type/1, tuple_to_list(Types)) of
        true -> tuple_size(Types);
        false -> none
    end;
types(_) -> none.

is_type({Name, Class, Allocator, Description}) ->
    is_atom(Name) andalso is_atom(Class) andalso is_atom(Allocator) andalso is_list(Description);
is_type(_) -> false.

-define(is_count(N), (is_integer(N) andalso N >= 0)).

are_blocks([{Type, Address, Size, Owner} | Blocks], Types)
  when ?is_count(Type), Type < Types, ?is_count(Address), ?is_count(Size) ->
    is_owner(Owner) andalso are_blocks(Blocks, Types);
are_blocks(Rest, _) -> Rest =:= [].

%% What descr/1 can make a pid of.
is_owner(undefined) -> true;
is_owner({0, Number, Serial}) ->
    ?is_count(Number) andalso ?is_count(Serial) andalso Number < 1 bsl 28 andalso Serial < 1 bsl 32;
is_owner(_) -> false.

read_status(File) -> read(File, {?STATUS_TYPES, []}, fun status/2, fun status_end/1).

status({Type, Infos} = Term, {[Type | Types], Done}) when is_list(Infos) ->
    case are_infos(Infos) of
        true -> {ok, {Types, [Term | Done]}};
        false -> {error, {no_status, Type}}
    end;
status(_, {[], _}) -> {error, after_end};
status(_, {[Type | _], _}) -> {error, {no_status, Type}}.

status_end({[], Done}) -> {ok, lists:reverse(Done)};
status_end({[Type | _], _}) -> {error, {no_status, Type}}.

are_infos([{About, [{sizes, A, B, C}, {blocks, D, E, F}]} | Infos]) when is_atom(About) ->
    lists:all(fun is_integer/1, [A, B, C, D, E, F]) andalso are_infos(Infos);
are_infos(Rest) -> Rest =:= [].

%% As file:format_error/1 asks for it.
format_error(no_first_part) -> "this is no map of memory blocks";
format_error(no_blocks) -> "this is no list of memory blocks";
format_error({not_so_many_blocks, Told}) -> io_lib:format("there are not as many blocks as it says: ~tw", [Told]);
format_error(after_end) -> "there is something after the end";
format_error(cut) -> "the end is missing";
format_error({no_status, Type}) -> io_lib:format("the sums of ~tw should be here", [Type]).
