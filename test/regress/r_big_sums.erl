%% Sums and unions of large naturals, around the sizes at which a limb is added and at which GMP is called.
-module(r_big_sums).
-export([main/0]).

main() ->
    rand:seed(exsss, 7),
    Bits = [62, 63, 64, 65, 127, 128, 129, 191, 192, 256, 1000, 1023, 1024, 1025, 1087, 1088],
    Ns = [rand:uniform(1 bsl B) bor (1 bsl (B - 1)) || B <- Bits, _ <- lists:seq(1, 20)] ++
        [1 bsl B - 1 || B <- [60, 64, 128, 192, 256, 1024, 1088]] ++ [1 bsl B || B <- [60, 64, 128, 192, 1024]],
    [] = [{A, B} || A <- Ns, B <- Ns, (A + B) - B =/= A orelse (A bor B) + (A band B) =/= A + B],
    io:format("~p numbers: ~p~n", [length(Ns), erlang:phash2([{A + B, A bor B} || A <- Ns, B <- Ns])]).
