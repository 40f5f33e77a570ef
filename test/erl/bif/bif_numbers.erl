-module(bif_numbers).
-export([main/0]).
-include("c.hrl").

main() ->
    integers(),
    floats(),
    string_parts(),
    large().

integers() ->
    Ints = [0, 1, -1, 255, -255, (1 bsl 60) - 1, 1 bsl 60, -(1 bsl 60), 1 bsl 64, -(1 bsl 200), 1.0, a, "1"],
    Bases = [2, 3, 8, 10, 16, 32, 36, 1, 37, 0, -2, a, 10.0, 1 bsl 70],
    [each(erlang, F, Ints) || F <- [integer_to_list, integer_to_binary]],
    [pairs(erlang, F, Ints, Bases) || F <- [integer_to_list, integer_to_binary]],
    Texts = ["", "-", "+", "0", "-0", "+5", "-5", "007", "12a", " 1", "1 ", "--1", "+-1", "FF", "ff", "fg", "zz", "1_000", "1.0",
             "1152921504606846975", "1152921504606846976", "-1152921504606846976", "-1152921504606846977",
             "123456789012345678901234567890", "-123456789012345678901234567890"],
    Lists = Texts ++ [a, [$1 | $2], [$1, a], [300], [$1, -1]],
    Binaries = [list_to_binary(T) || T <- Texts] ++ [a, <<$1, 1:1>>, tail(<<"x123">>), "12", shifted(<<"-45">>)],
    [c(erlang, list_to_integer, [T]) || T <- Lists],
    [c(erlang, binary_to_integer, [T]) || T <- Binaries],
    pairs(erlang, list_to_integer, Lists, Bases),
    pairs(erlang, binary_to_integer, Binaries, Bases).

tail(<<_, T/binary>>) -> T.

%% A binary that does not begin at a byte.
shifted(B) -> <<_:3, R/bitstring>> = <<0:3, B/binary>>, R.

floats() ->
    Floats = [0.0, -0.0, 1.0, -1.0, 0.1, 1.5, 2.5, 0.5, 3.5, 123.456, 1.0e15, 1.0e16, 123456789012345680.0, 1.0e22, 1.0e23, 1.0e-5,
              1.0e-4, 0.001, 5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0e100, 3.141592653589793,
              0.3333333333333333, 9007199254740993.0, 4.35, 0.000123456, 99999.99999, 1.0e21, 123456.0, 1.0e77, 1.0e78, 1.0e-77, 1.0e-78],
    Options = [[], [short], [compact], [{decimals, 0}], [{decimals, 1}], [{decimals, 4}, compact], [{decimals, 20}],
               [{decimals, 253}], [{scientific, 0}], [{scientific, 3}], [{scientific, 20}], [{scientific, 249}],
               [{scientific, -1}], [{decimals, 4}, {scientific, 3}], [{scientific, 3}, {decimals, 4}],
               [short, {decimals, 2}], [{decimals, 2}, short], [short, compact], [compact, {decimals, 9}]],
    Bad = [[{decimals, 254}], [{decimals, -1}], [{scientific, 250}], [{decimals, a}], [foo], foo, [compact | foo], [{decimals, 1, 2}]],
    [each(erlang, F, Floats ++ [1, a, 1 bsl 70]) || F <- [float_to_list, float_to_binary]],
    [pairs(erlang, F, Floats ++ [1, a], Options) || F <- [float_to_list, float_to_binary]],
    pairs(erlang, float_to_list, [1.5, a], Bad),
    [io:format("~w ~p ~s ~g ~f ~e~n", [F, F, io_lib:write(F), F, F, F]) || F <- Floats, abs(F) < 1.0e60],
    Texts = ["1.5", "+1.5", "-1.5", "1", "1.", ".5", "1.5e3", "1.5E3", "1.5e+3", "1.5e-3", "1.5e", "1.5e+", "1e5", "1.e5", " 1.5", "1.5 ",
             "1.5e400", "1.5e-400", "-0.0", "0.0", "1,5", "1.5x", "", "-", "00001.5", "1.50000000000000000000000000001",
             "123456789012345678901234567890.0", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2.0e-324",
             "0.1e1", "1.0e0005", "inf", "nan", "1.0e5.0", "9007199254740993.0", "1_0.0"],
    each(erlang, list_to_float, Texts ++ [a, [$1, $., a], [$1, $. | $5], [300]]),
    each(erlang, binary_to_float, [list_to_binary(T) || T <- Texts] ++ [a, "1.0", <<1:1>>, shifted(<<"2.5">>)]),
    [round_trip(F) || F <- Floats].

round_trip(F) -> io:format("~w ~w~n", [F, list_to_float(float_to_list(F, [short])) =:= F]).

string_parts() ->
    each(string, list_to_integer, ["12abc", "-", "a", "", a, [$1 | a], [$1, a, $2], "+12", [$- | a], "--1", [a], "-7 x",
                                   "123456789012345678901234567890z", <<"1">>]),
    each(string, list_to_float, ["1.5abc", "1", "1.5e", "1.5e+", "1.5e+3x", "-1.5E-3x", "1.e3", ".5", "", a, "1.5e999",
                                 "1,5e1", [$1, $., $5 | a], [$1, $., $5, a], "1.5.6", "+1.5 ", "1.5ex", "1.5e1.5", "1e5", <<"1.5">>]),
    each(string, to_integer, ["12abc", "", "x", "-5 6", <<"33x">>, a]),
    each(string, to_float, ["1.5abc", "", "x", <<"-2.5e3 z">>, "1"]).

large() ->
    N = 7 bsl 20000,
    [begin
         L = integer_to_list(N, B),
         io:format("~w ~w ~w ~w~n", [B, length(L), erlang:phash2(L), {list_to_integer(L, B) =:= N, binary_to_integer(integer_to_binary(-N, B), B) =:= -N}])
     end || B <- [2, 3, 10, 16, 36]].
