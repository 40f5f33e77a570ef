%% To monitor oneself is nothing, and so is its alias; a heap's sizes are as large as they are asked for.
-module(r_monitor_oneself).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [Kind, itself(Kind)]) || Kind <- [explicit_unalias, demonitor, reply_demonitor]],
    [io:format("~p: ~p~n", [Size, flag(Size)])
     || Size <- [0, 1, 100000, 4000000000, (1 bsl 32) - 1, 1 bsl 32, 5000000000, 1 bsl 33, 1 bsl 40, 1 bsl 59, -1, foo]].

itself(Kind) ->
    Ref = monitor(process, self(), [{alias, Kind}]),
    Ref ! first,
    First = heard(),
    Demonitor = demonitor(Ref, [info]),
    Ref ! second,
    {First, Demonitor, heard(), unalias(Ref)}.

heard() -> receive M -> M after 20 -> nothing end.

flag(Size) ->
    {_, M} = spawn_monitor(fun() ->
        exit(try process_flag(min_bin_vheap_size, Size) of
                 Old -> {Old, process_info(self(), min_bin_vheap_size)}
             catch error:Error -> Error
             end)
    end),
    receive {'DOWN', M, _, _, Why} -> Why end.
