%% The size of a table is one that it had at some moment: while each object goes only when the next one is there, it is
%% 1 or 2, however often somebody asks; and 3 objects of a key go at once.
-module(r_ets_sizes).
-export([main/0]).

-define(ROUNDS, 60000).

main() ->
    [io:format("~p: ~p~n", [Options, asked(Options, fun moves/2, [1, 2])]) || Options <- tables()],
    [io:format("~p, two: ~p~n", [Options, asked(Options, fun moves_with_another/2, [1, 2])]) || Options <- tables()],
    [io:format("~p, replaced: ~p~n", [Options, asked(Options, fun replaces/2, [1])]) || Options <- tables()],
    [io:format("~p, deleted by selection: ~p~n", [Options, asked(Options, fun selects/2, [1, 2])])
     || Options <- tables()],
    [io:format("~p, three at once: ~p~n", [Options, asked(Options, fun threes/2, [1, 4])])
     || Options <- [[bag, {write_concurrency, true}], [duplicate_bag, {write_concurrency, auto}]]].

tables() ->
    [[], [{write_concurrency, true}], [{write_concurrency, auto}], [ordered_set, {write_concurrency, true}],
     [ordered_set, {write_concurrency, true}, {decentralized_counters, false}]].

%% `as_it_was`, or all sizes that were told.
asked(Options, Writes, Sizes) ->
    T = ets:new(t, [public | Options]),
    ets:insert(T, {0, x}),
    Stop = atomics:new(1, []),
    {Asks, M} = spawn_monitor(fun() -> exit(asks(T, Stop, [])) end),
    Writes(T, ?ROUNDS),
    atomics:put(Stop, 1, 1),
    receive {'DOWN', M, process, Asks, Told} -> ok end,
    ets:delete(T),
    case Told -- Sizes of
        [] -> as_it_was;
        _ -> Told
    end.

asks(T, Stop, Told) ->
    Size = ets:info(T, size),
    Now = case lists:member(Size, Told) of true -> Told; false -> [Size | Told] end,
    case atomics:get(Stop, 1) of
        1 -> Now;
        0 -> asks(T, Stop, Now)
    end.

moves(T, N) -> moves(T, 0, N).
moves(_, _, 0) -> ok;
moves(T, I, N) ->
    ets:insert(T, {I + 1, x}),
    ets:delete(T, I),
    moves(T, I + 1, N - 1).

%% One puts in, the other takes out.
moves_with_another(T, N) ->
    Me = self(),
    {Other, M} = spawn_monitor(fun() -> takes_out(T, Me) end),
    puts_in(T, 0, N div 6, Other),
    Other ! done,
    receive {'DOWN', M, process, Other, normal} -> ok end.

puts_in(_, _, 0, _) -> ok;
puts_in(T, I, N, Other) ->
    ets:insert(T, {I + 1, x}),
    Other ! I,
    receive out -> puts_in(T, I + 1, N - 1, Other) end.

takes_out(T, Other) ->
    receive
        done -> ok;
        I -> ets:delete(T, I), Other ! out, takes_out(T, Other)
    end.

replaces(T, N) -> [ets:insert(T, {0, lists:duplicate(I rem 5, I)}) || I <- lists:seq(1, N)].

selects(T, N) -> selects(T, 0, N div 100).
selects(_, _, 0) -> ok;
selects(T, I, N) ->
    ets:insert(T, {I + 1, x}),
    1 = ets:select_delete(T, [{{'$1', '_'}, [{'=:=', '$1', {const, I}}], [true]}]),
    selects(T, I + 1, N - 1).

%% Three objects come at once, and go at once.
threes(T, N) -> [three(T) || _ <- lists:seq(1, N div 3)].
three(T) ->
    ets:insert(T, [{key, I} || I <- [1, 2, 3]]),
    ets:delete(T, key).
