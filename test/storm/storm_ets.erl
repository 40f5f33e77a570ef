%% Tables of all kinds, by all: what is counted in them adds up, walks see what stays, and what has no owner is gone.
-module(storm_ets).
-include("storm.hrl").
-export([begins/0, actions/0, calms/0, invariants/0]).
-import(storm_any, [chance/1, one_of/1, other/0, wait/1, down/1]).

-define(STAYS, 50).

begins() ->
    [ets:new(T, [named_table, public | Options]) ||
        {T, Options} <- [{storm_set, [set]}, {storm_tree, [ordered_set]}, {storm_bag, [bag]},
                         {storm_shared_set, [set, {write_concurrency, true}, {read_concurrency, true}]},
                         {storm_shared_tree, [ordered_set, {write_concurrency, true},
                                              {decentralized_counters, true}]}]],
    [ets:insert(T, [{{stays, I}, I, make_ref()} || I <- lists:seq(1, ?STAYS)]) || T <- ?TABLES],
    [ets:insert(T, [{{counter, I}, 0} || I <- lists:seq(1, ?COUNTERS)]) || T <- ?TABLES -- [storm_bag]],
    persistent_term:put(storm_begun, counters:new(1, [write_concurrency])),
    persistent_term:put(storm_done, counters:new(1, [write_concurrency])).

actions() ->
    [{count, fun count/0}, {insert, fun insert/0}, {delete, fun delete/0}, {walk, fun walk/0}, {walk_fixed, fun walk/0},
     {select, fun select/0}, {pages, fun pages/0}, {select_delete, fun select_delete/0}, {replace, fun replace/0},
     {info, fun info/0}, {own, fun own/0}, {own_named, fun own_named/0}, {give, fun give/0}, {heir, fun heir/0},
     {fix_and_die, fun fix_and_die/0}, {delete_under, fun delete_under/0}, {delete_all, fun delete_all/0},
     {rename, fun rename/0}, {large, fun large/0}, {swap_key, fun swap_key/0}, {fold, fun fold/0}].

table() -> one_of(?TABLES).
key() -> {rand:uniform(200)}.

%% How often it was begun and how often it was done: the sum is in between, whoever was killed.
count() ->
    Table = one_of(?TABLES -- [storm_bag]),
    counters:add(persistent_term:get(storm_begun), 1, 1),
    ets:update_counter(Table, {counter, rand:uniform(?COUNTERS)}, 1),
    counters:add(persistent_term:get(storm_done), 1, 1).

insert() ->
    T = table(),
    case rand:uniform(4) of
        1 -> ets:insert(T, [{key(), storm_any:term()} || _ <- lists:seq(1, rand:uniform(50))]);
        2 -> ets:insert_new(T, {key(), storm_any:term()});
        3 -> ets:insert(T, {key(), storm_any:term(), self()});
        4 -> ets:update_element(T, key(), {2, storm_any:term()})
    end.

delete() ->
    T = table(),
    case rand:uniform(4) of
        1 -> ets:delete(T, key());
        2 -> [ets:delete_object(T, O) || O <- ets:lookup(T, key())];
        3 -> ets:take(T, key());
        4 -> ets:match_delete(T, {key(), '_'})
    end.

%% What stays is seen once, whatever others put in and take out meanwhile.
walk() ->
    T = table(),
    ets:safe_fixtable(T, true),
    Seen = walk(T, ets:first(T)),
    ets:safe_fixtable(T, false),
    All = lists:seq(1, ?STAYS),
    All = lists:sort(Seen).

walk(_, '$end_of_table') -> [];
walk(T, {stays, I} = Key) -> [I | walk(T, ets:next(T, Key))];
walk(T, Key) -> walk(T, ets:next(T, Key)).

staying() -> [{{{stays, '$1'}, '_', '_'}, [], ['$1']}].

%% Selections without a key see each table as it is at one time, or a fixed one.
select() ->
    T = table(),
    All = lists:seq(1, ?STAYS),
    All = lists:sort(ets:select(T, staying())),
    ?STAYS = ets:select_count(T, [{{{stays, '_'}, '_', '_'}, [], [true]}]),
    [{{stays, 7}, 7, _}] = ets:lookup(T, {stays, 7}).

pages() ->
    T = table(),
    ets:safe_fixtable(T, true),
    Seen = pages(ets:select(T, staying(), rand:uniform(20))),
    ets:safe_fixtable(T, false),
    All = lists:seq(1, ?STAYS),
    All = lists:sort(Seen).

pages('$end_of_table') -> [];
pages({Found, Rest}) -> Found ++ pages(ets:select(Rest)).

select_delete() -> ets:select_delete(table(), [{{{'$1'}, '_'}, [{'<', '$1', rand:uniform(200)}], [true]}]).

replace() ->
    ets:select_replace(one_of(?TABLES -- [storm_bag]),
                       [{{{'$1'}, '$2'}, [{'=:=', '$1', rand:uniform(200)}], [{{{{'$1'}}, {{x}}}}]}]).

info() ->
    T = table(),
    Info = ets:info(T),
    {name, T} = lists:keyfind(name, 1, Info),
    true = ets:info(T, size) >= ?STAYS,
    true = ets:info(T, memory) > 0,
    ets:whereis(T) =/= undefined orelse error(no_table).

