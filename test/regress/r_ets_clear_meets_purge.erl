%% All objects of a table are deleted while another process purges what was deleted when it was fixed: nothing stays.
-module(r_ets_clear_meets_purge).
-export([main/0]).

main() ->
    [io:format("~p~n", [{Options, stays(Options)}])
     || Options <- [[set], [set, {write_concurrency, true}], [duplicate_bag]]].

stays(Options) ->
    Table = ets:new(table, [public | Options]),
    Before = erlang:memory(ets),
    Stop = atomics:new(1, []),
    {Clears, M} = spawn_monitor(fun() -> clear(Table, Stop) end),
    [fill(Table) || _ <- lists:seq(1, 15)],
    atomics:put(Stop, 1, 1),
    receive {'DOWN', M, process, Clears, normal} -> ok end,
    ets:delete(Table),
    given_back(Before + 2000000, 3000).

fill(Table) ->
    ets:safe_fixtable(Table, true),
    ets:insert(Table, [{I, I, "some data here"} || I <- lists:seq(1, 20000)]),
    ets:delete_all_objects(Table),
    ets:safe_fixtable(Table, false).

clear(Table, Stop) ->
    ets:info(Table, fixed) =:= false andalso ets:delete_all_objects(Table),
    atomics:get(Stop, 1) =:= 1 orelse clear(Table, Stop).

%% What is freed goes later.
given_back(Most, Times) ->
    case erlang:memory(ets) of
        Bytes when Bytes =< Most -> nothing;
        Bytes when Times =:= 0 -> Bytes - Most;
        _ -> receive after 20 -> ok end, given_back(Most, Times - 1)
    end.
