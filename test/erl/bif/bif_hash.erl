-module(bif_hash).
-export([main/0]).
-include("c.hrl").

main() ->
    Terms = [a, '', '\xe9', list_to_atom([1024]), [], [a], [1, 2, 3], [1 | 2], "abc", "abcdefghijklmnopqrstuvwxyz", [300, 1], {}, {a}, {a, b, {c}},
             0, 1, -1, 255, 256, (1 bsl 27) - 1, 1 bsl 27, (1 bsl 28), -(1 bsl 28), (1 bsl 31), (1 bsl 32), -(1 bsl 32), (1 bsl 59) - 1, 1 bsl 59,
             -(1 bsl 59), 1 bsl 60, (1 bsl 63), (1 bsl 64), -(1 bsl 64), 1 bsl 100, -(1 bsl 100), 1 bsl 128, 0.0, -0.0, 1.0, -1.5, 1.0e300, <<>>, <<1>>, <<1, 2, 3>>, <<1:1>>, <<255, 1:7>>,
             binary:copy(<<"abc">>, 100), #{}, #{a => 1}, #{1 => 2, a => b, "x" => {}}, maps:from_list([{I, I} || I <- lists:seq(1, 100)]),
             fun lists:map/2, fun erlang:abs/1, list_to_pid("<0.1.0>"), list_to_ref("#Ref<0.1.2.3>"), list_to_port("#Port<0.5>"),
             {a, [b, {c, <<"d">>}], #{e => [f]}}, lists:seq(1, 1000), [lists:seq(1, 10), <<1>>, "xyz", 1.5], [1, 2, 300, 4], [255, 256],
             lists:duplicate(300, $a)],
    io:format("~w~n", [[erlang:phash2(T) || T <- Terms]]),
    Ranges = [1, 2, 10, 1000, 1 bsl 27, 1 bsl 31, 1 bsl 32],
    [io:format("~w ~w ~w~n", [R, [erlang:phash2(T, R) || T <- Terms], [erlang:phash(T, R) || T <- Terms]]) || R <- Ranges],
    pairs(erlang, phash2, [a], [0, -1, (1 bsl 32) + 1, a, 1.0, 1 bsl 70]),
    pairs(erlang, phash, [a], [0, -1, (1 bsl 32) + 1, a, 1.0, 1 bsl 70]),
    deep().

deep() ->
    Nested = lists:foldl(fun(I, T) -> {I, [T]} end, x, lists:seq(1, 20000)),
    io:format("~w ~w~n", [erlang:phash2(Nested), erlang:phash(Nested, 1 bsl 32)]),
    io:format("~w~n", [erlang:phash2([[X rem 7, {X}, <<X:32>>] || X <- lists:seq(1, 5000)])]).
