%% The order of bitstrings: by their bits, then by their size, wherever they lie: on a heap, as a part of one, outside.
-module(r_bits_order).
-export([main/0]).

main() ->
    All = bits(),
    Numbered = lists:zip(lists:seq(1, length(All)), All),
    [io:format("~w ~w: ~w~n", [N, A, [{M, A < B, A > B, A == B, {A} =< {B}, [A, 1] < [B]} || {M, B} <- Numbered]]) || {N, A} <- Numbered],
    io:format("~w~n~w~n", [lists:sort(All), lists:usort([{B, N rem 2} || {N, B} <- Numbered])]),
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{B, N} || {N, B} <- Numbered]),
    io:format("~w ~w~n", [ets:tab2list(T), [ets:next(T, B) || B <- All]]).

bits() ->
    Whole = [<<>>, <<0>>, <<0, 0>>, <<127>>, <<128>>, <<255>>, <<255, 0>>, <<1, 2, 3, 4, 5, 6, 7, 8>>, <<1, 2, 3, 4, 5, 6, 7, 9>>,
             <<1, 2, 3, 4, 5, 6, 7, 8, 0>>, <<1, 2, 3, 4, 5, 6, 7>>, <<128, 0, 1>>],
    Part = <<0:3, (iolist_to_binary(Whole))/binary, 7:5, (binary:copy(<<1>>, 70))/binary>>,
    <<_:3, Inner:8/binary, _/bits>> = Part,
    Whole ++ [<<0:1>>, <<1:1>>, <<1:9>>, <<255, 1:3>>, <<127, 7:3>>, Inner, binary:copy(<<1>>, 64), binary:copy(<<1>>, 65),
              binary:part(binary:copy(<<1>>, 65), 0, 64), <<(binary:copy(<<1>>, 63))/binary, 2>>, binary:part(<<9, 1, 2, 9>>, 1, 2)].
