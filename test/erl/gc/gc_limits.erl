%% Sizes of heaps as a program sees and limits them.
%% Not under torture: what is allotted, and so what exceeds a limit, depends on when it is collected.
-module(gc_limits).
-export([main/0, asleep/0]).
-include("../t.hrl").

main() ->
    Quiet = fun(N, Kill) -> #{size => N, kill => Kill, error_logger => false} end,
    [t({killed, N, Words}, fun() -> ended([{max_heap_size, Quiet(N, true)}], fun() -> length(build(Words, [])) end) end)
        || N <- [1000, 10000, 1000000], Words <- [10, 100000]],
    t(not_killed, fun() -> ended([{max_heap_size, Quiet(1000, false)}], fun() -> length(build(50000, [])) end) end),
    t(set_later, fun() -> ended([], fun() -> O = process_flag(max_heap_size, Quiet(5000, true)), put(o, O), length(build(50000, [])) end) end),
    t(by_message, fun() -> P = spawn_opt(fun() -> receive go -> erlang:garbage_collect(), receive X -> exit({got, X}) end end end, [{max_heap_size, Quiet(2000, true)}]),
        M = monitor(process, P), P ! lists:seq(1, 20000), P ! go, receive {'DOWN', M, _, _, R} -> R end end),
    t(min_sizes, fun() -> [ended([{min_heap_size, N}], fun() -> [process_info(self(), min_heap_size), process_info(self(), heap_size)] end) || N <- [0, 1, 233, 234, 1000, 100000]] end),
    t(fresh, fun() -> ended([], fun() -> [process_info(self(), I) || I <- [heap_size, min_heap_size]] end) end),
    t(flags, fun() -> ended([], fun() -> [process_flag(min_heap_size, 1000), process_flag(min_heap_size, 500), process_flag(fullsweep_after, 3), process_flag(fullsweep_after, 7), process_flag(min_bin_vheap_size, 100000) > 0] end) end),
    t(gc_info, fun() -> ended([{fullsweep_after, 5}, {min_heap_size, 500}], fun() -> {garbage_collection, L} = process_info(self(), garbage_collection), [proplists:get_value(K, L) || K <- [fullsweep_after, min_heap_size]] end) end),
    t(shrinks, fun() -> ended([], fun() -> _ = length(build(300000, [])), {_, A} = process_info(self(), total_heap_size), erlang:garbage_collect(), {_, B} = process_info(self(), total_heap_size), {A > 100000, B < 1000} end) end),
    t(hibernates, fun() -> P = spawn(fun() -> build(10000, []), erlang:hibernate(?MODULE, asleep, []) end), wait_asleep(P), {_, N} = process_info(P, total_heap_size), P ! {self(), hello}, R = receive {P, X} -> X end, {N < 100, R} end),
    t(binaries, fun() -> ended([], fun() -> B = binary:copy(<<1>>, 1000), erlang:garbage_collect(), {_, L} = process_info(self(), binary), {[{S, N} || {_, S, N} <- L, S =:= 1000], byte_size(B)} end) end),
    t(bad, fun() -> [catch_bad(fun() -> process_flag(max_heap_size, X) end) || X <- [a, -1, #{size => a}, #{size => 1}, #{}, 1]] end).

catch_bad(F) -> try F() catch _:R -> R end.
wait_asleep(P) -> process_info(P, [current_function, status]) =:= [{current_function, {erlang, hibernate, 3}}, {status, waiting}] orelse begin erlang:yield(), wait_asleep(P) end.
asleep() -> receive {From, X} -> From ! {self(), X} end.
build(0, L) -> L;
build(N, L) -> build(N - 1, [N | L]).
ended(Options, F) ->
    {P, M} = spawn_opt(fun() -> exit({done, F()}) end, [monitor | Options]),
    receive {'DOWN', M, _, P, R} -> R end.
