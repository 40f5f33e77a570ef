%% The blocks of a page of memory: taken from the map piece by piece, sorted by address, written as small as they are
%% easily read.
%%
%% While they are gathered, a block takes 20 bytes, in the binary of its part of the address space; the parts are sorted
%% one after the other as they are written. So writing takes less memory than the map does, but for one part.
%%
%% For each block, by address, these numbers are written, seven bits to a byte, the lowest first, with the high bit of
%% all but the last byte set:
%%   (address - address of the block before) / 16
%%   bytes
%%   type; 128 more when the block was sampled, and then the shift (viv_memory_map:weight/2)
%%   process: its place in `processes` of the facts; 0: none
%%   place: likewise in `places`
-module(viv_memory_report_blocks).
-export([take/0, write/2]).
-export_type([taken/0]).

%% Parts: {Number, Blocks} by Number. Processes and places: what stands at 1, 2, ...
-type taken() :: #{parts := [{non_neg_integer(), binary()}], count := non_neg_integer(), processes := [pid()],
                   places := [{module(), atom(), arity(), non_neg_integer()}], kind := exact | estimated}.

-define(PART_BITS, 18). % of the addresses in a part: at most 2^14 blocks, as the sorting of more takes longer

-spec take() -> taken() | false.
take() ->
    Empty = {#{}, #{undefined => 0}, #{}, #{undefined => 0}, exact},
    case viv_memory_map:fold(fun add/2, Empty) of
        {ok, {Parts, Processes, _, Places, Kind}} ->
            #{parts => lists:sort(maps:to_list(Parts)), processes => in_order(Processes), places => in_order(Places),
              kind => Kind, count => lists:sum([byte_size(Part) || Part <- maps:values(Parts)]) div 20};
        false -> false
    end.

add({Type, Address, Bytes, Owner, Site, Shift}, {Parts, Processes, Sites, Places, Kind}) ->
    {Process, NewProcesses} = index(Owner, Processes),
    {Place, NewSites, NewPlaces} = place(Site, Sites, Places),
    Key = Address bsr ?PART_BITS,
    Part = case Parts of
               #{Key := Before} -> Before;
               #{} -> <<>>
           end,
    Added = <<Part/binary, (Address bsr 4):24, Bytes:56, Type:8, Shift:8, Process:32, Place:32>>,
    {Parts#{Key => Added}, NewProcesses, NewSites, NewPlaces, kind(Shift, Kind)}.

index(What, Numbers) ->
    case Numbers of
        #{What := Number} -> {Number, Numbers};
        #{} -> {map_size(Numbers), Numbers#{What => map_size(Numbers)}}
    end.

%% Several sites can be one place.
place(Site, Sites, Places) ->
    case Sites of
        #{Site := Number} -> {Number, Sites, Places};
        #{} ->
            {Number, NewPlaces} = index(viv_memory_map:site(Site), Places),
            {Number, Sites#{Site => Number}, NewPlaces}
    end.

kind(0, Kind) -> Kind;
kind(_, _) -> estimated.

in_order(Numbers) -> tl([What || {_, What} <- lists:sort([{N, What} || {What, N} <- maps:to_list(Numbers)])]).

%% Put(Data) -> ok | {error, Reason}
-spec write(taken(), fun((iodata()) -> ok | Error)) -> ok | Error.
write(#{parts := Parts}, Put) ->
    Stream = zlib:open(),
    try
        ok = zlib:deflateInit(Stream),
        write(Parts, 0, <<>>, Stream, Put)
    after
        zlib:close(Stream)
    end.

%% Rest: less than three bytes, which base64 takes at once.
write([{Number, Part} | Parts], Before, Rest, Stream, Put) ->
    [{Last, _, _, _, _, _} | _] = Blocks = sorted(Part, Number bsl ?PART_BITS),
    case put_base64([Rest | zlib:deflate(Stream, numbers(Blocks, Before, []))], Put) of
        {ok, More} -> write(Parts, Last, More, Stream, Put);
        Error -> Error
    end;
write([], _, Rest, Stream, Put) ->
    Put(base64:encode(iolist_to_binary([Rest | zlib:deflate(Stream, <<>>, finish)]))).

put_base64(Data, Put) ->
    Bytes = iolist_to_binary(Data),
    <<Whole:(byte_size(Bytes) div 3 * 3)/binary, Rest/binary>> = Bytes,
    case Put(base64:encode(Whole)) of
        ok -> {ok, Rest};
        Error -> Error
    end.

%% The last one first, as a list of bytes is made from its end. The lowest 24 bits of Address / 16 tell the place in the
%% part.
sorted(Part, Start) ->
    Low = (Start bsr 4) band 16#FFFFFF,
    lists:reverse(lists:sort([{Start + ((Units - Low) bsl 4), Bytes, Type, Shift, Process, Place}
                              || <<Units:24, Bytes:56, Type:8, Shift:8, Process:32, Place:32>> <= Part])).

%% Before: where the block before the first of these is.
numbers([{Address, Bytes, Type, Shift, Process, Place} | Blocks], Before, Done) ->
    Previous = case Blocks of
                   [{At, _, _, _, _, _} | _] -> At;
                   [] -> Before
               end,
    Of = number(Process, number(Place, Done)),
    numbers(Blocks, Before, number((Address - Previous) bsr 4, number(Bytes, type(Type, Shift, Of))));
numbers([], _, Done) -> Done.

type(Type, 0, After) when Type < 128 -> [Type | After];
type(Type, Shift, After) when Type < 128 -> [Type + 128, Shift | After].

number(N, After) when N < 128 -> [N | After];
number(N, After) -> [128 + N band 127 | number(N bsr 7, After)].
