%% instrument:allocations/1 and carriers/1 of OTP's manual, told from the map of blocks and the counters.
%%
%% Types are those of this runtime. Its one allocator has no carriers and no instances for schedulers; so that programs
%% can ask as they do elsewhere, each type is told under the allocator that such blocks come from in the stock runtime,
%% and all blocks are those of the global instance, 0.
-module(viv_allocations).
-export([allocations/1, carriers/1, allocators/0]).
-export_type([summary/0, carriers/0]).
-compile({inline, [refuse/2]}). % the error names the function that was called

-type summary() :: {HistogramStart :: pos_integer(), UnscannedSize :: non_neg_integer(),
                    #{Origin :: atom() => #{Type :: atom() => instrument:block_histogram()}}}.
-type carriers() :: {HistogramStart :: pos_integer(),
                     [{Allocator :: atom(), InPool :: false, TotalSize :: non_neg_integer(),
                       UnscannedSize :: non_neg_integer(), [{Type :: atom(), Count :: non_neg_integer(),
                                                             Size :: non_neg_integer()}],
                       FreeBlocks :: instrument:block_histogram()}]}.

%% Names that the stock runtime knows, under which there is nothing to be found there either.
-define(NOT_ENABLED, [sys_alloc, mseg_alloc, erts_mmap, test_alloc, exec_alloc]).

%% The types of each allocator.
allocators() ->
    [{temp_alloc, [temp, regex]},
     {sl_alloc, [timer, match_spec, trace]},
     {std_alloc, [misc, process_misc, persistent, file_io, node, distribution, socket]},
     {ll_alloc, [atom_text, atom_table, code, export, module, fun_entry, loader, process_table, scheduler]},
     {eheap_alloc, [heap, old_heap, fragment]},
     {ets_alloc, [ets_table, ets_object]},
     {fix_alloc, [process, signal, link]},
     {literal_alloc, [literal, literal_terms]},
     {binary_alloc, [binary, magic]},
     {driver_alloc, [nif, port]}].

%% By the manual, what could not be scanned is told by its size. That is all that came when the map was off, and what a
%% map that samples leaves out.
allocations(Options) ->
    case asked(Options, 128, 18) of
        bad -> refuse(allocations, Options);
        not_enabled -> {error, not_enabled};
        {Start, Width, Names} -> {ok, found(Start, Width, types_of(Names))}
    end.

%% One for each allocator that is asked for, from the counters. Which places are free is not known of it.
carriers(Options) ->
    case asked(Options, 512, 14) of
        bad -> refuse(carriers, Options);
        not_enabled -> {error, not_enabled};
        {Start, Width, Names} ->
            Sums = viv_memory_map:sums(),
            {ok, {Start, [carrier(Name, Sums, Width) || Name <- Names]}}
    end.

refuse(Function, Options) -> erlang:raise(error, badarg, [{instrument, Function, [Options], []}]).

%% {Start, Width, Allocators} | not_enabled | bad. Options that are not known are passed over, as elsewhere.
asked(Options, Start, Width) ->
    Defaults = #{histogram_start => Start, histogram_width => Width, scheduler_ids => [0],
                 allocator_types => [Name || {Name, _} <- allocators()]},
    chosen(maps:merge(Defaults, Options)).

chosen(#{histogram_start := Start, histogram_width := Width, scheduler_ids := Ids, allocator_types := Names})
  when is_integer(Start), Start >= 1, Start =< 1 bsl 28, is_integer(Width), Width >= 1, Width =< 32,
       is_list(Ids), is_list(Names) ->
    case lists:all(fun is_scheduler/1, Ids) andalso lists:all(fun is_allocator/1, Names) of
        true -> enabled(Start, Width, Ids, [Name || {Name, _} <- allocators(), lists:member(Name, Names)]);
        false -> bad
    end;
chosen(_) -> bad.

is_scheduler(Id) -> is_integer(Id) andalso Id >= 0 andalso Id =< erlang:system_info(schedulers).

is_allocator(Name) -> lists:keymember(Name, 1, allocators()) orelse lists:member(Name, ?NOT_ENABLED).

enabled(_, _, [], _) -> not_enabled;
enabled(_, _, _, []) -> not_enabled;
enabled(Start, Width, Ids, Names) ->
    case lists:member(0, Ids) of
        true -> {Start, Width, Names};
        false -> {Start, Width, []}
    end.

types_of(Names) -> lists:append([Types || {Name, Types} <- allocators(), lists:member(Name, Names)]).

carrier(Name, Sums, Width) ->
    {_, Types} = lists:keyfind(Name, 1, allocators()),
    Held = [{Type, Blocks, Bytes} || {Type, Bytes, Blocks} <- Sums, lists:member(Type, Types), Blocks > 0],
    {Name, false, lists:sum([Bytes || {_, _, Bytes} <- Held]), 0, Held, no_blocks(Width)}.

no_blocks(Width) -> erlang:make_tuple(Width, 0).

%% Counts, by {Origin, Type} and interval, are exact, or estimated where blocks were sampled.
found(Start, Width, Types) ->
    Names = list_to_tuple([Type || {Type, _, _} <- viv_memory_map:types()]),
    Wanted = maps:from_keys(Types, true),
    Held = lists:sum([Bytes || {Type, Bytes, _} <- viv_memory_map:sums(), is_map_key(Type, Wanted)]),
    Count = fun(Block, Found) -> count(Block, element(element(1, Block) + 1, Names), Start, Width, Wanted, Found) end,
    case viv_memory_map:fold(Count, {0, #{}}) of
        {ok, {Scanned, Counts}} -> {Start, max(0, Held - Scanned), by_origin(Counts, Width)};
        false -> {Start, Held, #{}}
    end.

count({_, _, Bytes, _, Site, Shift}, Type, Start, Width, Wanted, {Scanned, Counts}) when is_map_key(Type, Wanted) ->
    Key = {Site, Type, interval(Bytes, Start, Width, 1)},
    Weight = viv_memory_map:weight(Bytes, Shift),
    {Scanned + Bytes, Counts#{Key => maps:get(Key, Counts, 0) + Weight}};
count(_, _, _, _, _, Found) -> Found.

interval(_, _, Width, Width) -> Width;
interval(Bytes, End, _, Interval) when Bytes < End -> Interval;
interval(Bytes, End, Width, Interval) -> interval(Bytes, 2 * End, Width, Interval + 1).

by_origin(Counts, Width) ->
    Origins = maps:from_list([{Site, origin(viv_memory_map:site(Site))}
                              || Site <- lists:usort([Site || {Site, _, _} <- maps:keys(Counts)])]),
    Add = fun({Site, Type, Interval}, Count, All) ->
                  add(map_get(Site, Origins), Type, Interval, round(Count), Width, All)
          end,
    maps:fold(Add, #{}, Counts).

add(Origin, Type, Interval, Count, Width, All) ->
    Types = maps:get(Origin, All, #{}),
    Histogram = maps:get(Type, Types, no_blocks(Width)),
    More = setelement(Interval, Histogram, element(Interval, Histogram) + Count),
    All#{Origin => Types#{Type => More}}.

%% The library is that of the native function which was running, where the map tells places.
origin(undefined) -> system;
origin({Module, Function, Arity, _}) ->
    IsOurs = erlang:is_builtin(Module, Function, Arity),
    try lists:member({Function, Arity}, Module:module_info(nifs)) of
        true when not IsOurs -> Module;
        _ -> system
    catch
        error:undef -> system
    end.
