%% Characters in UTF-8: matched and built at all places in a byte, with much, little and too little behind them; what is
%% none; appended to what ends within a byte; what cannot be built.
-module(r_utf8_places).
-export([main/0]).

main() ->
    [io:format("~w ~w~n", [C, [placed(C, Offset, Behind) || Offset <- lists:seq(0, 7), Behind <- [0, 1, 3, 8, 24, 32, 40]]])
     || C <- characters()],
    [io:format("~w ~w~n", [B, [taken(<<0:O, B/bits, More/bits>>, O) || O <- [0, 1, 7, 8], More <- [<<>>, <<7:4>>, <<"abc">>, <<"abcd">>]]])
     || B <- wrong()],
    [io:format("~w ~w~n", [X, [built(<<1:O>>, X) || O <- [0, 3, 8]]]) || X <- characters() ++ impossible()],
    Text = lists:append(lists:duplicate(50, characters())),
    B = << <<C/utf8>> || C <- Text >>,
    io:format("~w ~w~n", [byte_size(B), erlang:phash2(B)]),
    io:format("~w~n", [Text =:= [C || <<C/utf8>> <= B]]),
    io:format("~w~n", [[in_turn(B, O) || O <- lists:seq(0, 8)]]),
    io:format("~w~n", [pair($a, 16#e4)]),
    io:format("~w~n", [pair(16#10ffff, 16#7ff)]).

characters() -> [0, $a, 16#7f, 16#80, 16#e4, 16#7ff, 16#800, 16#20ac, 16#d7ff, 16#e000, 16#ffff, 16#10000, 16#1f600, 16#10ffff].
impossible() -> [-1, 16#d800, 16#dfff, 16#110000, 1 bsl 60, 1 bsl 70, 1.0, a, <<"a">>].
wrong() ->
    [<<>>, <<16#80>>, <<16#bf>>, <<16#c0, 16#80>>, <<16#c1, 16#bf>>, <<16#c2>>, <<16#c2, 16#7f>>, <<16#c2, 16#c0>>,
     <<16#e0, 16#9f, 16#bf>>, <<16#e0, 16#a0>>, <<16#e2, 16#82>>, <<16#e2, 16#82, $a>>, <<16#ed, 16#a0, 16#80>>, <<16#ed, 16#bf, 16#bf>>,
     <<16#f0, 16#8f, 16#bf, 16#bf>>, <<16#f0, 16#90, 16#80>>, <<16#f4, 16#90, 16#80, 16#80>>, <<16#f5, 16#80, 16#80, 16#80>>,
     <<16#f8, 16#88, 16#80, 16#80, 16#80>>, <<16#ff>>, <<16#fe, 16#80, 16#80, 16#80>>].

placed(C, Offset, Behind) ->
    B = <<1:Offset, C/utf8, 5:Behind>>,
    {C, Behind} = taken(B, Offset),
    {bit_size(B), erlang:phash2(B)}.

taken(B, O) ->
    case B of
        <<_:O, C/utf8, Rest/bits>> -> {C, bit_size(Rest)};
        _ -> none
    end.

built(Bits, X) ->
    try {erlang:phash2(<<Bits/bits, X/utf8>>), erlang:phash2(<<X/utf8, Bits/bits>>), erlang:phash2(<<X/utf8, 5:9, X/utf8>>)}
    catch error:Reason -> Reason end.

in_turn(B, O) -> erlang:phash2(all(<<0:O, B/bits>>, O, [])).
all(B, O, L) ->
    case B of
        <<_:O, C/utf8, R/bits>> -> all(R, 0, [C | L]);
        _ -> {B, L}
    end.

pair(C, D) -> <<"x", C/utf8, D/utf8, C:32/little>>.
