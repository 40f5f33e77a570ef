%% Loops over bytes: what is asked of a byte, of whole bytes behind it, and another clause that begins where it began; of
%% binaries in the heap and outside, and of such that begin within a byte or end within one.
-module(insn_byte_loops).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({name(F), I}, fun() -> F(B) end) || F <- [fun sum/1, fun skip/1, fun word/1, fun digits/1, fun odd/1, fun two/1, fun strange/1, fun frame/1],
                                           {I, B} <- numbered()],
    t(long, fun() -> {sum(binary:copy(<<1, 2, 3>>, 100000)), skip(binary:copy(<<"12 ">>, 100000)), length(word(binary:copy(<<"ab">>, 50000)))} end).

name(F) -> element(2, erlang:fun_info(F, name)).
numbered() -> lists:zip(lists:seq(1, length(binaries())), binaries()).
binaries() ->
    Long = list_to_binary([lists:seq(48, 57), " ", lists:seq(97, 122), lists:seq(0, 40), lists:seq(200, 255)]),
    <<_:3, Shifted:80/bitstring, _/bitstring>> = Long, <<_:8, Part:90/binary, _/binary>> = Long, <<_:5, Ragged:83/bitstring, _/bitstring>> = Long,
    [<<>>, <<1>>, <<"12 34">>, <<"12x">>, <<"abc">>, <<"12", 1:3>>, <<1:7>>, <<"1", 0:1>>, <<$-, "17">>, <<0, 255>>, <<255, 0>>, <<"ab">>, <<"ba">>,
     Long, Shifted, Part, Ragged, <<Long/binary, 3:2>>, atom, [], {a}, #{}].

sum(B) -> sum(B, 0).
sum(<<C, R/binary>>, S) -> sum(R, S + C);
sum(<<>>, S) -> S;
sum(Rest, S) -> {Rest, S}.

skip(<<C, R/binary>>) when C >= $0, C =< $9 -> skip(R);
skip(<<$\s, R/binary>>) -> skip(R);
skip(<<C, R/bits>>) when C > 250 -> {more, C, R};
skip(Rest) -> Rest.

word(<<C, R/binary>>) when C >= $a, C =< $z; C =:= $_ -> [C | word(R)];
word(<<C, _/binary>>) when C =/= $0 -> [other, C];
word(<<>>) -> [];
word(Rest) -> [rest, Rest].

digits(<<$-, R/binary>>) -> {minus, digits(R, 0)};
digits(B) -> digits(B, 0).
digits(<<D, R/binary>>, N) when D >= $0, D =< $9 -> digits(R, N * 10 + D - $0);
digits(R, N) -> {N, R}.

%% What a byte never is, or always.
strange(<<C, _/binary>>) when C < 0 -> negative;
strange(<<C, _/binary>>) when C > 16#ffffffff -> large;
strange(<<C, _/binary>>) when C > 1 bsl 70 -> larger;
strange(<<C, _/binary>>) when C =:= a -> atom;
strange(<<C, _/binary>>) when C < a, C >= -1, 256 > C, C =/= b, C == 255.0 -> {all, C};
strange(<<C, R/binary>>) when C =< 255 -> {byte, C, R};
strange(Other) -> {other, Other}.

odd(<<C, R/bits>>) when C rem 2 =:= 1 -> [C | odd(R)];
odd(<<_, R/bits>>) -> odd(R);
odd(R) -> R.

two(<<A, B, R/bits>>) when A < B -> [{A, B} | two(R)];
two(<<A, R/bits>>) -> [A | two(R)];
two(R) -> R.

frame(B) -> X = id({B}), {frame(B, []), X}.
frame(<<C, R/binary>>, L) -> D = id(C), if C < 100 -> frame(R, [D | L]); true -> frame(R, [C, D | L]) end;
frame(R, L) -> {R, lists:reverse(L)}.
