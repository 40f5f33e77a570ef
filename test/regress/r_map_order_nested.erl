%% The order of large maps in large maps: what is nested deep is looked at once, not once for each level, and of the
%% values that differ those at the smallest key decide.
-module(r_map_order_nested).
-export([main/0]).

main() ->
    [io:format("~w~n", [{N, [order(nested(N, A), nested(N, B)) || {A, B} <- [{1, 2}, {2, 1}, {1, 1}, {1, 1.0}]]}])
     || N <- [1, 2, 30, 30000]],
    rand:seed(exsss, 5),
    Maps = [map(3) || _ <- lists:seq(1, 60)],
    [io:format("~s~n", [[order(A, B) || B <- Maps]]) || A <- Maps],
    [io:format("~s~n", [[order({#{x => A}}, [#{x => B}]) || B <- Maps]]) || A <- Maps],
    Keys = [(maps:remove(rand:uniform(33), A))#{B => 1, {B} => 2}
            || A <- lists:sublist(Maps, 10), B <- lists:sublist(Maps, 5)],
    [io:format("~s~n", [[order(A, B) || B <- Keys]]) || A <- Keys].

order(A, B) ->
    Equal = A == B,
    Equal = not (A < B orelse A > B),
    if A =:= B -> $=; Equal -> $~; A < B -> $<; true -> $> end.

nested(0, Value) -> {Value};
nested(N, Value) ->
    Map = maps:from_list([{I, I} || I <- lists:seq(1, 33)]),
    nested(N, Value, Map).

nested(0, Value, _) -> {Value};
nested(N, Value, Map) -> Map#{17 => nested(N - 1, Value, Map), {N} => [[]]}.

%% Of much the same keys; the values are other ones here and there, and some are equal and not the same.
map(Levels) ->
    Size = element(rand:uniform(3), {33, 33, 34}),
    maps:from_list([{key(I, rand:uniform(200)), value(Levels, I, rand:uniform(40))} || I <- lists:seq(1, Size)]).

key(I, 1) -> float(I);
key(I, 2) -> {I};
key(I, 3) -> I + 50;
key(I, _) -> I.

value(_, I, 1) -> float(I);
value(_, I, 2) -> I + rand:uniform(2);
value(_, I, 3) -> {I, [float(rand:uniform(2))]};
value(_, I, N) when N < 12 -> {I, [1]};
value(Levels, _, 13) when Levels > 0 -> map(Levels - 1);
value(Levels, I, N) when Levels > 0, N < 17 ->
    #{I => maps:from_list([{J, [J]} || J <- lists:seq(1, 33)]), x => rand:uniform(2)};
value(_, I, _) -> I.
