-module(bif_guards).
-export([main/0, f/2]).
-include("c.hrl").

main() ->
    Terms = terms(),
    Tests = [is_atom, is_binary, is_bitstring, is_boolean, is_float, is_function, is_integer, is_list, is_map,
             is_number, is_pid, is_port, is_reference, is_tuple],
    [io:format("~w ~w~n", [T, [erlang:T(X) || X <- Terms]]) || T <- Tests],
    Small = [hd, tl, length, size, tuple_size, byte_size, bit_size, map_size, abs, float, round, trunc, ceil, floor,
             'not', 'bnot', '-', '+', node],
    [each(erlang, F, printable(Terms)) || F <- Small],
    each(erlang, length, [[a | b], [a, b | c], lists:seq(1, 100000), "abc", [[]]]),
    numbers(),
    indices(),
    pairs(erlang, is_function, [fun f/2, fun ?MODULE:f/2, fun() -> ok end, a],
          [0, 1, 2, 255, 256, -1, 1 bsl 59, 1 bsl 60, 1 bsl 70, -(1 bsl 70), a, 2.0]),
    pairs(erlang, is_record, [{a}, {a, 1}, {b}, {}, a, [a], {1}], [a, b, 1, "a"]),
    [c(erlang, is_record, [R, T, N]) || R <- [{a}, {a, 1}, {}, a], T <- [a, 1], N <- [0, 1, 2, -1, 1 bsl 70, x]],
    pairs(erlang, map_get, [a, 1, 1.0], [#{a => 1, 1 => 2}, #{}, [], a]),
    pairs(erlang, is_map_key, [a, 1, 1.0], [#{a => 1, 1 => 2}, #{}, [], a]),
    in_guards().

f(A, _) -> A.

terms() ->
    [a, true, false, [], [1], [1 | 2], "abc", {}, {a}, {a, b}, 0, 1, -1, 1 bsl 59, 1 bsl 60, -(1 bsl 60),
     1 bsl 64, -(1 bsl 64), 0.0, -0.0, 1.5, -2.5, 1.0e300, 1.0e-300, <<>>, <<1>>, <<1:1>>, <<1, 2, 3:4>>,
     binary:copy(<<7>>, 100), #{}, #{a => 1}, maps:from_list([{I, I} || I <- lists:seq(1, 40)]),
     fun f/2, fun ?MODULE:f/2, self(), make_ref()].

printable(Terms) -> [T || T <- Terms, not is_pid(T), not is_reference(T)].

numbers() ->
    Numbers = [0, 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999999999999994, 4503599627370497.5, 1.0e15, 1.0e16,
               9007199254740993.0, 1.0e20, -1.0e20, 1.0e77, 1.0e78, 1.0e308, -1.0e308, 5.0e-324, 1.0e-78, 1 bsl 53,
               (1 bsl 53) + 1, (1 bsl 59) - 1, 1 bsl 59, (1 bsl 60) - 1, 1 bsl 60, -(1 bsl 60), -(1 bsl 60) - 1,
               (1 bsl 63) - 1, 1 bsl 63, 1 bsl 64, 1 bsl 1000, (1 bsl 1024) - (1 bsl 970) - 1,
               (1 bsl 1024) - (1 bsl 970), 1 bsl 1024, -(1 bsl 1024)],
    [each(erlang, F, Numbers) || F <- [abs, float, round, trunc, ceil, floor, '-', 'bnot']].

indices() ->
    pairs(erlang, element, [0, 1, 2, 3, 4, -1, 1.0, a, 1 bsl 70, 1 bsl 58], [{a, b, c}, {}, [a], a]).

in_guards() ->
    io:format("~w~n", [[guard(X) || X <- [a, {a}, {a, 1}, <<>>, <<1:1>>, #{a => b}, [1], 1, 1.5]]]).

guard(X) when hd(X) =:= 1 -> hd;
guard(X) when map_get(a, X) =:= b -> map_get;
guard(X) when element(2, X) =:= 1 -> element;
guard(X) when byte_size(X) =:= 1 -> byte_size;
guard(X) when abs(X) > 1 -> abs;
guard(X) when size(X) =:= 0; tuple_size(X) =:= 1 -> size;
guard(X) when X + 1 > 1 -> plus;
guard(_) -> none.
