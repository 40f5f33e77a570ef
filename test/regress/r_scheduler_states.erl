%% What system_info tells of schedulers: how many there are, are on line, and active.
-module(r_scheduler_states).
-export([main/0]).

main() ->
    show(),
    erlang:system_flag(multi_scheduling, block_normal),
    show(),
    erlang:system_flag(multi_scheduling, unblock_normal),
    io:format("~p~n", [[Kind || Kind <- ["32-bit native atomics", "64-bit native atomics", "Double word native atomics"],
                                lists:keymember(Kind, 1, erlang:system_info(ethread_info))]]),
    io:format("~p~n", [erlang:system_info(beam_jump_table)]).

show() ->
    Items = [erlang:system_info(Item) || Item <- [schedulers_state, all_schedulers_state, run_queues]],
    io:format("~p~n", [all(erlang:system_info(schedulers), Items)]).

%% How many there are depends on the machine.
all(N, N) -> all;
all(N, T) when is_tuple(T) -> list_to_tuple(all(N, tuple_to_list(T)));
all(N, L) when is_list(L) -> [all(N, E) || E <- L];
all(_, T) -> T.
