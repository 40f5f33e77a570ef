%% A table that is kept fixed: a key that comes and goes has one place, however often, and the search for the next key
%% finds its way on from keys that are gone, over many places where nothing is; all of it goes after the last unfixing.
-module(r_ets_fixed_places).
-export([main/0]).

main() ->
    [one_key(W) || W <- [[], [{write_concurrency, true}]]],
    [bags(Type, W) || Type <- [bag, duplicate_bag], W <- [[], [{write_concurrency, true}]]],
    [steps(Type, W) || Type <- [set, bag], W <- [[], [{write_concurrency, true}]]],
    [all_at_once(Type, W) || Type <- [set, duplicate_bag], W <- [[], [{write_concurrency, true}]]],
    [while_walked(W) || W <- [[], [{write_concurrency, true}]]],
    keys_of_many_clauses().

kept(T) -> element(7, ets:info(T, stats)).

one_key(W) ->
    T = ets:new(t, [public | W]),
    ets:insert(T, {other, 1}),
    ets:safe_fixtable(T, true),
    [begin ets:insert(T, {key, I}), ets:delete(T, key) end || I <- lists:seq(1, 30000)],
    Kept = kept(T),
    ets:insert(T, {key, last}),
    Again = kept(T),
    [begin ets:delete_object(T, {key, last}), ets:insert(T, {key, last}), ets:take(T, key), ets:insert_new(T, {key, last}) end
     || _ <- lists:seq(1, 1000)],
    ets:select_delete(T, [{{key, '_'}, [], [true]}]),
    Deleted = kept(T),
    ets:safe_fixtable(T, false),
    io:format("one key ~p: ~p ~p ~p ~p ~p~n", [W, Kept, Again, Deleted, kept(T), ets:tab2list(T)]).

%% Objects of a key keep their order. The key leads on while some are there and when none is.
bags(Type, W) ->
    T = ets:new(t, [Type | W]),
    ets:insert(T, [{a, 1}, {a, 2}, {a, 3}, {a, 4}]),
    ets:safe_fixtable(T, true),
    ets:delete_object(T, {a, 1}),
    ets:delete_object(T, {a, 4}),
    R1 = {ets:lookup(T, a), ets:next(T, a)},
    ets:delete_object(T, {a, 3}),
    ets:delete_object(T, {a, 2}),
    R2 = {ets:lookup(T, a), ets:member(T, a), ets:next(T, a), ets:first(T)},
    ets:insert(T, [{a, 5}, {a, 6}]),
    [begin ets:insert(T, {a, 7}), ets:delete_object(T, {a, 7}) end || _ <- lists:seq(1, 3000)],
    R3 = {ets:lookup(T, a), ets:select_count(T, [{{a, '_'}, [], [true]}]), ets:info(T, size)},
    ets:match_delete(T, {a, '_'}),
    R4 = {ets:info(T, size), ets:next(T, a)},
    ets:safe_fixtable(T, false),
    io:format("~p ~p: ~p ~p ~p ~p ~p ~p~n", [Type, W, R1, R2, R3, R4, kept(T), catch_error(fun() -> ets:next(T, a) end)]).

%% From key to key while each is deleted, and then once more over what is no longer there.
steps(Type, W) ->
    T = ets:new(t, [Type | W]),
    ets:insert(T, [{I} || I <- lists:seq(1, 20000)]),
    ets:safe_fixtable(T, true),
    First = ets:first(T),
    N = delete_on(T, First, 0),
    ets:insert(T, [{I} || I <- lists:seq(30001, 30003)]),
    Met = walk(T, ets:next(T, First), []),
    ets:safe_fixtable(T, false),
    io:format("~p ~p: ~p, ~p left, ~p met, ~p kept~n", [Type, W, N, ets:info(T, size), lists:sort([First || First > 30000] ++ Met) -- [x], kept(T)]).

delete_on(_, '$end_of_table', N) -> N;
delete_on(T, Key, N) -> ets:delete(T, Key), delete_on(T, ets:next(T, Key), N + 1).

walk(_, '$end_of_table', Met) -> Met;
walk(T, Key, Met) -> walk(T, ets:next(T, Key), [Key | Met]).

%% All are deleted at once; those that come afterwards are others.
all_at_once(Type, W) ->
    T = ets:new(t, [Type, public | W]),
    ets:insert(T, [{I, old} || I <- lists:seq(1, 5000)]),
    ets:safe_fixtable(T, true),
    Key = ets:first(T),
    ets:delete_all_objects(T),
    R1 = {ets:info(T, size), ets:first(T), ets:next(T, Key), ets:lookup(T, 17), ets:tab2list(T)},
    ets:insert(T, [{I, new} || I <- lists:seq(4999, 5002)]),
    R2 = {ets:info(T, size), lists:sort(ets:tab2list(T)), ets:lookup(T, 4999), ets:member(T, 1)},
    ets:delete_all_objects(T),
    ets:insert(T, {1, newest}),
    R3 = {ets:info(T, size), ets:tab2list(T)},
    ets:safe_fixtable(T, false),
    R4 = {ets:tab2list(T), kept(T), catch_error(fun() -> ets:next(T, 4999) end)},
    [ets:insert(T, {I, more}) || I <- lists:seq(1, 3000)],
    io:format("~p ~p: ~p ~p ~p ~p ~p~n", [Type, W, R1, R2, R3, R4, ets:info(T, size)]).

%% Others insert, delete and empty the table while it is walked along: what stays is met just once.
while_walked(W) ->
    T = ets:new(t, [public | W]),
    ets:insert(T, [{{stays, I}} || I <- lists:seq(1, 2000)]),
    ets:insert(T, [{{goes, I}} || I <- lists:seq(1, 2000)]),
    Others = [spawn_monitor(fun() -> come_and_go(T, I * 1000, 3000) end) || I <- lists:seq(1, 3)],
    Bad = [R || _ <- lists:seq(1, 30), R <- [walked(T)], R =/= 2000],
    [receive {'DOWN', M, _, _, normal} -> ok end || {_, M} <- Others],
    io:format("while walked ~p: ~p ~p ~p~n", [W, Bad, ets:info(T, fixed), ets:info(T, size) >= 2000]).

walked(T) ->
    ets:safe_fixtable(T, true),
    Met = [I || {stays, I} <- walk(T, ets:first(T), [])],
    ets:safe_fixtable(T, false),
    case length(Met) =:= length(lists:usort(Met)) of
        true -> length(Met);
        false -> twice
    end.

come_and_go(_, _, 0) -> ok;
come_and_go(T, I, N) ->
    ets:delete(T, {goes, (I + N) rem 2000}),
    ets:insert(T, {{goes, (I + 7 * N) rem 2000}}),
    ets:delete(T, {goes, (I + 7 * N) rem 2000}),
    come_and_go(T, I, N - 1).

%% Each key is looked up once, in the order of the clauses.
keys_of_many_clauses() ->
    T = ets:new(t, [duplicate_bag]),
    ets:insert(T, [{I rem 100, I} || I <- lists:seq(1, 300)]),
    Spec = [{{I rem 150, '$1'}, [], ['$1']} || I <- lists:seq(1, 600)],
    Found = ets:select(T, Spec),
    io:format("clauses: ~p ~p ~p~n", [length(Found), lists:sort(Found) =:= lists:seq(1, 300), ets:select_count(T, [{{1, '_'}, [], [true]}])]).

catch_error(F) -> try F() catch error:E -> {error, E} end.
