-module(insn_bits).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({int, S, U, E, Sg, V}, fun() -> build_int(id(V), S, U, E, Sg) end)
     || S <- [0, 1, 3, 7, 8, 9, 12, 16, 24, 31, 32, 33, 60, 61, 63, 64, 65, 72, 100], U <- [1], E <- [big, little], Sg <- [signed, unsigned],
        V <- [0, 1, -1, 5, 255, -128, 16#123456789ABCDEF0, -(1 bsl 70), (1 bsl 99) + 77]],
    t(float64, fun() -> [<<(id(X))/float>> || X <- [0, 1, 1.5, -0.0, 1.0e300, 12345678901234567890]] end),
    t(float32, fun() -> [<<(id(X)):32/float>> || X <- [0, 1, 1.5, -2.25, 3.1e38]] end),
    t(float16, fun() -> [<<(id(X)):16/float>> || X <- [0, 1, 1.5, -2.25, 65504.0, 1.0e-7, 5.96e-8]] end),
    t(float_le, fun() -> [<<(id(X)):64/float-little>> || X <- [1.5, -3.25]] end),
    t(float32_over, fun() -> <<(id(1.0e300)):32/float>> end),
    t(float_bad_size, fun() -> <<(id(1.0)):(id(17))/float>> end),
    t(float_atom, fun() -> <<(id(a))/float>> end),
    t(float_big, fun() -> <<(id(1 bsl 2000))/float>> end),
    t(match_floats, fun() -> <<A/float, B:32/float, C:16/float, D:64/float-little>> = id(<<1.5/float, 2.5:32/float, 0.5:16/float, 9.75:64/float-little>>), {A, B, C, D} end),
    t(match_nan, fun() -> case id(<<16#7FF8000000000000:64>>) of <<F/float>> -> F; _ -> no end end),
    t(utf8, fun() -> [(catch {ok, <<(id(C))/utf8>>}) =:= {ok, <<(id(C))/utf8>>} andalso <<(id(C))/utf8>> || C <- [0, 127, 128, 16#7FF, 16#800, 16#FFFF, 16#10000, 16#10FFFF]] end),
    t(utf16, fun() -> [<<(id(C))/utf16>> || C <- [0, 127, 16#FFFF, 16#10000, 16#10FFFF]] end),
    t(utf16le, fun() -> [<<(id(C))/utf16-little>> || C <- [0, 127, 16#FFFF, 16#10000, 16#10FFFF]] end),
    t(utf32, fun() -> [<<(id(C))/utf32-little>> || C <- [0, 127, 16#FFFF, 16#10000, 16#10FFFF]] end),
    t(utf8_bad, fun() -> <<(id(16#D800))/utf8>> end),
    t(utf8_bad2, fun() -> <<(id(16#110000))/utf8>> end),
    t(utf16_bad, fun() -> <<(id(-1))/utf16>> end),
    t(utf32_bad, fun() -> <<(id(a))/utf32>> end),
    t(match_utf8, fun() -> utf8(id(<<"aé€😀"/utf8>>)) end),
    t(match_utf8_bad, fun() -> [utf8(id(B)) || B <- [<<128>>, <<16#C0, 128>>, <<16#ED, 16#A0, 128>>, <<16#F4, 16#90, 128, 128>>, <<"ab", 16#E2, 16#82>>, <<>>]] end),
    t(match_utf16, fun() -> utf16(id(<<"aé€😀"/utf16>>)) end),
    t(match_utf16_bad, fun() -> [utf16(id(B)) || B <- [<<16#D800:16>>, <<16#DC00:16, 0:16>>, <<16#D800:16, 16#41:16>>, <<1>>]] end),
    t(match_utf32, fun() -> utf32(id(<<"aé€😀"/utf32>>)) end),
    t(match_utf32_bad, fun() -> [utf32(id(B)) || B <- [<<16#D800:32>>, <<16#110000:32>>, <<1:24>>]] end),
    t(binary_seg, fun() -> B = id(<<"hello">>), <<B/binary, B:3/binary, "x">> end),
    t(binary_seg_short, fun() -> B = id(<<"hello">>), <<B:9/binary>> end),
    t(binary_seg_bad, fun() -> <<(id(atom))/binary>> end),
    t(bits_seg_bad, fun() -> <<(id(<<1:3>>))/binary>> end),
    t(bits_seg, fun() -> B = id(<<5:3>>), <<B/bitstring, B/bitstring, 1:2>> end),
    t(unit, fun() -> B = id(<<1, 2, 3, 4>>), <<X:2/binary-unit:16>> = B, <<Y:4/unit:8>> = B, {X, Y} end),
    t(neg_size, fun() -> <<1:(id(-1))>> end),
    t(atom_size, fun() -> <<1:(id(a))>> end),
    t(atom_value, fun() -> <<(id(a)):8>> end),
    t(huge_size, fun() -> <<1:(id(1 bsl 64))>> end),
    t(tcp, fun() -> packet(id(<<1:4, 5:4, 7, 3:16, "abc", "rest">>)) end),
    t(tail, fun() -> <<_:3, R/bitstring>> = id(<<1, 2, 3>>), R end),
    t(tail_bin, fun() -> case id(<<1:3, 2:6>>) of <<_:3, R/binary>> -> R; _ -> no end end),
    t(skip, fun() -> <<_:16, X:8, _/binary>> = id(<<1, 2, 3, 4>>), X end),
    t(var_size, fun() -> <<N, B:N/binary, R/binary>> = id(<<3, "abcdef">>), {N, B, R} end),
    t(var_size_short, fun() -> case id(<<9, "abc">>) of <<N, B:N/binary>> -> B; _ -> short end end),
    t(signed, fun() -> <<A:4/signed, B:4/signed, C:16/signed-little, D:7/signed, E:1>> = id(<<16#8F, 16#FE, 16#FF, 16#81>>), {A, B, C, D, E} end),
    t(big_le, fun() -> <<A:72/little, B:72/big-signed>> = id(<<1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 2, 3, 4, 5, 6, 7, 8, 9>>), {A, B} end),
    t(big_unaligned, fun() -> <<_:5, A:100/little, _:3, B:70/signed, _/bits>> = id(list_to_binary(lists:seq(1, 40))), {A, B} end),
    t(string, fun() -> case id(<<"prefix-tail">>) of <<"prefix-", T/binary>> -> T; _ -> no end end),
    t(string_unaligned, fun() -> case id(<<1:1, "prefix-tail">>) of <<1:1, "prefix-", T/bits>> -> T; _ -> no end end),
    t(comprehension, fun() -> << <<(X * 2)>> || <<X>> <= id(<<1, 2, 3, 200>>) >> end),
    t(comprehension2, fun() -> [X || <<X:3>> <= id(<<1, 2, 3>>)] end),
    t(comprehension3, fun() -> << <<X:5>> || X <- lists:seq(1, 20), X rem 3 =/= 0 >> end),
    t(append, fun() -> append(1000, <<>>) =:= list_to_binary(lists:reverse(lists:duplicate(1000, "ab"))) end),
    t(append_bits, fun() -> erlang:phash2(append3(1000, <<>>)) end),
    t(append_shared, fun() -> A = append(100, <<>>), B = <<A/binary, 1>>, C = <<A/binary, 2>>, {byte_size(A), binary:last(B), binary:last(C), binary:last(A)} end),
    t(sizes, fun() -> [{bit_size(X), byte_size(X)} || X <- [<<>>, <<1:1>>, <<1:9>>, <<1, 2>>, <<0:800>>]] end),
    t(compare, fun() -> lists:sort(id([<<1:1>>, <<1>>, <<>>, <<0:1>>, <<255>>, <<1, 0>>, <<128:7>>, <<1:3>>, <<2:3, 7:5>>])) end),
    t(equal, fun() -> <<_:1, A:16/bits, _:7>> = id(<<1:1, 258:16, 0:7>>), A =:= id(<<1, 2>>) end),
    t(get_integer_guard, fun() -> [kind(X) || X <- [<<0:8>>, <<1:8, 5:16/little>>, <<2:8, 1:1>>, <<3>>, <<4, 1:32/signed>>, 5]] end),
    t(backtrack, fun() -> [alt(X) || X <- [<<1, 2, 3>>, <<1, 2>>, <<1>>, <<"x">>, <<>>]] end).

build_int(V, S, U, E, Sg) ->
    B = case E of big -> <<V:S/big-integer-unit:1>>; little -> <<V:S/little-integer-unit:1>> end,
    Shift = <<1:3, B/bits>>,
    R = case {E, Sg} of
            {big, signed} -> <<X:S/big-signed>> = B, <<_:3, X:S/big-signed>> = Shift, X;
            {big, unsigned} -> <<X:S/big-unsigned>> = B, <<_:3, X:S/big-unsigned>> = Shift, X;
            {little, signed} -> <<X:S/little-signed>> = B, <<_:3, X:S/little-signed>> = Shift, X;
            {little, unsigned} -> <<X:S/little-unsigned>> = B, <<_:3, X:S/little-unsigned>> = Shift, X
        end,
    {U, B, R}.

utf8(<<C/utf8, R/binary>>) -> [C | utf8(R)];
utf8(<<>>) -> [];
utf8(R) -> {bad, R}.
utf16(<<C/utf16, R/binary>>) -> [C | utf16(R)];
utf16(<<>>) -> [];
utf16(R) -> {bad, R}.
utf32(<<C/utf32, R/binary>>) -> [C | utf32(R)];
utf32(<<>>) -> [];
utf32(R) -> {bad, R}.

packet(<<V:4, H:4, T:8, L:16/big, P:L/binary, Rest/binary>>) -> {V, H, T, L, P, Rest};
packet(_) -> bad.

append(0, B) -> B;
append(N, B) -> append(N - 1, <<B/binary, "ab">>).
append3(0, B) -> B;
append3(N, B) -> append3(N - 1, <<B/bits, N:3>>).

kind(<<0, _/binary>>) -> zero;
kind(<<1, X:16/little>>) when X > 3 -> {one, X};
kind(<<2, X:1>>) -> {two, X};
kind(<<4, X:32/signed>>) -> {four, X};
kind(B) when is_binary(B) -> other;
kind(_) -> none.

alt(<<A, B, C>>) -> {three, A, B, C};
alt(<<A, B>>) -> {two, A, B};
alt(<<"x">>) -> x;
alt(<<A>>) -> {one, A};
alt(<<>>) -> empty.
