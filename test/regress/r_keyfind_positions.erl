%% keyfind, keymember and keysearch at all positions, those that no tuple has among them, with keys and elements of all
%% kinds, in lists of what is no tuple, too, and improper ones. (A position of 56 bits and more once left a header's word.)
-module(r_keyfind_positions).
-export([main/0]).

main() ->
    Positions = [N + D || N <- [0, 1, 2, 3, 255, 256, 1 bsl 16, 1 bsl 24, 1 bsl 32, 1 bsl 55, 1 bsl 56, 1 bsl 57, 1 bsl 59, 1 bsl 64],
                          D <- [-1, 0, 1]],
    Values = [a, b, [], 0, 1, -1, 1.0, 0.0, -0.0, 1.5, 1 bsl 59, 1 bsl 60, 1 bsl 70, (1 bsl 70) * 1.0, "a", "", {}, {1}, {1.0},
              <<"a">>, #{}, #{1 => a}, #{1.0 => a}],
    Tuples = [{}] ++ [{V} || V <- Values] ++ [{x, V} || V <- Values] ++ [{V, y, z} || V <- Values],
    Mixed = [x, 1, [], "", <<"abc">>, 2.5, 1 bsl 70, #{a => b}, self()] ++ Tuples,
    Lists = [[], Tuples, Mixed, lists:reverse(Mixed), Tuples ++ improper, improper,
             [{A, B} || A <- Values, B <- Values], [list_to_tuple(lists:seq(1, N)) || N <- [1, 2, 3, 254, 255, 256, 257]]],
    [io:format("~p ~w~n", [Position, [shown(Found) || Found <- all(Position, Values, Lists)]]) || Position <- Positions],
    [io:format("~p~n", [lists:keyfind(K, 1, long(N))]) || K <- [a, 1, 1.0, "a"], N <- [49999, 50000, 50001, 50002, 100001, 100002]].

all(Position, Values, Lists) ->
    [try lists:F(V, Position, L) catch error:E -> E end || F <- [keyfind, keymember, keysearch], V <- Values, L <- Lists].

shown(Found) when is_tuple(Found), tuple_size(Found) > 3 -> {tuple, tuple_size(Found)};
shown(Found) -> Found.

%% What is sought is the last of so many.
long(N) -> [{x, I} || I <- lists:seq(2, N)] ++ [{a, N}, {1, N}, {"a", N}].
