%% Tables that many processes find by name, fill, walk, rename, give away and delete at the same time. What is printed does
%% not depend on who comes first.
-module(stress_tables).
-export([main/0]).

-define(NAMES, [stress_x, stress_y, stress_z]).

main() ->
    Before = length(ets:all()),
    [io:format("~p ~p: ~p~n", [Type, WC, mixed(Type, WC)])
     || Type <- [set, ordered_set, bag, duplicate_bag], WC <- [false, true]],
    io:format("left: ~p, ~p~n", [length(ets:all()) - Before, [N || N <- ?NAMES, ets:whereis(N) =/= undefined]]),
    [io:format("sums ~p ~p: ~p~n", [Type, WC, sums(Type, WC)]) || Type <- [set, ordered_set], WC <- [false, true]],
    [io:format("walks ~p: ~p~n", [WC, walks(WC)]) || WC <- [false, true]],
    io:format("heirs: ~p~n", [heirs()]).

mixed(Type, WC) ->
    Taker = spawn_monitor(fun() -> register(stress_taker, self()), take() end),
    Pids = [spawn_monitor(fun() -> rand:seed(exsss, I), loop(Type, WC, 250) end) || I <- lists:seq(1, 8)],
    Ends = lists:usort([receive {'DOWN', R, process, P, Reason} -> Reason end || {P, R} <- Pids]),
    exit(element(1, Taker), kill),
    receive {'DOWN', R, _, _, killed} when R =:= element(2, Taker) -> Ends end.

%% Tables are given away to it, and left to it.
take() -> receive _ -> take() end.

loop(_, _, 0) -> ok;
loop(Type, WC, N) ->
    Name = lists:nth(rand:uniform(3), ?NAMES),
    try step(rand:uniform(14), Name, Type, WC, N) catch error:badarg -> gone end,
    receive {'ETS-TRANSFER', _, _, _} -> ok after 0 -> ok end,
    loop(Type, WC, N - 1).

step(1, Name, Type, WC, _) ->
    ets:new(Name, [named_table, public, Type, {write_concurrency, WC}]),
    ets:insert(Name, [{K, lists:seq(1, K rem 9), <<K:600>>} || K <- lists:seq(1, 200)]);
step(2, Name, _, _, _) -> ets:delete(Name);
step(3, Name, _, _, _) -> ets:rename(Name, lists:nth(rand:uniform(3), ?NAMES));
step(4, Name, _, _, _) -> ets:delete_all_objects(Name);
step(5, Name, _, _, _) -> ets:give_away(Name, whereis(stress_taker), gift);
step(6, Name, _, _, _) -> ets:tab2list(Name);
step(7, Name, _, _, _) -> ets:select_delete(Name, [{{'$1', '_', '_'}, [{'=:=', {'rem', '$1', 3}, 0}], [true]}]);
step(8, Name, _, _, _) -> ets:info(Name), ets:info(Name, size), ets:info(Name, stats);
step(9, Name, _, _, N) -> T = ets:whereis(Name), ets:insert(T, {N, new, <<N:700>>}), ets:lookup(T, N), ets:delete(T, N);
step(10, Name, _, _, _) -> ets:safe_fixtable(Name, true), walk(Name, ets:first(Name), 40), ets:safe_fixtable(Name, false);
step(11, Name, _, _, _) -> ets:foldl(fun(O, Sum) -> Sum + size(O) end, 0, Name);
step(12, _, _, _, _) -> [catch ets:info(T, name) || T <- ets:all()];
step(13, Name, _, _, _) -> ets:setopts(Name, {heir, whereis(stress_taker), x});
step(14, Name, _, _, N) -> ets:update_element(Name, N rem 200, {2, [N]}), ets:take(Name, N rem 100).

walk(_, '$end_of_table', _) -> ok;
walk(_, _, 0) -> ok;
walk(T, K, N) -> walk(T, ets:next(T, K), N - 1).

%% Counters that everybody raises lose nothing, while keys come and go around them.
sums(Type, WC) ->
    T = ets:new(t, [public, Type, {write_concurrency, WC}]),
    ets:insert(T, [{{sum, K}, 0} || K <- lists:seq(1, 10)]),
    Pids = [spawn_monitor(fun() ->
        [begin
             ets:update_counter(T, {sum, 1 + K rem 10}, 1),
             ets:insert(T, {{I, K}, K}),
             K rem 2 =:= 0 andalso ets:delete(T, {I, K})
         end || K <- lists:seq(1, 1000)]
    end) || I <- lists:seq(1, 8)],
    [receive {'DOWN', R, process, P, _} -> ok end || {P, R} <- Pids],
    Sum = ets:select(T, [{{{sum, '_'}, '$1'}, [], ['$1']}]),
    Size = ets:info(T, size),
    ets:delete(T),
    {lists:sum(Sum), Size}.

%% Who walks a fixed table meets every object that stays, whatever comes and goes meanwhile.
walks(WC) ->
    T = ets:new(t, [public, {write_concurrency, WC}]),
    ets:insert(T, [{K, stays} || K <- lists:seq(1, 500)]),
    Changers = [spawn_link(fun Loop() ->
        K = 1000 + rand:uniform(2000),
        ets:insert(T, {K, goes}),
        ets:delete(T, 1000 + rand:uniform(2000)),
        receive stop -> ok after 0 -> Loop() end
    end) || _ <- lists:seq(1, 3)],
    Found = [begin
        ets:safe_fixtable(T, true),
        Keys = keys(T, ets:first(T)),
        ets:safe_fixtable(T, false),
        Selected = ets:select(T, [{{'$1', stays}, [], ['$1']}]),
        {length([K || K <- Keys, K =< 500]), length(lists:usort([K || K <- Keys, K =< 500])), length(Selected)}
    end || _ <- lists:seq(1, 10)],
    [begin unlink(P), M = monitor(process, P), P ! stop, receive {'DOWN', M, _, _, _} -> ok end end || P <- Changers],
    ets:delete(T),
    lists:usort(Found).

keys(_, '$end_of_table') -> [];
keys(T, K) -> [K | keys(T, ets:next(T, K))].

%% Owners end while others delete their tables: a table goes to its heir, or was deleted, and the heir hears of it once.
heirs() ->
    Self = self(),
    Results = [begin
        {Owner, M} = spawn_monitor(fun() ->
            T = ets:new(stress_heir, [named_table, public, {heir, Self, I}]),
            ets:insert(T, [{K, K} || K <- lists:seq(1, 50)]),
            Self ! made,
            receive go -> ok end
        end),
        receive made -> ok end,
        Deleter = spawn_monitor(fun() -> Owner ! go, catch ets:delete(stress_heir) end),
        receive {'DOWN', M, _, _, _} -> ok end,
        receive {'DOWN', M2, _, _, _} when M2 =:= element(2, Deleter) -> ok end,
        %% What came to us before it was deleted is told, and cannot be found.
        receive {'ETS-TRANSFER', stress_heir, Owner, I} -> ok after 0 -> ok end,
        catch ets:delete(stress_heir),
        ets:whereis(stress_heir)
    end || I <- lists:seq(1, 60)],
    lists:usort(Results).
