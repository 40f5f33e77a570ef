%% Collections of a large heap count in statistics(garbage_collection): those that took long were done by a thread that had
%% no scheduler any more, and did not.
-module(r_large_collections).
-export([main/0]).

main() ->
    {Pid, Ref} = spawn_monitor(fun() -> collect(lists:seq(1, 1000000)) end),
    receive {'DOWN', Ref, process, Pid, {Counted, Kept}} -> io:format("~p ~p~n", [Counted, Kept]) end.

collect(Live) ->
    {Before, Words, 0} = statistics(garbage_collection),
    [begin _ = lists:seq(1, 1000000), garbage_collect() end || _ <- lists:seq(1, 20)],
    {After, More, 0} = statistics(garbage_collection),
    exit({{After - Before >= 20, More - Words >= 20 * 1000000}, length(Live)}).
