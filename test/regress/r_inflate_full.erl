%% Chunks that an inflation fills to the last byte: what the calls answer until nothing is left.
-module(r_inflate_full).
-export([main/0]).

main() ->
    [chunks(Size, Chunk, Way) || Size <- [0, 1, 1000, 2048, 3000, 3072, 3073], Chunk <- [1024, 3072],
                                 Way <- [inflateChunk, safeInflate]],
    Data = data(8192),
    io:format("~p~n", [{zlib:uncompress(zlib:compress(Data)) =:= Data, zlib:gunzip(zlib:gzip(Data)) =:= Data,
                        zlib:unzip(zlib:zip(Data)) =:= Data}]).

data(Size) -> << <<(I rem 150)>> || I <- lists:seq(1, Size) >>.

chunks(Size, Chunk, Way) ->
    Z = zlib:open(),
    zlib:setBufSize(Z, Chunk),
    ok = zlib:inflateInit(Z),
    First = zlib:Way(Z, zlib:compress(data(Size))),
    Next = [next(Way, Z) || _ <- lists:seq(1, 5)],
    io:format("~p ~b of ~b: ~0p ~p~n", [Way, Chunk, Size, [short(A) || A <- [First | Next]], zlib:inflateEnd(Z)]),
    zlib:close(Z).

next(inflateChunk, Z) -> zlib:inflateChunk(Z);
next(safeInflate, Z) -> zlib:safeInflate(Z, []).

short({What, Output}) -> {What, iolist_size(Output)};
short(Output) -> iolist_size(Output).
