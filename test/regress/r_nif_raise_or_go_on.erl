%% A native function that raises an exception and schedules another function does what it did last; a dirty one raises.
-module(r_nif_raise_or_go_on).
-export([main/0, raise_then_schedule/0, raise_then_schedule_dirty/0, raise_schedule_return_exception/0,
         schedule_then_raise/0, dirty_raise_then_schedule/0, dirty_schedule_then_raise/0]).
-nifs([raise_then_schedule/0, raise_then_schedule_dirty/0, raise_schedule_return_exception/0, schedule_then_raise/0,
       dirty_raise_then_schedule/0, dirty_schedule_then_raise/0]).

raise_then_schedule() -> erlang:nif_error(not_loaded).
raise_then_schedule_dirty() -> erlang:nif_error(not_loaded).
raise_schedule_return_exception() -> erlang:nif_error(not_loaded).
schedule_then_raise() -> erlang:nif_error(not_loaded).
dirty_raise_then_schedule() -> erlang:nif_error(not_loaded).
dirty_schedule_then_raise() -> erlang:nif_error(not_loaded).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), []),
    [io:format("~p ~p~n", [F, try ?MODULE:F() catch C:R -> {C, R} end])
     || F <- [raise_then_schedule, raise_then_schedule_dirty, raise_schedule_return_exception, schedule_then_raise,
              dirty_raise_then_schedule, dirty_schedule_then_raise, raise_then_schedule]].
