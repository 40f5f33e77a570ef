%% 0.0 and -0.0 are the same key of a map (before OTP 27). Which of the two a map shows depends on how it was made.
-module(r_map_zero_keys).
-export([main/0]).

main() ->
    [io:format("~p ~w ~w~n", [S, {A, B}, [[K || K <- maps:keys(M), is_float(K)] || M <- made(A, B, S)]])
     || S <- [0, 5, 30, 31, 32, 33, 100], {A, B} <- [{0.0, negative()}, {negative(), 0.0}]].

negative() -> <<F/float>> = binary:list_to_bin([128, 0, 0, 0, 0, 0, 0, 0]), F.

many(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]).

made(A, B, S) ->
    Numbers = [{I, I} || I <- lists:seq(1, S)],
    With = fun(K) -> maps:put(K, 1, many(S)) end,
    [maps:from_list(Numbers ++ [{A, 1}, {B, 2}]), maps:from_list([{A, 1}] ++ Numbers ++ [{B, 2}]),
     maps:put(B, 2, With(A)), (With(A))#{B => 2}, (With(A))#{B := 2}, maps:update(B, 3, With(A)), maps:put(B, 1, With(A)),
     maps:merge(With(A), With(B)), maps:merge(With(A), #{B => 4}), maps:merge(#{A => 4}, With(B)),
     maps:merge(With(A), #{B => 4, x => 1, y => 2}), maps:merge(#{A => 4, x => 1, y => 2}, With(B)),
     maps:from_keys([A, B | lists:seq(1, S)], x), #{A => 1, B => 2, x => S}, (many(S))#{A => 1, B => 2},
     maps:remove(x, (With(A))#{x => 1}), maps:map(fun(_, V) -> V end, With(A)), maps:with([B, 1], With(A))].
