%% Integer fields of more bits than an integer may have: what is zero there is no part of the integer.
-module(r_match_huge).
-export([main/0]).

main() ->
    [io:format("~w~n", [[field(Bits, Shift, Kind) || Kind <- [big, little, big_signed, little_signed]]])
     || Bits <- [(1 bsl 25) - 64, 1 bsl 25, (1 bsl 25) + 3, (1 bsl 26) + 64], Shift <- [0, 3]].

%% A small number at the end where it weighs least, read from `Shift` bits on.
field(Bits, Shift, big) ->
    <<_:Shift, N:Bits, 13, _/bits>> = <<0:Shift, 4711:Bits, 13>>,
    N;
field(Bits, Shift, little) ->
    <<_:Shift, N:Bits/little, 13, _/bits>> = <<0:Shift, 4711:Bits/little, 13>>,
    N;
field(Bits, Shift, big_signed) ->
    <<_:Shift, N:Bits/signed, 13, _/bits>> = <<0:Shift, 4711:Bits, 13>>,
    N;
field(Bits, Shift, little_signed) ->
    <<_:Shift, N:Bits/little-signed, 13, _/bits>> = <<0:Shift, 4711:Bits/little, 13>>,
    N.
