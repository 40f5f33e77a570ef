%% `--` of a long right list: words, zeros of both signs, numbers that are equal and not the same, terms on heaps.
-module(r_subtract_words).
-export([main/0]).

main() ->
    rand:seed(exsss, 7),
    [io:format("~w ~w ~0p~n", [N, Kind, taken(N, Kind)]) || N <- [11, 12, 13, 16, 40, 64, 200], Kind <- kinds(), _ <- [1, 2, 3]],
    io:format("~p~n", [try lists:seq(1, 20) -- improper(20) catch error:R -> R end]).

improper(0) -> end_of_it;
improper(N) -> [N | improper(N - 1)].

kinds() -> [small, atoms, words, zeros, mixed].

taken(N, Kind) ->
    Left = [one(Kind) || _ <- lists:seq(1, 2 * N)], Right = [one(Kind) || _ <- lists:seq(1, N)],
    Rest = [case X =:= self() of true -> me; false -> X end || X <- Left -- Right],
    {length(Rest), erlang:phash2(Rest), lists:sublist(Rest, 5)}.

one(small) -> rand:uniform(50) - 25;
one(atoms) -> list_to_atom([$a + rand:uniform(20)]);
one(words) -> pick([one(small), one(atoms), [], 1.5 * one(small), 0.1, self()]);
one(zeros) -> pick([0.0, -0.0, 0, one(small)]);
one(mixed) -> pick([one(words), one(zeros), 1 bsl 70 + one(small), {one(small)}, [one(small)], <<(one(small))>>, #{}, 1.0e300, float(one(small))]).

pick(L) -> lists:nth(rand:uniform(length(L)), L).
