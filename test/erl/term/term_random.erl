%% Random terms through what src/term does: order, equality, hashes, arithmetic, maps, bit syntax, text. Each line is a
%% checksum over many cases, so that the output stays short; with a seed as argument other cases are met.
-module(term_random).
-export([main/0, main/1]).

-define(CASES, 400).

main() -> [run(Seed) || Seed <- lists:seq(1, 5)].
main([]) -> main();
main([Seed]) -> run(list_to_integer(Seed)).

run(Seed) ->
    rand:seed(exsss, {Seed, 17, 4711}),
    Terms = [term(3) || _ <- lists:seq(1, ?CASES)],
    Numbers = [number() || _ <- lists:seq(1, ?CASES)],
    Ints = [integer() || _ <- lists:seq(1, ?CASES)],
    Pairs = lists:zip(Terms, shuffle(Terms)),
    NumberPairs = lists:zip(Numbers, shuffle(Numbers)),
    IntPairs = lists:zip(Ints, shuffle(Ints)),
    show(Seed, order, [{A < B, A =< B, A == B, A =:= B, A > B, A >= B, A /= B, A =/= B} || {A, B} <- Pairs ++ NumberPairs]),
    show(Seed, sort, lists:sort(Terms)),
    show(Seed, usort, lists:usort(Terms ++ Terms)),
    show(Seed, phash2, [erlang:phash2(T) || T <- Terms]),
    show(Seed, phash2_range, [erlang:phash2(T, 1 bsl 32) || T <- Terms]),
    show(Seed, copies, [binary_to_term(term_to_binary(T)) =:= T || T <- Terms]),
    show(Seed, etf, [term_to_binary(T) || T <- Terms]),
    [show(Seed, Op, [try erlang:Op(A, B) catch error:R -> R end || {A, B} <- NumberPairs]) || Op <- ['+', '-', '*', '/']],
    [show(Seed, Op, [try erlang:Op(A, B) catch error:R -> R end || {A, B} <- IntPairs])
     || Op <- ['div', 'rem', 'band', 'bor', 'bxor']],
    [show(Seed, Op, [try erlang:Op(A, B rem 300) catch error:R -> R end || {A, B} <- IntPairs]) || Op <- ['bsl', 'bsr']],
    [show(Seed, Op, [try erlang:Op(A) catch error:R -> R end || A <- Numbers ++ Terms])
     || Op <- ['bnot', '-', '+', abs, float, round, trunc, ceil, floor]],
    show(Seed, integers_as_text, [integer_to_list(I, 2 + rand:uniform(35) - 1) || I <- Ints]),
    show(Seed, text_as_integers, [list_to_integer(integer_to_list(I, B), B) =:= I || I <- Ints, B <- [2, 7, 10, 16, 36]]),
    show(Seed, floats, [[float_to_list(F), float_to_list(F, [short]), io_lib:format("~p ~w", [F, F])] || F <- Numbers, is_float(F)]),
    show(Seed, decimals, [catch float_to_list(F, [{decimals, rand:uniform(25) - 1} | [compact || rand:uniform(2) =:= 1]])
                          || F <- Numbers, is_float(F), abs(F) < 1.0e200]),
    show(Seed, printed, [io_lib:format("~p ~w ~tp", [T, T, T]) || T <- Terms]),
    maps(Seed, Terms),
    bits(Seed, Ints).

