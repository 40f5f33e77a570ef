%% The map of memory blocks, switched, read and asked for while everything else goes on.
-module(storm_memory).
-include("storm.hrl").
-export([actions/0, calms/0]).
-import(storm_any, [chance/1, one_of/1]).

actions() ->
    [{start, fun start/0}, {stop, fun stop/0}, {list, fun list/0}, {fold, fun fold/0}, {pieces, fun pieces/0},
     {figures, fun figures/0}].

%% Little room now and then: then it is sampled.
start() -> viv_memory_map:start(one_of([0, 0, 1 bsl 18]), chance(2)).

stop() ->
    case chance(5) of
        true -> viv_memory_map:stop();
        false -> ok
    end.

list() ->
    case viv_memory_map:blocks() of
        false -> ok;
        Blocks -> apart(lists:keysort(2, Blocks))
    end.

%% No two share a byte.
apart([{_, A, Bytes, _} = One | [{_, B, _, _} = Other | _] = Rest]) ->
    {_, _, true} = {One, Other, A + Bytes =< B},
    apart(Rest);
apart(_) -> ok.

fold() ->
    Types = length(viv_memory_map:types()),
    viv_memory_map:fold(fun({Type, _, Bytes, Owner, Site, _}, Sum) ->
                                true = Type < Types andalso (Owner =:= undefined orelse is_pid(Owner)),
                                _ = viv_memory_map:site(Site),
                                Sum + Bytes
                        end, 0).

%% Of snapshots that are not read to their end, or are another map's.
pieces() ->
    case viv_memory_map:snapshot() of
        false -> ok;
        Snapshot -> piece(Snapshot, 0, rand:uniform(5))
    end.

piece(_, _, 0) -> ok;
piece(Snapshot, From, N) ->
    case viv_memory_map:read_all(Snapshot, From, []) of
        stopped -> ok;
        {Next, _} -> piece(Snapshot, Next, N - 1)
    end.

figures() ->
    {_, Used, Allowed, _, _, _, _} = viv_memory_map:figures(),
    true = Used =< Allowed + 1 bsl 20,
    [viv_memory_map:status(Kind) || Kind <- [total, allocators, classes, types]],
    viv_memory_map:sums().

calms() -> viv_memory_map:stop().
