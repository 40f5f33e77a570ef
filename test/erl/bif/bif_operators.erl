-module(bif_operators).
-export([main/0]).
-include("c.hrl").

main() ->
    Ints = [0, 1, -1, 7, -7, 255, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), (1 bsl 60) - 1, 1 bsl 60, -(1 bsl 60),
            -(1 bsl 60) - 1, 1 bsl 64, -(1 bsl 64), (1 bsl 128) + 12345, -(1 bsl 130)],
    Others = [1.5, -0.0, 1.0e300, a, [], {1}],
    [pairs(erlang, F, Ints ++ Others, Ints ++ Others) || F <- ['+', '-', '*', 'div', 'rem', '/']],
    [pairs(erlang, F, Ints ++ [1.5, a], Ints ++ [1.5, a]) || F <- ['band', 'bor', 'bxor']],
    Shifts = [0, 1, -1, 3, 59, 60, 61, 63, 64, 65, 127, -59, -60, -64, -65, -200, 1 bsl 70, -(1 bsl 70), a, 1.0],
    [pairs(erlang, F, Ints, Shifts) || F <- ['bsl', 'bsr']],
    calls(erlang, 'bsl', [[1, 1 bsl 30], [1, 33554367], [1, 33554368], [-1, 1 bsl 40], [a, 1], [1.0, 1], [0, 1 bsl 40]]),
    Terms = [1, 1.0, -1, 0.0, -0.0, 1 bsl 60, 1.0e18, 1 bsl 53, 9007199254740992.0, (1 bsl 53) + 1, 1 bsl 1030, a, b, 'B',
             ab, '', [], [1], [1.0], [1, 2], "ab", [1 | 2], {}, {1}, {1.0}, {1, 2}, {0, 0, 0}, #{}, #{a => 1}, #{a => 1.0},
             #{1 => a}, #{1.0 => a}, #{a => 1, b => 2}, <<>>, <<1>>, <<1:1>>, <<1, 2>>, <<0, 255>>, fun lists:map/2,
             fun lists:map/3, fun a:b/1],
    [io:format("~w ~0p ~w~n", [F, X, [erlang:F(X, Y) || Y <- Terms]])
     || F <- ['<', '>', '=<', '>=', '==', '/=', '=:=', '=/=', min, max], X <- Terms],
    [io:format("cmp ~0p ~w~n", [X, [erts_internal:cmp_term(X, Y) || Y <- Terms]]) || X <- Terms],
    io:format("~0p~n~0p~n", [lists:sort(Terms), lists:usort(lists:reverse(Terms))]),
    Booleans = [true, false, 1, a],
    [pairs(erlang, F, Booleans, Booleans) || F <- ['and', 'or', 'xor']],
    ok.
