%% Binaries: matching, building, UTF-8, bit fields, searching.
-module(b_binaries).
-export([group/0, benchmarks/0]).

group() -> sequential.

benchmarks() ->
    Bytes = << <<(N rem 251)>> || N <- lists:seq(1, 200000) >>,
    Text = unicode:characters_to_binary(lists:append(lists:duplicate(8000, "na\x{ef}ve \x{20ac} te\x{1f600}"))),
    Records = << <<N:12, (N * 3):20, 1:1, (N rem 7):7, "x">> || N <- lists:seq(1, 15000) >>,
    Line = binary:copy(<<"GET /index.html HTTP/1.1 key=value; other=thing\r\n">>, 500),
    [{"binaries: match bytes", fun() -> times(10, fun() -> sum(Bytes, 0) end) end},
     {"binaries: match utf8", fun() -> times(4, fun() -> characters(Text, 0) end) end},
     {"binaries: match bit fields", fun() -> times(30, fun() -> fields(Records, 0) end) end},
     {"binaries: words", fun() -> times(6, fun() -> words(Line, <<>>, 0) end) end},
     {"binaries: append", fun() -> append(400000, <<>>) end},
     {"binaries: build fields", fun() -> build(150000, 0) end},
     {"binaries: comprehension", fun() -> times(5, fun() -> << <<(B bxor 85)>> || <<B>> <= Bytes >> end) end},
     {"binaries: to list and back", fun() -> times(10, fun() -> list_to_binary(binary_to_list(Bytes)) end) end},
     {"binaries: split", fun() -> times(20, fun() -> binary:split(Line, <<"\r\n">>, [global]) end) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

sum(<<Byte, Rest/binary>>, Sum) -> sum(Rest, Sum + Byte);
sum(<<>>, Sum) -> Sum.

characters(<<Character/utf8, Rest/binary>>, Sum) -> characters(Rest, Sum + Character);
characters(<<>>, Sum) -> Sum.

fields(<<A:12, B:20, 1:1, C:7, "x", Rest/binary>>, Sum) -> fields(Rest, Sum + A + B + C);
fields(<<>>, Sum) -> Sum.

words(<<C, Rest/binary>>, Word, Count) when C >= $a, C =< $z -> words(Rest, <<Word/binary, C>>, Count);
words(<<_, Rest/binary>>, Word, Count) -> words(Rest, <<>>, Count + min(1, byte_size(Word)));
words(<<>>, _, Count) -> Count.

append(0, Built) -> byte_size(Built);
append(N, Built) -> append(N - 1, <<Built/binary, N:8>>).

build(0, Sum) -> Sum;
build(N, Sum) -> build(N - 1, Sum + byte_size(<<N:16, (N + 1):32/little, 3:4, N:12, 1.5:64/float>>)).
