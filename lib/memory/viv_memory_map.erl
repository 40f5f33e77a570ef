%% The map of memory blocks as the runtime has it: what instrument and viv_memory are made of.
%%
%% A block is in the map when it came while the map was on. A snapshot is the blocks that were there when it began and
%% still were, unmoved, when their part of it was read; it is read piece by piece, while everybody goes on.
-module(viv_memory_map).
-export([start/2, stop/0, figures/0, types/0, status/1, sums/0, site/1, fold/2, blocks/0, weight/2]).
-export([snapshot/0, read/3, read_all/3, sort/1, module/1]).
-export_type([block/0, plain_block/0]).

-type type_number() :: non_neg_integer(). % its place in types/0, from 0 on
-type plain_block() :: {type_number(), Address :: pos_integer(), Bytes :: non_neg_integer(),
                        {0, Number :: non_neg_integer(), Serial :: non_neg_integer()} | undefined}.
%% Shift: 0 when each block is taken, else the block was chosen with the probability 1 - exp(-Bytes / 2^Shift).
-type block() :: {type_number(), Address :: pos_integer(), Bytes :: non_neg_integer(), pid() | undefined,
                  Site :: non_neg_integer(), Shift :: non_neg_integer()}.
-type maximum() :: {Now :: integer(), SinceAsked :: integer(), Ever :: integer()}.
-type snapshot() :: pos_integer().

%% True: on from now on, with at most so many bytes for records of blocks (0: a sixteenth of the machine's memory), and
%% with the places in programs where blocks are asked for. False: it was on.
-spec start(non_neg_integer(), boolean()) -> boolean().
start(_RecordBytes, _Sites) -> erlang:nif_error(undef).

%% False: it was off.
-spec stop() -> boolean().
stop() -> erlang:nif_error(undef).

%% RecordBytes of RecordBytesAllowed are used, by so many Records; blocks are sampled with Shift; Missed could not be
%% recorded at all.
-spec figures() -> {IsOn :: boolean(), RecordBytes :: non_neg_integer(), RecordBytesAllowed :: non_neg_integer(),
                    Records :: non_neg_integer(), Shift :: non_neg_integer(), MissedBlocks :: non_neg_integer(),
                    MissedBytes :: non_neg_integer()}.
figures() -> erlang:nif_error(undef).

-spec types() -> [{Type :: atom(), Class :: atom(), Description :: string()}].
types() -> erlang:nif_error(undef).

%% What is held of what was asked for, and was at most since this was last asked and since the start. False: +Mis is
%% off.
-spec status(total | allocators | classes | types) ->
          [{About :: atom(), Sizes :: maximum(), Blocks :: maximum()}] | false.
status(_Kind) -> erlang:nif_error(undef).

%% What is held, with what the allocator gave beyond what was asked for; always there.
-spec sums() -> [{Type :: atom(), Bytes :: integer(), Blocks :: integer()}].
sums() -> erlang:nif_error(undef).

%% Where in a program a block was asked for: Site of it. Line is 0 where it is unknown.
-spec site(Site :: non_neg_integer()) -> {module(), Function :: atom(), arity(), Line :: non_neg_integer()} | undefined.
site(_Site) -> erlang:nif_error(undef).

-spec snapshot() -> snapshot() | false.
snapshot() -> erlang:nif_error(undef).

-spec read(snapshot(), From, [plain_block()]) -> {Next, [plain_block()]} | stopped
              when From :: non_neg_integer(), Next :: non_neg_integer().
read(_Snapshot, _From, _Blocks) -> erlang:nif_error(undef).

-spec read_all(snapshot(), From, [block()]) -> {Next, [block()]} | stopped
              when From :: non_neg_integer(), Next :: non_neg_integer().
read_all(_Snapshot, _From, _Blocks) -> erlang:nif_error(undef).

%% By address. False: there is an address that is no small integer, or no memory for it.
-spec sort([plain_block()]) -> [plain_block()] | false.
sort(_Blocks) -> erlang:nif_error(undef).

%% Bytes that the code of a module takes.
-spec module(module()) -> [{current | old, Code :: pos_integer(), Literals :: non_neg_integer()}].
module(_Name) -> erlang:nif_error(undef).

%% All the blocks, in no order. False: the map is off, or was stopped meanwhile.
-spec blocks() -> [plain_block()] | false.
blocks() ->
    case snapshot() of
        false -> false;
        Snapshot -> blocks(Snapshot, 0, [])
    end.

blocks(Snapshot, From, Blocks) ->
    case read(Snapshot, From, Blocks) of
        {0, All} -> All;
        {Next, More} -> blocks(Snapshot, Next, More);
        stopped -> false
    end.

%% Fun(Block, Acc) for each block. False: the map is off, or was stopped meanwhile.
-spec fold(fun((block(), Acc) -> Acc), Acc) -> {ok, Acc} | false.
fold(Fun, Acc) ->
    case snapshot() of
        false -> false;
        Snapshot -> fold(Snapshot, 0, Fun, Acc)
    end.

fold(Snapshot, From, Fun, Acc) ->
    case read_all(Snapshot, From, []) of
        {0, Blocks} -> {ok, lists:foldl(Fun, Acc, Blocks)};
        {Next, Blocks} -> fold(Snapshot, Next, Fun, lists:foldl(Fun, Acc, Blocks));
        stopped -> false
    end.

%% How many blocks of so many bytes one that was sampled with Shift stands for.
-spec weight(non_neg_integer(), non_neg_integer()) -> number().
weight(_, 0) -> 1;
weight(0, _) -> 1;
weight(Bytes, Shift) -> 1 / (1 - math:exp(-Bytes / (1 bsl Shift))).
