%% Where the memory is: the interface of R9C, that of today's manual, and switching the map of blocks on and off while
%% all goes on. docs/MEMORY.md tells what the figures mean.
%%
%% What is behind it stands in lib/memory/ and is loaded when it is first asked for.
-module(instrument).
-export([start/0, start/1, stop/0]).
-export([export/2, report/1, report/2]).
-export([allocations/0, allocations/1, carriers/0, carriers/1]).
-export([memory_data/0, memory_status/1, store_memory_data/1, store_memory_status/1]).
-export([read_memory_data/1, read_memory_status/1]).
-export([allocator_descr/2, block_header_size/1, class_descr/2, descr/1, holes/1, mem_limits/1, sort/1]).
-export([sum_blocks/1, type_descr/2, type_no_range/1]).
-export_type([memory_data/0, status/0, block_histogram/0]).

-type pid_descriptor() :: {non_neg_integer(), non_neg_integer(), non_neg_integer()} | undefined.
-type descriptor() :: {TypeNo :: integer(), Address :: integer(), Size :: integer(), pid_descriptor()}.
-type memory_data() :: {FirstPart :: viv_instrument:first_part(), [descriptor()]}.
-type status_type() :: total | allocators | classes | types.
-type status_info() :: {About :: atom(), [{sizes | blocks, Current :: integer(), MaxSinceLast :: integer(),
                                           MaxEver :: integer()}]}.
-type status() :: [status_info()].
-type block_histogram() :: tuple().
-type options() :: #{scheduler_ids => [non_neg_integer()], allocator_types => [atom()],
                     histogram_start => pos_integer(), histogram_width => pos_integer()}.

%% As start(#{}).
-spec start() -> boolean().
start() -> start(#{}).

%% The map of blocks is on from now on. False: it was on already.
%% memory: so many bytes at most for records of blocks, but no less than a megabyte, past half of which blocks are
%% sampled; a sixteenth of the machine's memory if it is left out. sites: each block also tells the place in the program
%% (viv_memory:top/2).
-spec start(#{memory => pos_integer(), sites => boolean()}) -> boolean().
start(Options) ->
    case is_map(Options) andalso maps:merge(#{memory => 0, sites => false}, Options) of
        #{memory := Bytes, sites := Sites} = All when map_size(All) =:= 2, is_integer(Bytes), is_boolean(Sites),
                                                      (Bytes > 0 orelse not is_map_key(memory, Options)) ->
            begin_map(Bytes, Sites, Options);
        _ -> error(badarg, [Options])
    end.

begin_map(Bytes, Sites, Options) ->
    try
        viv_memory_map:start(Bytes, Sites)
    catch
        error:badarg -> error(badarg, [Options])
    end.

%% False: it was off.
-spec stop() -> boolean().
stop() -> viv_memory_map:stop().

%% As report(File, #{}).
-spec report(file:name_all()) -> ok | false | {error, file:posix() | badarg}.
report(File) -> report(File, #{}).

%% Writes one HTML page with all the blocks of the map, to be looked at with any browser: docs/MEMORY.md, "The page".
%% since: an earlier snapshot, and the page tells what grew. False: the map is off.
-spec report(file:name_all(), #{since => viv_memory:snapshot()}) -> ok | false | {error, file:posix() | badarg}.
report(File, Options) -> viv_memory_report:write(File, Options).

%% Live memory for tools that people have: `pprof`, a profile of profile.proto, gzipped; `heap`, which google-pprof
%% reads; `folded`, for flame graphs (viv_memory_export). False: the map is off.
-spec export(file:name_all(), pprof | heap | folded) -> ok | false | {error, file:posix() | badarg}.
export(File, Format) -> viv_memory_export:write(File, Format).

%% Today's interface.

-spec allocations() -> {ok, viv_allocations:summary()} | {error, not_enabled}.
allocations() -> viv_allocations:allocations(#{}).

-spec allocations(options()) -> {ok, viv_allocations:summary()} | {error, not_enabled}.
allocations(Options) -> viv_allocations:allocations(Options).

-spec carriers() -> {ok, viv_allocations:carriers()} | {error, not_enabled}.
carriers() -> viv_allocations:carriers(#{}).

-spec carriers(options()) -> {ok, viv_allocations:carriers()} | {error, not_enabled}.
carriers(Options) -> viv_allocations:carriers(Options).

%% The interface of R9C.

-spec memory_data() -> memory_data() | false.
memory_data() -> viv_instrument:memory_data().

-spec memory_status(status_type()) -> status() | false.
memory_status(StatusType) -> viv_instrument:memory_status(StatusType).

-spec store_memory_data(file:name_all()) -> boolean().
store_memory_data(File) -> viv_instrument_file:store_data(File).

-spec store_memory_status(file:name_all()) -> boolean().
store_memory_status(File) -> viv_instrument_file:store_status(File).

-spec read_memory_data(file:name_all()) -> memory_data() | {error, term()}.
read_memory_data(File) -> viv_instrument_file:read_data(File).

-spec read_memory_status(file:name_all()) -> [{status_type(), status()}] | {error, term()}.
read_memory_status(File) -> viv_instrument_file:read_status(File).

-spec allocator_descr(memory_data(), integer()) -> atom() | invalid_type.
allocator_descr(MemoryData, TypeNo) -> viv_instrument:of_type(allocator, MemoryData, TypeNo).

-spec class_descr(memory_data(), integer()) -> atom() | invalid_type.
class_descr(MemoryData, TypeNo) -> viv_instrument:of_type(class, MemoryData, TypeNo).

-spec type_descr(memory_data(), integer()) -> atom() | invalid_type.
type_descr(MemoryData, TypeNo) -> viv_instrument:of_type(name, MemoryData, TypeNo).

-spec type_no_range(memory_data()) -> {Min :: integer(), Max :: integer()}.
type_no_range(MemoryData) -> viv_instrument:type_no_range(MemoryData).

%% 0: records lie apart from the blocks.
-spec block_header_size(memory_data()) -> non_neg_integer().
block_header_size(MemoryData) -> viv_instrument:block_header_size(MemoryData).

-spec descr(memory_data()) -> {term(), [{atom(), integer(), integer(), pid() | undefined}]}.
descr(MemoryData) -> viv_instrument:descr(MemoryData).

-spec holes(memory_data()) -> ok.
holes(MemoryData) -> viv_instrument:holes(MemoryData).

-spec mem_limits(memory_data()) -> {Low :: integer(), High :: integer()}.
mem_limits(MemoryData) -> viv_instrument:mem_limits(MemoryData).

-spec sort(memory_data()) -> memory_data().
sort(MemoryData) -> viv_instrument:sort(MemoryData).

-spec sum_blocks(memory_data()) -> non_neg_integer().
sum_blocks(MemoryData) -> viv_instrument:sum_blocks(MemoryData).
