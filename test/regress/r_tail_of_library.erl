%% What is Erlang code on the stock runtime, and is built in here, leaves no frame of who called it last.
-module(r_tail_of_library).
-export([main/0]).

main() -> [io:format("~s ~p~n", [Name, {trace(Tail), trace(Body)}]) || {Name, Tail, Body} <- calls()].

calls() ->
    Bad = binary_to_atom(<<"bad">>),
    [{"spawn_opt/2", fun() -> spawn_opt(Bad, []) end, fun() -> {spawn_opt(Bad, [])} end},
     {"spawn_opt/2, an option", fun() -> spawn_opt(fun() -> ok end, [Bad]) end,
      fun() -> {spawn_opt(fun() -> ok end, [Bad])} end},
     {"spawn/1", fun() -> spawn(Bad) end, fun() -> {spawn(Bad)} end},
     {"spawn_link/1", fun() -> spawn_link(Bad) end, fun() -> {spawn_link(Bad)} end},
     {"spawn_monitor/1", fun() -> spawn_monitor(Bad) end, fun() -> {spawn_monitor(Bad)} end},
     {"spawn_monitor/3", fun() -> spawn_monitor(Bad, 1, 2) end, fun() -> {spawn_monitor(Bad, 1, 2)} end},
     {"memory/1", fun() -> erlang:memory(Bad) end, fun() -> {erlang:memory(Bad)} end},
     {"group_leader/2", fun() -> group_leader(Bad, self()) end, fun() -> {group_leader(Bad, self())} end},
     {"suspend_process/1", fun() -> erlang:suspend_process(Bad) end, fun() -> {erlang:suspend_process(Bad)} end},
     {"suspend_process/2", fun() -> erlang:suspend_process(Bad, []) end,
      fun() -> {erlang:suspend_process(Bad, [])} end},
     {"halt/1", fun() -> halt(Bad) end, fun() -> {halt(Bad)} end},
     {"binary_to_atom/1, which is built in", fun() -> binary_to_atom(Bad) end, fun() -> {binary_to_atom(Bad)} end}].

trace(Fun) ->
    try {Fun()}
    catch Class:Reason:Stack -> {Class, Reason, [{F, arity(A)} || {M, F, A, _} <- Stack, M =:= erlang orelse M =:= ?MODULE]}
    end.

arity(A) -> if is_list(A) -> length(A); true -> A end.
