%% The external term format: bytes as the stock runtime writes them, options, errors, large terms.
-module(bif_etf).
-export([main/0]).
-include("../t.hrl").

main() ->
    Terms = [0, 255, 256, -1, 134217727, 134217728, -134217729, 2147483647, 2147483648, -2147483648, -2147483649, 1 bsl 60,
        1 bsl 59, -(1 bsl 64), 1 bsl 64, 1 bsl 2039, 1 bsl 2040, 1.5, -0.0, 1.0e300, 5.0e-324, abc, 'é', '日本', '', [], "abc",
        [1, 2, 300], [1 | 2], [[]], {}, {1}, list_to_tuple(lists:seq(1, 256)), lists:duplicate(65535, 1), <<>>, <<"abc">>, <<1:3>>,
        <<1:9>>, binary:copy(<<"x">>, 100), #{}, #{a => 1, 1 => 2, 1.0 => 3, "x" => 4}, fun lists:map/2, {a, [b, {c}], #{d => "e"}}],
    [t({bytes, O, short(X)}, fun() -> show(term_to_binary(X, O)) end) || X <- Terms,
        O <- [[], [{minor_version, 0}], [{minor_version, 2}], [deterministic]]],
    [t({back, short(X)}, fun() -> binary_to_term(term_to_binary(X)) =:= X end) || X <- Terms],
    [t({size, short(X)}, fun() -> {erlang:external_size(X), erlang:external_size(X, [{minor_version, 0}])} end) || X <- Terms],
    [t({options, O}, fun() -> term_to_binary(a, O) end) || O <- [[x], [{minor_version, 3}], [{compressed, 10}],
        [{minor_version, -1}], foo, [compressed | x], [{compressed, -1}], [local], [{a, b, c}]]],
    [t({size_options, O}, fun() -> erlang:external_size(abc, O) end) || O <- [[{minor_version, 2}], [compressed],
        [deterministic], [], foo]],
    [t({compressed, N, O}, fun() -> B = term_to_binary(list_to_tuple([foo | lists:duplicate(N, 0)]), O), {B, binary_to_term(B) =:= list_to_tuple([foo | lists:duplicate(N, 0)])} end)
        || N <- [0, 5, 7, 8, 9, 50], O <- [[compressed], [{compressed, 0}], [{compressed, 1}], [{compressed, 9}]]],
    t(iovec, fun() -> [erlang:term_to_iovec({a, binary:copy(<<1>>, 100), <<1, 2>>}), erlang:term_to_iovec(a), erlang:term_to_iovec([1, 2], [{minor_version, 2}])] end),
    t(iovec_many, fun() -> V = erlang:term_to_iovec(L = [binary:copy(<<1>>, N) || N <- [63, 64, 65, 100, 300]]), {[size(X) || X <- V], iolist_to_binary(V) =:= term_to_binary(L)} end),
    t(iovec_options, fun() -> erlang:term_to_iovec(a, [foo]) end),
    t(iovec_compressed, fun() -> erlang:term_to_iovec({a, binary:copy(<<1>>, 100)}, [compressed]) end),
    [t({decode, B}, fun() -> binary_to_term(B) end) || B <- [<<131, 97, 1>>, <<131>>, <<>>, <<130, 97, 1>>, a, <<1:3>>, <<131, 97, 1, 2>>,
        <<131, 119, 1, 255>>, <<131, 104, 0>>, <<131, 108, 0:32, 97, 1>>, <<131, 116, 2:32, 97, 1, 97, 1, 97, 1, 97, 2>>, <<131, 80, 1:32, 1>>]],
    [t({decode, B, O}, fun() -> binary_to_term(B, O) end) || B <- [<<131, 97, 1, 2, 3>>, <<131, 119, 9, "nosuchato">>],
        O <- [[], [safe], [used], [used, safe], [x], a, [safe | x]]],
    t(used_compressed, fun() -> Z = zlib:compress(<<97, 5>>), binary_to_term(<<131, 80, 2:32, Z/binary, 1, 2, 3>>, [used]) end),
    t(safe_export, fun() -> binary_to_term(<<131, 113, 119, 5, "lists", 119, 3, "map", 97, 9>>, [safe]) end),
    t(safe_export_ok, fun() -> binary_to_term(term_to_binary(fun lists:map/2), [safe]) end),
    t(odd_bits, fun() -> <<_:5, R/binary>> = id(<<0:5, (term_to_binary({a, "b", <<"c">>}))/binary>>), binary_to_term(R) end),
    t(pids, fun() -> P = self(), R = make_ref(), {P, R} =:= binary_to_term(term_to_binary({P, R})) end),
    t(foreign, fun() -> [binary_to_term(<<131, 88, 119, 7, "foo@bar", 5:32, 6:32, 7:32>>) =:= binary_to_term(<<131, 88, 119, 7, "foo@bar", 5:32, 6:32, 7:32>>), node(binary_to_term(<<131, 89, 119, 7, "foo@bar", 5:32, 7:32>>))] end),
    t(funs, fun() -> A = id(40), F = fun(X) -> X + A end, G = binary_to_term(term_to_binary(F)), {F =:= G, G(2)} end),
    t(large_map, fun() -> M = maps:from_list([{{N, a}, N * N} || N <- lists:seq(1, 5000)]), B = term_to_binary(M, [deterministic]), {byte_size(B), erlang:md5(B), binary_to_term(B) =:= M, binary_to_term(term_to_binary(M)) =:= M} end),
    t(large_list, fun() -> L = [{N, [N | "abc"], #{N => <<N:64>>}} || N <- lists:seq(1, 60000)], B = term_to_binary(L), {byte_size(B), erlang:md5(B), binary_to_term(B) =:= L} end),
    t(large_compressed, fun() -> L = [{N rem 100, "some text", foo} || N <- lists:seq(1, 30000)], B = term_to_binary(L, [compressed]), {erlang:md5(B), binary_to_term(B) =:= L, element(2, binary_to_term(<<B/binary, "rest">>, [used])) =:= byte_size(B)} end),
    t(large_iovec, fun() -> L = [{N, binary:copy(<<N:32>>, 20)} || N <- lists:seq(1, 30000)], V = erlang:term_to_iovec(L), {length(V), iolist_to_binary(V) =:= term_to_binary(L)} end),
    t(large_sizes, fun() -> A = id(1), Strings = lists:duplicate(65535, $a),
        Large = [[{N, [N | "abc"], #{N => <<N:64>>}, fun() -> {A, N} end} || N <- lists:seq(1, 40000)],
                 maps:from_list([{{N, a}, [N, #{b => N}]} || N <- lists:seq(1, 40000)]), list_to_tuple(lists:seq(1, 200000)),
                 lists:foldl(fun(N, L) -> {N, [L]} end, [], lists:seq(1, 100000)), lists:foldl(fun(N, L) -> [L, N | N] end, [], lists:seq(1, 100000)),
                 [Strings, [$a | Strings], Strings ++ a, Strings ++ [256], [[] | Strings]], [self(), make_ref(), fun id/1, fun lists:map/2 | 1 bsl 5000]],
        [{erlang:external_size(L) - byte_size(term_to_binary(L)),
          erlang:external_size(L, [{minor_version, 0}]) - byte_size(term_to_binary(L, [{minor_version, 0}]))} || L <- Large] end),
    t(fun_sizes, fun() -> A = id(1), [erlang:external_size(F) - byte_size(term_to_binary(F)) ||
        F <- [fun() -> 1 end, fun() -> A end, fun(X) -> {A, X} end, [fun() -> A end, fun() -> {A, A} end], fun id/1, fun lists:map/2]] end),
    t(deep, fun() -> D = lists:foldl(fun(N, A) -> {N, [A]} end, [], lists:seq(1, 200000)), B = term_to_binary(D), {byte_size(B), erlang:md5(B), binary_to_term(B) =:= D} end),
    t(cut, fun() -> B = term_to_binary([{N, "abc", #{N => a}} || N <- lists:seq(1, 10000)]), [catch_bad(binary:part(B, 0, byte_size(B) - N)) || N <- [1, 2, 100, 50000]] end),
    t(many_at_once, fun() -> L = lists:seq(1, 50000), Ps = [spawn_monitor(fun() -> exit(binary_to_term(term_to_binary({N, L})) =:= {N, L}) end) || N <- lists:seq(1, 20)],
        [receive {'DOWN', M, _, P, R} -> R end || {P, M} <- Ps] end).

catch_bad(B) -> try binary_to_term(B) of _ -> ok catch error:R -> R end.
short(X) when is_list(X), length(X) > 100 -> long;
short(X) when is_tuple(X), tuple_size(X) > 100 -> wide;
short(X) -> X.
show(B) when byte_size(B) > 200 -> {byte_size(B), erlang:md5(B)};
show(B) -> B.
