%% Nothing of anything that has bits is copied no time, and any number of times of a binary of no bytes.
-module(r_binary_copied_never).
-export([main/0]).

main() ->
    [io:format("~w, ~w: ~w~n", [Bits, Times, copy(Bits, Times)])
     || {Bits, All} <- [{<<>>, true}, {<<1:3>>, true}, {<<1, 2, 3:3>>, true}, {<<1, 2>>, false}, {foo, true}, {12, true}],
        Times <- [0, 1, 2, -1, foo, 1.0 | [N || N <- [1 bsl 59, 1 bsl 63, (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 63)], All]]].

copy(Bits, Times) ->
    try binary:copy(Bits, Times)
    catch error:Reason -> Reason
    end.
