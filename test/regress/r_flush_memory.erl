%% What a message held that demonitor(Ref, [flush]) has taken out of the queue goes: nobody has looked at it.
-module(r_flush_memory).
-export([main/0]).

-define(BYTES, 1000000).
-define(TIMES, 40).

main() ->
    flush(1),
    garbage_collect(),
    Before = erlang:memory(binary),
    flush(?TIMES),
    garbage_collect(),
    io:format("kept: ~p~n", [(erlang:memory(binary) - Before) div (?TIMES div 2 * ?BYTES)]),
    io:format("left: ~p~n", [process_info(self(), message_queue_len)]).

flush(0) -> ok;
flush(N) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit(binary:copy(<<N>>, ?BYTES)) end),
    wait_for_message(),
    demonitor(Ref, [flush]),
    false = is_process_alive(Pid),
    flush(N - 1).

wait_for_message() ->
    case process_info(self(), message_queue_len) of
        {_, 0} -> erlang:yield(), wait_for_message();
        {_, 1} -> ok
    end.
