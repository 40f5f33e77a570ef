%% zlib: streams in all states, chunks, dictionaries, ends, and checksums.
-module(data_zlib).
-export([main/0]).

%% The stock runtime's own modules have no lines: failures are shown without their stacks.
t(Name, Fun) -> io:format("~0tp: ~0tp~n", [Name, try Fun() catch C:R -> {failed, C, R} end]).

main() ->
    rand:seed(exsss, {1, 2, 3}),
    Data = [<<>>, <<"a">>, <<"hello hello hello">>, binary:copy(<<"abc">>, 50000), rand:bytes(70000), ["io", [<<"list">> | "s"]],
            << <<(rand:uniform(4))>> || _ <- lists:seq(1, 40000) >>],
    [t({I, F}, fun() -> D = iolist_to_binary(X), C = zlib:F(X), {erlang:md5(C), zlib:G(C) =:= D} end)
     || {I, X} <- lists:zip(lists:seq(1, 7), Data), {F, G} <- [{compress, uncompress}, {zip, unzip}, {gzip, gunzip}]],
    [t({level, L, S}, fun() -> level(L, S, lists:nth(7, Data)) end) || L <- [none, default, best_speed, best_compression, 5],
                                                                      S <- [default, filtered, huffman_only, rle]],
    [t({bits, B}, fun() -> bits(B, lists:nth(3, Data)) end) || B <- [8, 9, 15, 16, 31, 40, 47, -15, -8, -7, 48, a]],
    [t({window, B}, fun() -> zlib:inflateInit(zlib:open(), B) end) || B <- [8, 15, 31, 47, -15, 0, 48]],
    t(states, fun states/0),
    t(dictionary, fun dictionary/0),
    t(chunks, fun() -> chunks(lists:nth(4, Data)) end),
    t(flush, fun flush/0),
    t(ends, fun ends/0),
    t(params, fun params/0),
    t(owner, fun owner/0),
    [t({bad, X}, fun() -> zlib:F(X) end) || X <- ["abc", <<"not compressed data">>, foo, <<1:3>>], F <- [uncompress, unzip, gunzip]].

catch_error(F) -> try F() catch error:E -> E end.

level(L, S, D) ->
    Z = zlib:open(),
    zlib:deflateInit(Z, L, deflated, 15, 8, S),
    B = iolist_to_binary(zlib:deflate(Z, D, finish)),
    zlib:deflateEnd(Z),
    {byte_size(B), zlib:uncompress(B) =:= D}.

bits(B, D) ->
    Z = zlib:open(),
    ok = zlib:deflateInit(Z, default, deflated, B, 8, default),
    C = zlib:deflate(Z, D, finish),
    I = zlib:open(),
    zlib:inflateInit(I, B),
    {iolist_to_binary(zlib:inflate(I, C)) =:= D, zlib:crc32(Z), zlib:crc32(I)}.

states() ->
    Z = zlib:open(),
    E = fun catch_error/1,
    A = [E(fun() -> zlib:deflate(Z, "abc") end), E(fun() -> zlib:inflate(Z, "abc") end), E(fun() -> zlib:deflateReset(Z) end),
         E(fun() -> zlib:deflateEnd(Z) end), E(fun() -> zlib:deflateInit(Z) end), E(fun() -> zlib:deflateInit(Z) end),
         E(fun() -> zlib:inflateInit(Z) end), E(fun() -> zlib:deflateSetDictionary(Z, <<"abc">>) end), E(fun() -> zlib:deflate(Z, "abcabc") end),
         E(fun() -> zlib:deflateSetDictionary(Z, <<"abc">>) end), E(fun() -> zlib:deflateEnd(Z) end), E(fun() -> zlib:deflateInit(Z, foo) end),
         E(fun() -> zlib:inflateInit(Z) end), E(fun() -> zlib:inflate(Z, "not zlib data") end), E(fun() -> zlib:inflateEnd(Z) end),
         E(fun() -> zlib:inflateEnd(Z) end), E(fun() -> zlib:close(Z) end), E(fun() -> zlib:close(Z) end), E(fun() -> zlib:inflate(Z, "a") end),
         E(fun() -> zlib:inflateInit(Z) end), E(fun() -> zlib:close(make_ref()) end), E(fun() -> zlib:close(foo) end)],
    A.

