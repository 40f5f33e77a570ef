%% band, bor and bxor of integers of all lengths and both signs; two of three are sets of bits, which are not negative.
-module(data_bit_sets).
-export([main/0]).

main() ->
    rand:seed(exsss, {4, 5, 6}),
    Integers = [integer(Bits, Sign) || Bits <- [1, 7, 58, 59, 60, 63, 64, 65, 127, 128, 129, 191, 256, 1000, 5000],
                                       Sign <- [1, 1, 1, 1, -1, -1]] ++ [0, 1, -1],
    Results = [{X band Y, X bor Y, X bxor Y} || X <- Integers, Y <- Integers],
    [io:format("~p~n", [erlang:phash2(R, 1 bsl 32)]) || R <- Results],
    io:format("~p~n", [lists:all(fun({And, Or, Xor}) -> And + Or =:= And * 2 + Xor end, Results)]).

%% All of its bits, some at one end, or one.
integer(Bits, Sign) ->
    All = (1 bsl Bits) - 1,
    Sign * case rand:uniform(4) of
               1 -> All;
               2 -> 1 bsl (Bits - 1);
               3 -> All bxor ((1 bsl (Bits div 2)) - 1);
               4 -> rand:uniform(All)
           end.
