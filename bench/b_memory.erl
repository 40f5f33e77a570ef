%% What a waiting process costs: resident memory as the machine counts it, and as process_info tells it.
-module(b_memory).
-export([group/0, benchmarks/0]).

group() -> memory.

benchmarks() ->
    [{"memory: waiting process, resident", bytes, fun() -> resident(100000) end},
     {"memory: waiting process, process_info", bytes, fun told/0}].

resident(Count) ->
    settle(1000),
    Before = resident_bytes(),
    Pids = [spawn(fun wait/0) || _ <- lists:seq(1, Count)],
    settle(Count),
    After = resident_bytes(),
    [Pid ! stop || Pid <- Pids],
    (After - Before) div Count.

wait() -> receive stop -> ok end.

settle(Milliseconds) -> receive after min(Milliseconds, 500) -> ok end.

resident_bytes() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = binary:split(Text, <<" ">>, [global]),
    binary_to_integer(Pages) * 4096.

told() ->
    Pid = spawn(fun wait/0),
    settle(10),
    {memory, Bytes} = process_info(Pid, memory),
    Pid ! stop,
    Bytes.
