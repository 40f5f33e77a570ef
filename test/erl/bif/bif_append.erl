%% Lists of all lengths appended in processes whose heaps are full at different places: part of a copy lies in the heap,
%% part of it beside.
-module(bif_append).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(appended, fun() -> [in_process(fun() -> appended(N) end) || N <- lengths()] end),
    t(tails, fun() -> [in_process(fun() -> tails(N) end) || N <- lengths()] end),
    t(no_lists, fun() -> [in_process(fun() -> bad(N) end) || N <- lengths()] end),
    t(empty, fun() -> [[] ++ X || X <- [[], a, [1], {}]] ++ [catch element(1, catch_error(fun() -> id(X) ++ [] end)) || X <- [a, [1 | 2], {}]] end).

lengths() -> lists:seq(0, 40) ++ [100, 115, 116, 117, 230, 233, 300, 1000, 5000, 100000].

in_process(Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({is, Fun()}) end),
    receive {'DOWN', Monitor, process, Pid, {is, Value}} -> Value end.

appended(N) ->
    List = lists:seq(1, N),
    Results = [List ++ [Tail] || Tail <- [a, b, c, {d}]],
    erlang:garbage_collect(),
    {[length(R) || R <- Results], [lists:last(R) || R <- Results], [lists:sublist(R, N) =:= List || R <- Results],
     erlang:phash2(Results)}.

tails(N) ->
    List = lists:seq(1, N),
    {Improper, Shared} = {List ++ tail, List ++ List},
    erlang:garbage_collect(),
    {erlang:phash2(Improper), length(Shared), lists:sum(Shared)}.

bad(N) ->
    Improper = lists:seq(1, N) ++ tail,
    Failed = catch_error(fun() -> Improper ++ [x] end),
    Last = lists:seq(1, N) ++ [last],
    erlang:garbage_collect(),
    {Failed, length(Last)}.

catch_error(Fun) ->
    try Fun() of _ -> none
    catch Class:Reason -> {Class, Reason}
    end.