dictionary() ->
    Z = zlib:open(),
    zlib:deflateInit(Z),
    Adler = zlib:deflateSetDictionary(Z, <<"hello">>),
    D = zlib:deflate(Z, "hello hello hello", finish),
    I = zlib:open(),
    zlib:inflateInit(I),
    {Adler, D, catch_error(fun() -> zlib:inflate(I, D) end), catch_error(fun() -> zlib:inflateSetDictionary(I, "bad") end),
     zlib:inflateSetDictionary(I, "hello"), zlib:inflate(I, []), zlib:inflateReset(I), zlib:inflate(I, D, [{exception_on_need_dict, false}]),
     catch_error(fun() -> zlib:inflateEnd(I) end)}.

chunks(D) ->
    Z = zlib:open(),
    zlib:inflateInit(Z),
    {Sizes, Bin} = safe(Z, zlib:safeInflate(Z, zlib:compress(D)), []),
    D1 = zlib:open(),
    zlib:deflateInit(D1),
    Out = [byte_size(B) || B <- lists:flatten([zlib:deflate(D1, D, sync)])],
    {Sizes, Bin =:= D, Out}.

safe(Z, {continue, O}, Acc) -> safe(Z, zlib:safeInflate(Z, []), [O | Acc]);
safe(_, {finished, O}, Acc) ->
    L = lists:reverse([O | Acc]),
    {[iolist_size(X) || X <- L], iolist_to_binary(L)}.

flush() ->
    Z = zlib:open(),
    zlib:deflateInit(Z),
    [zlib:deflate(Z, D, F) || {D, F} <- [{"abc", none}, {"", sync}, {"", sync}, {"", full}, {"x", full}, {"", none}, {"", finish}]] ++
        [catch_error(fun() -> zlib:deflate(Z, "x", bad) end), catch_error(fun() -> zlib:deflate(Z, "more") end)].

ends() ->
    One = zlib:compress("abc"),
    [begin
         Z = zlib:open(),
         zlib:inflateInit(Z, 15, B),
         {B, catch_error(fun() -> zlib:inflate(Z, D) end), catch_error(fun() -> zlib:inflate(Z, "x") end), catch_error(fun() -> zlib:inflateEnd(Z) end)}
     end || B <- [cut, error, reset, foo], B =/= foo, D <- [One, [One, One], [One, "junk"], binary:part(One, 0, 5)]].

params() ->
    Z = zlib:open(),
    zlib:deflateInit(Z, none),
    A = zlib:deflate(Z, "aaaaaaaaaaaaaaaaaaaaaaaa"),
    P = zlib:deflateParams(Z, best_compression, default),
    B = zlib:deflate(Z, "aaaaaaaaaaaaaaaaaaaaaaaa", finish),
    {P, zlib:uncompress(iolist_to_binary([A, B])), zlib:deflateEnd(Z)}.

owner() ->
    Z = zlib:open(),
    Self = self(),
    spawn(fun() -> Self ! {1, catch_error(fun() -> zlib:deflateInit(Z) end)} end),
    A = receive {1, X} -> X end,
    P = spawn(fun() -> receive go -> Self ! {2, catch_error(fun() -> zlib:deflateInit(Z) end)} end end),
    zlib:set_controlling_process(Z, P),
    P ! go,
    {A, receive {2, Y} -> Y end, catch_error(fun() -> zlib:deflate(Z, "a") end), catch_error(fun() -> zlib:set_controlling_process(Z, foo) end)}.
