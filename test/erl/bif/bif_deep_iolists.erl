%% Iolists of all shapes: nested to the left, to the right and both, with binaries of all kinds, parts of binaries and
%% bitstrings among them, with tails that are binaries, and with what is none anywhere.
-module(bif_deep_iolists).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({seed, Seed}, fun() -> run(Seed) end) || Seed <- lists:seq(1, 15)],
    [t({nested, How}, fun() -> nested(How) end) || How <- [left, right, both, empty]].

run(Seed) ->
    rand:seed(exsss, Seed),
    erlang:md5(term_to_binary([results(io(rand:uniform(7))) || _ <- lists:seq(1, 200)])).

results(Io) ->
    [attempt(fun() -> iolist_size(Io) end), attempt(fun() -> iolist_to_binary(Io) end),
     attempt(fun() -> list_to_bitstring(Io) end), attempt(fun() -> list_to_binary([Io, Io]) end),
     attempt(fun() -> iolist_to_binary(erlang:iolist_to_iovec(Io)) end), attempt(fun() -> erlang:crc32(Io) end),
     attempt(fun() -> erlang:md5([Io | <<"x">>]) end)].

attempt(Fun) ->
    try Fun()
    catch error:Reason -> Reason
    end.

io(0) -> leaf();
io(Depth) ->
    case rand:uniform(9) of
        1 -> [io(Depth - 1) | tail()];
        2 -> [[io(Depth - 1), rand:uniform(256) - 1], leaf()];
        3 -> [leaf() | io(Depth - 1)];
        4 -> binary_to_list(bytes(rand:uniform(30))) ++ [io(Depth - 1)];
        _ -> [io(Depth - rand:uniform(Depth)) || _ <- lists:seq(1, rand:uniform(4) - 1)]
    end.

tail() ->
    case rand:uniform(3) of
        1 -> [];
        2 -> bytes(rand:uniform(9));
        _ -> [[]]
    end.

leaf() ->
    case rand:uniform(40) of
        1 -> 256;
        2 -> -1;
        3 -> a;
        4 -> <<(rand:uniform(8)):3>>;
        5 -> binary:part(bytes(20), 3, rand:uniform(17));
        6 -> bytes(60 + rand:uniform(10));
        7 -> <<_:5, Rest/bits>> = bytes(4), <<Rest/bits, 1:5>>;
        N when N < 12 -> [];
        N when N < 22 -> bytes(rand:uniform(12) - 1);
        _ -> rand:uniform(256) - 1
    end.

bytes(N) -> << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, N) >>.

nested(How) ->
    Io = lists:foldl(fun(N, Io) -> nest(How, N band 255, Io) end, [], lists:seq(1, 30000)),
    {iolist_size(Io), erlang:md5(iolist_to_binary(Io)), erlang:crc32(Io), attempt(fun() -> iolist_to_binary([Io | end_of_it]) end)}.

nest(left, N, Io) -> [[Io, N], <<"bc">>];
nest(right, N, Io) -> [N, <<"bc">>, Io];
nest(both, N, Io) -> [[N], Io, [[N], <<>>] | <<"z">>];
nest(empty, _, Io) -> [[], [Io, []], []].
