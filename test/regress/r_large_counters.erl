%% Arrays of many counters are as large as memory allows. (One that was larger ended the program, and the zeroes of one
%% were written in a single slice.)
-module(r_large_counters).
-export([main/0]).

main() ->
    [io:format("~p ~p~n", [{M, Bits, Options}, last(M, 1 bsl Bits, Options)])
     || {M, Bits, Options} <- [{atomics, 25, []}, {counters, 24, []}, {counters, 24, [write_concurrency]},
                               {atomics, 62, []}, {counters, 62, []}, {atomics, 70, []}, {counters, 70, []}]].

last(M, Size, Options) ->
    try M:new(Size, Options) of
        Ref ->
            M:add(Ref, Size, 5),
            M:add(Ref, Size, 2),
            {M:get(Ref, 1), M:get(Ref, Size), maps:get(size, M:info(Ref)) =:= Size}
    catch
        C:R -> {C, R}
    end.