maps(Seed, Terms) ->
    %% keys whose order in large maps is the same everywhere: no atoms in them
    Keys = [K || K <- Terms, plain(K)] ++ lists:seq(1, 50),
    {_, Steps} = lists:foldl(fun(K, {M, Acc}) ->
                                     M1 = case rand:uniform(4) of
                                              1 -> maps:remove(lists:nth(rand:uniform(length(Keys)), Keys), M);
                                              _ -> M#{K => rand:uniform(10)}
                                          end,
                                     {M1, [{map_size(M1), maps:get(K, M1, none), M1 =:= maps:from_list(maps:to_list(M1)),
                                            erlang:phash2(M1)} | Acc]}
                             end, {#{}, []}, Keys),
    show(Seed, maps, Steps),
    M1 = maps:from_list([{K, 1} || K <- Keys, rand:uniform(2) =:= 1]),
    M2 = maps:from_list([{K, 2} || K <- Keys, rand:uniform(2) =:= 1]),
    show(Seed, maps_order, [maps:to_list(M1), maps:keys(M2), maps:values(M1), maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], M2)]),
    show(Seed, maps_merge, [maps:merge(M1, M2), maps:merge(M2, M1), M1 < M2, M1 == M2, maps:with(maps:keys(M1), M2)]),
    show(Seed, maps_compare, [{A < B, A == B} || A <- [M1, M2, M1#{1 => 1.0}, M1#{1.0 => 1}], B <- [M1, M2, M1#{1 => 1.0}, M1#{1.0 => 1}]]).

bits(Seed, Ints) ->
    show(Seed, segments,
         [begin
              S = rand:uniform(150), O = rand:uniform(20) - 1,
              B = <<0:O, I:S, I:S/little, I:S/native>>,
              <<_:O, X:S, Y:S/little, Z:S/signed-native>> = B,
              <<_:O, X1:S/signed, Y1:S/little-signed, _/bitstring>> = B,
              {B, X, Y, Z, X1, Y1}
          end || I <- Ints]),
    show(Seed, appended, lists:foldl(fun(I, B) -> S = rand:uniform(70), <<B/bitstring, I:S>> end, <<>>, Ints)),
    show(Seed, parts, [begin
                           B = <<I:(rand:uniform(400))>>, S = rand:uniform(bit_size(B)),
                           <<H:S/bitstring, T/bitstring>> = B,
                           {H, T, <<T/bitstring, H/bitstring>>, H < T, H == T}
                       end || I <- Ints]).

plain(T) when is_atom(T); is_map(T) -> false;
plain([H | T]) -> plain(H) andalso (T =:= [] orelse plain(T));
plain(T) when is_tuple(T) -> lists:all(fun plain/1, tuple_to_list(T));
plain(_) -> true.

show(Seed, What, Value) ->
    io:format("~w ~w ~s~n", [Seed, What, binary:encode_hex(erlang:md5(term_to_binary(Value, [{minor_version, 2}])))]).

shuffle(L) -> [X || {_, X} <- lists:sort([{rand:uniform(1 bsl 30), X} || X <- L])].

integer() ->
    case rand:uniform(6) of
        1 -> rand:uniform(20) - 10;
        2 -> rand:uniform(1 bsl 32) - (1 bsl 31);
        3 -> sign() * ((1 bsl (rand:uniform(140) - 1)) + rand:uniform(3) - 2);
        4 -> sign() * rand:uniform(1 bsl 62);
        5 -> sign() * rand:uniform(1 bsl rand:uniform(300));
        6 -> rand:uniform(256) - 1
    end.
sign() -> 3 - 2 * rand:uniform(2).
real() ->
    case rand:uniform(5) of
        1 -> float(rand:uniform(20) - 10);
        2 -> <<F/float>> = <<(rand:uniform(2) - 1):1, (rand:uniform(2046)):11, (rand:uniform(1 bsl 52) - 1):52>>, F;
        3 -> rand:uniform() * 100;
        4 -> float(sign() * (1 bsl (rand:uniform(140) - 1)));
        5 -> (rand:uniform(100000) - 50000) / math:pow(10, rand:uniform(7))
    end.
number() -> case rand:uniform(2) of 1 -> integer(); 2 -> real() end.
bitstring() -> <<(rand:uniform(1 bsl 64)):(rand:uniform(100) - 1)>>.
atom() -> lists:nth(rand:uniform(12), [a, b, ab, abc, abcd, abcde, 'A', '', '\xe5', '\x{400}', true, 'hello world']).
leaf() ->
    case rand:uniform(8) of
        1 -> atom();
        2 -> real();
        3 -> bitstring();
        4 -> lists:nth(rand:uniform(4), [[], {}, #{}, <<>>]);
        _ -> integer()
    end.
term(0) -> leaf();
term(N) ->
    case rand:uniform(9) of
        1 -> [term(N - 1) || _ <- lists:seq(1, rand:uniform(4))];
        2 -> list_to_tuple([term(N - 1) || _ <- lists:seq(1, rand:uniform(4))]);
        3 -> maps:from_list([{term(N - 1), term(N - 1)} || _ <- lists:seq(1, rand:uniform(4))]);
        4 -> [term(N - 1), term(N - 1) | leaf()];
        5 -> [rand:uniform(256) - 1 || _ <- lists:seq(1, rand:uniform(12))];
        6 -> maps:from_list([{rand:uniform(60), rand:uniform(2)} || _ <- lists:seq(1, 60)]);
        _ -> leaf()
    end.
