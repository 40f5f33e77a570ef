%% erlang:is_builtin/3 told of what is native here, not of what is native in the stock runtime: xref over stdlib then found
%% other call graphs on the two.
-module(r_is_builtin).
-export([main/0]).

main() ->
    io:format("~p~n", [lists:member({erlang, hibernate, 3}, erlang:system_info(snifs))]),
    [io:format("~w ~w~n", [{F, A}, erlang:is_builtin(erlang, F, A)])
     || {F, A} <- [{min, 2}, {max, 2}, {halt, 0}, {halt, 1}, {halt, 2}, {group_leader, 0}, {group_leader, 2}, {garbage_collect, 0},
                   {spawn, 1}, {spawn, 3}, {spawn_link, 3}, {spawn_opt, 2}, {memory, 0}, {memory, 1}, {apply, 2}, {apply, 3},
                   {apply, 4}, {yield, 0}, {hibernate, 3}, {abs, 1}, {no_such, 1}]].
