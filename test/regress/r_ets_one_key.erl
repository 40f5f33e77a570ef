%% Walks over the objects of one key: the table is held once, and the specification is compiled where it is used. And walks
%% that begin so, and go on in further slices; specifications that are too large for that.
-module(r_ets_one_key).
-export([main/0]).

main() ->
    [tables(Type, Options) || Type <- [set, bag, duplicate_bag, ordered_set],
                              Options <- [[], [compressed], [{write_concurrency, true}], [{keypos, 2}]]],
    forbidden(),
    named(),
    [rounds(Type) || Type <- [set, ordered_set]],
    renamed().

tables(Type, Options) ->
    T = ets:new(t, [public, Type | Options]),
    Fill = fun() -> ets:insert(T, [{X, X, [X, {Y}]} || X <- lists:seq(1, 50) ++ [1.0, {a, 2.5}, "key"], Y <- [1, 2]]) end,
    Fill(),
    io:format("~w ~w~n", [Type, Options]),
    [io:format("~w: ~w~n", [Key, lists:sort(answers(T, Key))]) || Key <- [1, 1.0, 7, 99, {a, 2.5}, {a, 2.0}, "key", 'no', '$_']],
    [begin
         Fill(),
         io:format("~w ~w~n", [ets:select_delete(T, Spec), ets:info(T, size)])
     end || Key <- [1, {a, 2.5}, 99, "key"],
            Spec <- [[{{Key, '_', '_'}, [], [true]}], [{{Key, Key, ['_', {2}]}, [], [true]}], [{{Key, '_', '_'}, [], [yes]}]]],
    io:format("~w~n", [[Why || Bad <- [[{{1, '_', '_'}, [{no_such, 1}], ['$_']}], [{{1, '_', '_'}, [], ['$1']}],
                                       [{{1, '_', '_'}, [], []}], [{{1}}], x],
                               {_, Why} <- [why(fun() -> ets:select(T, Bad) end)]]]).

answers(T, Key) ->
    All = [{wide(N), N} || N <- [1, 7, 8, 9, 30]],
    [ets:match(T, {Key, '$1', '_'}), ets:match(T, {Key, '$2', ['$1' | '$0']}), ets:match_object(T, {Key, Key, '_'}),
     ets:match_object(T, {Key, '_'}), ets:match(T, {Key, '$1', ['$1', {'$1'}]}),
     ets:select_count(T, [{{Key, '_', '$1'}, [{'is_list', '$1'}], [true]}]),
     ets:select(T, [{{Key, '$1', '_'}, [{'=:=', '$1', Guard}], [{{'$1', "constant", {const, {x}}}}, '$_']}
                    || Guard <- [1, 7, {const, Key}]]),
     [ets:select(T, [{{Key, '_', '$1'}, Guards, [Body]}]) || {{Guards, Body}, _} <- All],
     [ets:select(T, [{{'_', Key, '$1'}, Guards, [Body]}]) || {{Guards, Body}, _} <- All],
     [ets:match(T, list_to_tuple([Key, '_' | variables(N)])) || {_, N} <- All],
     ets:match(T, {'$300', Key, ['$5', {'$17'}]})].

wide(N) -> {[{'orelse', {is_atom, '$1'}, {is_list, '$1'}} || _ <- lists:seq(1, N)], [{{I, '$1', {hd, '$1'}}} || I <- lists:seq(1, N)]}.
variables(N) -> [list_to_atom([$$ | integer_to_list(I)]) || I <- lists:seq(N, 1, -1)].

%% What is wrong with the table counts before what is wrong with the specification.
forbidden() ->
    Me = self(),
    {Pid, M} = spawn_monitor(fun() ->
        Ts = [begin
                  T = ets:new(t, [Type, P]),
                  ets:insert(T, {1, a}),
                  T
              end || Type <- [set, ordered_set], P <- [private, protected, public]],
        Me ! Ts,
        receive stop -> ok end
    end),
    Ts = receive L -> L end,
    Deleted = ets:new(d, [public]),
    ets:delete(Deleted),
    [io:format("~w~n", [[why(fun() -> F(T) end) || F <- calls()]]) || T <- Ts ++ [Deleted, no_such_table, {x}, make_ref()]],
    Pid ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    io:format("~w~n", [[why(fun() -> F(hd(Ts)) end) || F <- calls()]]).

