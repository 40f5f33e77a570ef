%% What a new max_heap_size does not say is the system's, not what the process had.
-module(r_heap_limit_flags).
-export([main/0]).

main() ->
    [set(V) || V <- [both_off(1000000), 0, #{size => 0}, both_off(1000000), #{size => 0}, 1000000, 0]],
    erlang:system_flag(max_heap_size, #{size => 0, kill => false}),
    [set(V) || V <- [0, #{size => 0}, #{size => 0}, #{size => 0, kill => true}, #{size => 0, error_logger => false}, 0]],
    parts().

both_off(Size) -> #{size => Size, kill => false, error_logger => false}.

set(Value) -> io:format("~0p: ~0p~n", [Value, process_flag(max_heap_size, Value)]).

%% Of a packet without a header the odd bits at the end are what is left.
parts() -> [io:format("~0p~n", [erlang:decode_packet(raw, B, [])]) || B <- [<<1:1>>, <<1, 1:3>>, <<1, 2, 3:7>>]].
