%% Integers in segments that are wider than they are: sign and order of bytes, at all edges of words, aligned and not.
-module(r_wide_integers).
-export([main/0]).
main() ->
    Values = [0, 1, -1, 255, -256, 1 bsl 59, -(1 bsl 59), (1 bsl 63) - 1, 1 bsl 63, -(1 bsl 63), -(1 bsl 63) - 1, (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 64), -(1 bsl 64) + 1,
              (1 bsl 127), -(1 bsl 127), (1 bsl 128) - 1, -(1 bsl 128), 1 bsl 200 + 12345, -(1 bsl 200) - 12345],
    [show(V, B, O) || V <- Values, B <- [63, 64, 65, 66, 71, 72, 73, 80, 100, 127, 128, 129, 130, 136, 192, 193, 199, 200, 201, 255, 256, 257, 320, 1000, 1001, 4099], O <- [0, 1, 7]],
    ok.
show(V, B, O) ->
    Big = <<5:O, V:B/big, 3:2>>, Little = <<5:O, V:B/little, 3:2>>,
    <<_:O, SB:B/signed-big, 3:2>> = Big, <<_:O, SL:B/signed-little, 3:2>> = Little,
    io:format("~p ~p ~p: ~p ~p ~p~n", [V, B, O, erlang:phash2({Big, Little}), SB, SL]).