calls() ->
    [fun(T) -> ets:match(T, {1, '$1'}) end, fun(T) -> ets:match_object(T, {1, '_'}) end,
     fun(T) -> ets:select(T, [{{1, '$1'}, [], ['$1']}]) end, fun(T) -> ets:select(T, [{{1, '$1'}, [], ['$2']}]) end,
     fun(T) -> ets:select_count(T, [{{1, '$1'}, [], [false]}]) end, fun(T) -> ets:select_delete(T, [{{1, '$1'}, [], [false]}]) end,
     fun(T) -> ets:select_delete(T, [{{1, '$1'}, [], [x | y]}]) end, fun(T) -> ets:match(T, {}) end, fun(T) -> ets:select(T, []) end,
     fun(T) -> ets:match_delete(T, {2, '_'}) end].

why(Fun) ->
    try Fun()
    catch error:Reason:Stack -> {Reason, [Info || {ets, _, _, Info} <- Stack]}
    end.

named() ->
    nn = ets:new(nn, [named_table, {keypos, 2}]),
    ets:insert(nn, {a, 1}),
    io:format("~w~n", [[ets:match(nn, {'$1', 1}), ets:match(nn, {a, '$1'}), ets:match_object(nn, {a, 1})]]),
    ets:delete(nn),
    nn = ets:new(nn, [named_table]),
    ets:insert(nn, {a, 1}),
    io:format("~w~n", [[ets:match(nn, {'$1', 1}), ets:match(nn, {a, '$1'}), ets:match_object(nn, {a, 1})]]),
    ets:delete(nn).

%% The specification outlives the slice it began in, and the terms that it was made of.
rounds(Type) ->
    T = ets:new(t, [public, Type]),
    ets:insert(T, [{I, {key, I rem 10}, integer_to_list(I)} || I <- lists:seq(1, 30000)]),
    Pids = [spawn_monitor(fun() ->
                Keys = [{key, K} || K <- lists:seq(0, 9)],
                Found = [begin
                             Rows = ets:select(T, [{{'$1', Key, '_'}, [{'>', '$1', Low}], [{{'$1', {const, Key}, [Low]}}]}]),
                             [] = [Row || {I, K, [L]} = Row <- Rows, I =< Low orelse K =/= Key orelse L =/= Low],
                             length(Rows)
                         end || Key <- Keys, Low <- [0, 15000]],
                exit({Found, ets:select_count(T, [{{'_', hd(Keys), lists:duplicate(4, '_')}, [], [true]}])})
            end) || _ <- [1, 2]],
    [receive {'DOWN', M, _, _, Result} -> io:format("~w ~w~n", [Type, Result]) end || {_, M} <- Pids],
    io:format("~w ~w~n", [ets:select_delete(T, [{{'_', {key, 3}, '_'}, [], [true]}]), ets:info(T, size)]).

%% Tables that are deleted, made and renamed while somebody looks for a key of theirs: he sees one of them, or none.
renamed() ->
    {Pid, M} = spawn_monitor(fun() -> rename(2000) end),
    look(M, 0),
    false = is_process_alive(Pid),
    io:format("looked~n").

rename(0) -> ok;
rename(N) ->
    T = ets:new(rr, [named_table, public, {keypos, 1 + N rem 2}, element(1 + N rem 3, {set, ordered_set, bag})]),
    ets:insert(T, {key, key, N}),
    ets:rename(rr, ss),
    ets:delete(ss),
    rename(N - 1).

look(M, N) ->
    [try ets:match(rr, {key, '$1', '_'}) of
         [] -> ok;
         [[key]] -> ok
     catch error:badarg -> ok
     end || _ <- lists:seq(1, 50)],
    receive {'DOWN', M, _, _, normal} -> ok after 0 -> look(M, N + 1) end.
