%% A byte and whole bytes behind it: matched in one step, and what comes where that does not match.
-module(insn_match_byte).
-export([main/0]).
-include("../t.hrl").

bytes(<<B, R/binary>>, L) -> bytes(R, [B | L]);
bytes(<<>>, L) -> {bytes, L};
bytes(R, L) -> {rest, R, L}.

little(<<B:8/little, R/binary>>, L) -> little(R, [B | L]);
little(R, L) -> {R, L}.

signed(<<B:8/signed, R/binary>>, L) -> signed(R, [B | L]);
signed(R, L) -> {R, L}.

%% The second clause shares the byte with the first.
shared(<<B, R/binary>>) -> {whole, B, R};
shared(<<B, R/bitstring>>) -> {ragged, B, R};
shared(R) -> {none, R}.

two(<<A, B, R/binary>>) -> {A, B, R};
two(<<A, R/binary>>) -> {A, R};
two(<<A:4, R/bitstring>>) -> {four, A, R};
two(R) -> R.

text(<<C, R/binary>>, A) when C >= $a, C =< $z -> text(R, <<A/binary, (C - 32)>>);
text(<<C, R/binary>>, A) -> text(R, <<A/binary, C>>);
text(R, A) -> {A, R}.

keyed(<<"ab", R/binary>>) -> {ab, R};
keyed(<<$a, R/binary>>) -> {a, R};
keyed(<<C, R/binary>>) when C > 200 -> {high, R};
keyed(<<_, R/binary>>) -> {any, R};
keyed(R) -> {other, R}.

in_case(T) ->
    case T of
        {<<X, R/binary>>, <<Y, S/binary>>} -> {X, Y, R, S};
        {<<X, R/binary>>, S} -> {X, R, S};
        {R, S} -> {R, S};
        R -> R
    end.

head(<<B, _/binary>>) -> B.

inputs() ->
    Long = list_to_binary(lists:seq(1, 100)),
    <<_:3, Shifted/bits>> = <<5:3, Long/binary>>,
    <<_:5, Within:80/bits, _/bits>> = <<5:5, Long/binary>>,
    [<<>>, <<1>>, <<97>>, <<255>>, <<1:1>>, <<1:7>>, <<97, 1:1>>, <<97, 98, 1:7>>, <<97, 98, 99>>, <<1, 2, 3, 4>>, <<9:9>>, <<1000:12>>,
     <<255:16>>, Long, Shifted, Within, <<Long/binary, 1:3>>, a, [], {<<1>>, <<2>>}].

main() ->
    Functions = [{bytes, fun(B) -> bytes(B, []) end}, {little, fun(B) -> little(B, []) end}, {signed, fun(B) -> signed(B, []) end},
                 {shared, fun shared/1}, {two, fun two/1}, {text, fun(B) -> text(B, <<>>) end}, {keyed, fun keyed/1},
                 {in_case, fun in_case/1}, {pairs, fun(B) -> in_case({B, B}) end}, {one, fun(B) -> in_case({B, x}) end}, {head, fun head/1}],
    [t({Name, B}, fun() -> F(id(B)) end) || {Name, F} <- Functions, B <- inputs()],
    t(long, fun() -> {bytes, L} = bytes(binary:copy(<<1, 2, 255>>, 50000), []), {length(L), erlang:phash2(L)} end).
