%% A reference of an earlier run of this node, under the same name, is no monitor any more: demonitor/1 answers true.
-module(r_demonitor_earlier).
-export([main/0]).

main() ->
    References = [reference(Name, Creation) || Name <- [atom_to_binary(node()), <<"x@y">>], Creation <- [0, 7, 1 bsl 32 - 1]],
    [io:format("~p~n", [[answer(R, Options) || Options <- [[], [info], [flush], [info, flush], [wrong]]]]) || R <- References],
    flushed(hd(References)).

reference(Name, Creation) ->
    binary_to_term(<<131, 90, 3:16, 119, (byte_size(Name)):8, Name/binary, Creation:32, 1:32, 2:32, 3:32>>).

answer(R, Options) -> try demonitor(R, Options) catch C:E -> {C, E} end.

%% What looks like its message goes with `flush`.
flushed(R) ->
    self() ! {'DOWN', R, process, self(), reason},
    self() ! other,
    true = demonitor(R, [flush]),
    io:format("~p~n", [receive {'DOWN', _, _, _, _} -> down; other -> other end]).
