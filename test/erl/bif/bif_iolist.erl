%% Iolists: sizes, joining, checksums, digests.
-module(bif_iolist).
-export([main/0]).
-include("../t.hrl").

main() ->
    B = <<"abc">>, U = <<1:3>>,
    Odd = begin <<_:3, R/binary>> = id(<<0:3, "hello">>), R end,
    Lists = [a, B, U, [], [1], [256], [-1], [a], [B | B], [U], [U | U], [1 | 2], [B, U, 1], [[] | B], 1, [$a, [$b, <<"c">> | <<"d">>]],
             [Odd, 1, [Odd | Odd]], [[[[[[]]]]]], [[1], [[2]], [[[3 | B]]]], [1.0], [B, {a}], [1 bsl 70], Odd],
    [t({F, X}, fun() -> erlang:F(X) end) || F <- [md5, crc32, adler32, iolist_size, iolist_to_binary, iolist_to_iovec,
        list_to_binary, list_to_bitstring], X <- Lists],
    each([{md5_final, [a]}, {md5_final, [B]}, {md5_update, [a, B]}, {crc32, [0, B]}, {crc32, [a, B]}, {crc32, [-1, B]},
        {crc32, [1 bsl 32, B]}, {crc32, [1, a]}, {crc32, [16#ffffffff, [B, 1]]}, {adler32, [1, B]}, {adler32, [a, B]},
        {adler32, [1 bsl 32, B]}, {adler32, [16#ffffffff, B]}, {crc32_combine, [1, 2, 3]}, {crc32_combine, [a, 2, 3]},
        {crc32_combine, [1, a, 3]}, {crc32_combine, [1, 2, a]}, {crc32_combine, [1, 2, -1]},
        {crc32_combine, [1, 2, 1 bsl 33]}, {crc32_combine, [1, 2, 1 bsl 31]}, {adler32_combine, [1, 2, 3]},
        {adler32_combine, [16#ffffffff, 2, 3]}, {adler32_combine, [1, 2, a]}, {adler32_combine, [1, 2, 1 bsl 20]}]),
    t(md5_steps, fun() -> C1 = erlang:md5_update(erlang:md5_init(), [B, "def"]),
        C2 = erlang:md5_update(C1, binary:copy(<<"0123456789">>, 1000)),
        {byte_size(C1), erlang:md5_final(C1), erlang:md5_final(C2), erlang:md5_final(C1)} end),
    t(md5_update_bad, fun() -> catch_bad(fun() -> erlang:md5_update(erlang:md5_init(), a) end) end),
    Deep = lists:foldl(fun(N, A) -> [A, N rem 256] end, [], lists:seq(1, 100000)),
    Long = [<<(N rem 256)>> || N <- lists:seq(1, 200000)],
    Large = [binary:copy(<<"0123456789abcdef">>, 200000), "tail", binary:copy(<<"x">>, 1500000)],
    [t({large, F, size_of(L)}, fun() -> show(erlang:F(L)) end) || F <- [md5, crc32, adler32, iolist_size, iolist_to_binary,
        list_to_binary, list_to_bitstring], L <- [Deep, Long, Large]],
    t(iovec_large, fun() -> V = erlang:iolist_to_iovec(Large), {iolist_size(V), erlang:md5(V), [is_binary(X) || X <- V]} end),
    t(bits_large, fun() -> erlang:md5(<<(list_to_bitstring([<<N:5>> || N <- lists:seq(0, 7999)]))/bitstring>>) end),
    Bytes = [N rem 256 || N <- lists:seq(1, 5000)],
    t(runs, fun() -> [erlang:md5(list_to_binary(L)) || L <- [Bytes, [Bytes | B], [B, Bytes, 1, Bytes | Odd], [Bytes, [], Bytes],
        [1, [2, Bytes], 3, [Bytes | B], 4], [Odd | Bytes]]] end),
    t(runs_bad, fun() -> [catch_bad(fun() -> list_to_binary(L) end) || L <- [[Bytes | 1], [Bytes, a], [Bytes, 256 | Bytes],
        Bytes ++ [-1], Bytes ++ a, [Bytes, U]]] end),
    t(runs_ragged, fun() -> [erlang:phash2(list_to_bitstring(L)) || L <- [[Bytes, U, Bytes], [U | Bytes], [Bytes | U],
        [U, U, <<1:2>>, Bytes, U]]] end),
    t(bits_deep, fun() -> list_to_bitstring([<<1:1>>, [<<2:2>>, [255, <<3:3>>] | <<4:4>>]]) end),
    t(no_copy, fun() -> Bin = binary:copy(B, 100), erts_debug:same(Bin, iolist_to_binary(Bin)) end).

catch_bad(F) -> try F() catch error:R -> R end.
size_of(L) -> iolist_size(L).
show(B) when is_binary(B), byte_size(B) > 100 -> {byte_size(B), erlang:md5(B)};
show(X) -> X.
each(Calls) -> [t({F, A}, fun() -> apply(erlang, F, A) end) || {F, A} <- Calls].
