%% A process that makes garbage, and keeps next to nothing, stays below a limit of its heap.
-module(r_garbage_within_limit).
-export([main/0]).

main() ->
    Limit = #{size => 10000, error_logger => false},
    {Pid, Monitor} = spawn_opt(fun() -> exit(loop(1000000)) end, [monitor, {max_heap_size, Limit}]),
    receive {'DOWN', Monitor, process, Pid, Reason} -> io:format("~p~n", [Reason]) end.

loop(1) -> done;
loop(N) -> loop(binary_to_term(term_to_binary(N)) - 1).
