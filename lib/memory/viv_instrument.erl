%% The interface of R9C's instrument, on the map of blocks.
%%
%% The first part of a map says all that is needed to understand it elsewhere: {viv_memory_data, Version, Facts}, where
%% Facts is a map with these keys:
%%   types              {Name, Class, Allocator, Description} for each type number from 0 on, in a tuple
%%   block_header_size  0: blocks carry nothing
%%   snapshot           in_pieces: the blocks that came before it began, and were there when their piece was read
%%   began, ended       when, in milliseconds since 1970
%%   sampled            false: all blocks are in it; else {bytes, N}: by the end one was drawn in so many bytes
%%   missed             {Blocks, Bytes} that no record could be had for
%%   runtime            which one it was
-module(viv_instrument).
-export([memory_data/0, memory_status/1, of_type/3, type_no_range/1, block_header_size/1, descr/1, holes/1]).
-export([mem_limits/1, sort/1, sum_blocks/1]).
-export([first_part/1, ended/1, class/1]).
-export_type([first_part/0]).

-type first_part() :: {viv_memory_data, Version :: pos_integer(), Facts :: #{atom() => term()}}.

memory_data() ->
    First = first_part(now_ms()),
    case viv_memory_map:blocks() of
        false -> false;
        Blocks -> {ended(First), Blocks}
    end.

first_part(Began) ->
    {viv_memory_data, 1,
     #{types => list_to_tuple([{Name, class(Class), allocator(Name), Description}
                               || {Name, Class, Description} <- viv_memory_map:types()]),
       block_header_size => 0, snapshot => in_pieces, began => Began,
       runtime => string:trim(erlang:system_info(system_version))}}.

%% With what is known when all is read.
ended({Kind, Version, Facts}) ->
    {_, _, _, _, Shift, MissedBlocks, MissedBytes} = viv_memory_map:figures(),
    Sampled = case Shift of
                  0 -> false;
                  _ -> {bytes, 1 bsl Shift}
              end,
    {Kind, Version, Facts#{ended => now_ms(), sampled => Sampled, missed => {MissedBlocks, MissedBytes}}}.

now_ms() -> erlang:system_time(millisecond).

class(processes) -> process_data;
class(binary) -> binary_data;
class(atom) -> atom_data;
class(code) -> code_data;
class(_) -> system_data. % system, and ets

%% Whole pages, or blocks.
allocator(literal_terms) -> mseg_alloc;
allocator(_) -> sys_alloc.

memory_status(StatusType) ->
    case viv_memory_map:status(StatusType) of
        false -> false;
        Sums -> [{about(StatusType, About), [maximum(sizes, Sizes), maximum(blocks, Blocks)]}
                 || {About, Sizes, Blocks} <- Sums]
    end.

about(classes, Class) -> class(Class);
about(_, About) -> About.

maximum(Name, {Now, SinceAsked, Ever}) -> {Name, Now, SinceAsked, Ever}.

types({{viv_memory_data, _, #{types := Types}}, _}) -> Types.

of_type(What, MemoryData, TypeNo) when is_integer(TypeNo) ->
    Types = types(MemoryData),
    case TypeNo >= 0 andalso TypeNo < tuple_size(Types) of
        true -> about_type(What, element(TypeNo + 1, Types));
        false -> invalid_type
    end.

about_type(name, {Name, _, _, _}) -> Name;
about_type(class, {_, Class, _, _}) -> Class;
about_type(allocator, {_, _, Allocator, _}) -> Allocator.

type_no_range(MemoryData) -> {0, tuple_size(types(MemoryData)) - 1}.

block_header_size({{viv_memory_data, _, #{block_header_size := Bytes}}, _}) -> Bytes.

%% Pids are those that have these numbers here and now, of processes that may be gone.
descr({First, Blocks} = MemoryData) ->
    Names = list_to_tuple([element(1, Type) || Type <- tuple_to_list(types(MemoryData))]),
    {First, descr(Blocks, Names, #{undefined => undefined}, [])}.

descr([{Type, Address, Size, Owner} | Blocks], Names, Pids, Done) when is_map_key(Owner, Pids) ->
    descr(Blocks, Names, Pids, [{element(Type + 1, Names), Address, Size, map_get(Owner, Pids)} | Done]);
descr([{_, _, _, {X, Y, Z} = Owner} | _] = Blocks, Names, Pids, Done) ->
    Pid = list_to_pid(lists:append(["<", integer_to_list(X), ".", integer_to_list(Y), ".", integer_to_list(Z), ">"])),
    descr(Blocks, Names, Pids#{Owner => Pid}, Done);
descr([], _, _, Done) -> lists:reverse(Done).

mem_limits({_, [{_, Low, _, _} | _] = Blocks}) -> {Low, high(Blocks, 0)}.

high([{_, Address, Size, _} | Blocks], High) -> high(Blocks, max(High, Address + Size));
high([], High) -> High.

sort({First, Blocks}) ->
    case viv_memory_map:sort(Blocks) of
        false -> {First, lists:keysort(2, Blocks)};
        Sorted -> {First, Sorted}
    end.

sum_blocks({_, Blocks}) -> sum(Blocks, 0).

sum([{_, _, Size, _} | Blocks], Sum) -> sum(Blocks, Sum + Size);
sum([], Sum) -> Sum.

%% What is printed at once: many lines, as each write is a message there and back.
-define(LINES, 1000).

%% A line for each gap between blocks: its size, and where it begins. Another process makes the text: the binaries that
%% it leaves behind would have the huge heap of this one collected again and again.
holes({_, []}) -> ok;
holes({_, [{_, Address, _, _} | _] = Blocks}) ->
    {Printer, Ref} = spawn_monitor(fun printer/0),
    holes(Blocks, Address, [], 0, Printer, Ref).

holes(Blocks, End, Holes, ?LINES, Printer, Ref) ->
    print(Holes, Printer, Ref),
    holes(Blocks, End, [], 0, Printer, Ref);
holes([{_, Address, Size, _} | Blocks], End, Holes, Count, Printer, Ref) when Address > End ->
    holes(Blocks, Address + Size, [End, Address - End | Holes], Count + 1, Printer, Ref);
holes([{_, Address, Size, _} | Blocks], End, Holes, Count, Printer, Ref) ->
    holes(Blocks, max(End, Address + Size), Holes, Count, Printer, Ref);
holes([], _, Holes, _, Printer, Ref) ->
    print(Holes, Printer, Ref),
    Printer ! {Ref, stop},
    receive {'DOWN', Ref, process, Printer, normal} -> ok end.

print(Holes, Printer, Ref) ->
    Printer ! {Ref, self(), Holes},
    receive
        {Ref, printed} -> ok;
        {'DOWN', Ref, process, Printer, Reason} -> exit(Reason)
    end.

printer() ->
    receive
        {Ref, From, Holes} ->
            io:put_chars(hole_lines(Holes, [])),
            From ! {Ref, printed},
            printer();
        {_, stop} -> ok
    end.

hole_lines([From, Bytes | Holes], Lines) ->
    hole_lines(Holes, [[integer_to_binary(Bytes), " bytes from 16#", integer_to_binary(From, 16), $\n] | Lines]);
hole_lines([], Lines) -> iolist_to_binary(Lines).