options() -> [one_of([set, ordered_set, bag, duplicate_bag]), one_of([public, protected]) |
              [compressed || chance(4)] ++ [{write_concurrency, true} || chance(2)]].

fill(T) -> ets:insert(T, [{I, storm_any:small_term()} || I <- lists:seq(1, rand:uniform(500))]), T.

%% When its end is told, what it owned is gone.
own() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Self ! {self(), [fill(ets:new(storm_own, options())) || _ <- [1, 2]]},
                                    storm_processes:waits(Self) end),
    receive
        {P, Ts} ->
            [catch ets:insert(T, {x, y}) || T <- Ts],
            exit(P, kill),
            down({P, M}),
            [undefined = ets:info(T, size) || T <- Ts],
            [undefined = ets:info(T) || T <- Ts];
        {'DOWN', M, _, _, _} -> ok
    end.

own_named() ->
    Name = one_of([storm_t1, storm_t2]),
    storm_any:in_child(fun() ->
        try ets:new(Name, [named_table | options()]) of
            Name -> fill(Name), chance(2) andalso ets:delete(Name)
        catch error:badarg -> ok
        end
    end).

give() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> catch ets:give_away(fill(ets:new(storm_given, options())), Self, given) end),
    down({P, M}),
    receive
        {'ETS-TRANSFER', T, P, given} -> Self = ets:info(T, owner), ets:delete(T), undefined = ets:info(T)
    after 0 -> ok
    end.

%% The heir has it before the end is told.
heir() ->
    Self = self(),
    Tag = make_ref(),
    {P, M} = spawn_monitor(fun() ->
        T = fill(ets:new(storm_heir, [{heir, Self, Tag} | options()])),
        Self ! {Tag, T},
        storm_processes:waits(Self)
    end),
    receive
        {Tag, T} ->
            exit(P, kill),
            down({P, M}),
            receive {'ETS-TRANSFER', T, P, Tag} -> Self = ets:info(T, owner), true = ets:delete(T) end;
        {'DOWN', M, _, _, _} -> receive {'ETS-TRANSFER', T, P, Tag} -> ets:delete(T) after 0 -> ok end
    end.

fix_and_die() ->
    T = table(),
    P = spawn_monitor(fun() -> [ets:safe_fixtable(T, true) || _ <- [1, 2, 3]], exit({storm, fixes}) end),
    down(P).

%% Others use it while it goes.
delete_under() ->
    T = fill(ets:new(storm_under, [public | options()])),
    {P, M} = spawn_monitor(fun() -> catch use(T) end),
    wait(rand:uniform(2) - 1),
    ets:delete(T),
    undefined = ets:info(T, size),
    down({P, M}).

use(T) -> ets:insert(T, {rand:uniform(500), x}), ets:lookup(T, rand:uniform(500)), ets:tab2list(T), use(T).

delete_all() ->
    T = fill(ets:new(storm_all, [public | options()])),
    P = spawn_monitor(fun() -> ets:safe_fixtable(T, chance(2)), ets:tab2list(T) end),
    ets:delete_all_objects(T),
    0 = ets:info(T, size),
    down(P),
    ets:delete(T).

rename() ->
    T = try ets:new(storm_r1, [named_table, public]) catch error:badarg -> none end,
    T =:= none orelse begin
        fill(T),
        try storm_r2 = ets:rename(T, storm_r2), ets:delete(storm_r2) catch error:badarg -> ets:delete(T) end
    end.

%% What comes out is what went in.
large() ->
    T = ets:new(storm_large, options()),
    X = storm_any:large_term(),
    ets:insert(T, {k, X}),
    [{k, Y}] = ets:lookup(T, k),
    true = X =:= Y,
    ets:delete(T).

swap_key() ->
    T = ets:new(storm_swap, options()),
    [begin ets:insert(T, {k, I}), ets:delete(T, k) end || I <- lists:seq(1, 50)],
    0 = ets:info(T, size),
    ets:delete(T).

fold() ->
    T = table(),
    All = lists:seq(1, ?STAYS),
    All = lists:sort(ets:foldl(fun({{stays, I}, _, _}, L) -> [I | L]; (_, L) -> L end, [], T)).

calms() ->
    [ets:select_delete(T, [{{{'_'}, '_'}, [], [true]}, {{{'_'}, '_', '_'}, [], [true]}]) || T <- ?TABLES].

invariants() ->
    Sum = lists:sum([N || T <- ?TABLES -- [storm_bag], I <- lists:seq(1, ?COUNTERS),
                          {_, N} <- ets:lookup(T, {counter, I})]),
    [{"counters in tables", counters:get(persistent_term:get(storm_done), 1) =< Sum andalso
                            Sum =< counters:get(persistent_term:get(storm_begun), 1)} |
     [{"tables not fixed", ets:info(T, safe_fixed) =:= false} || T <- ?TABLES] ++
     [{"nothing else in tables", lists:member(ets:info(T, size), [?STAYS, ?STAYS + ?COUNTERS])} || T <- ?TABLES]].
