%% Module binary, and the functions of erlang that cut binaries.
-module(bif_binary).
-export([main/0]).
-include("../t.hrl").

main() ->
    B = <<"abc">>, U = <<1:3>>, Odd = odd(<<"xabcx">>),
    Big = binary:copy(<<"0123456789">>, 50),
    H = <<"the quick the brown the end">>, T = <<"the">>,
    each([{erlang, binary_part, X} || X <- [[B, 0, 1], [B, 1, 2], [B, 3, -2], [B, 0, 4], [B, -1, 1], [a, 0, 1], [B, a, 1],
        [B, 0, a], [U, 0, 0], [B, {0, 1}], [B, {0, 4}], [B, x], [a, {0, 1}], [B, {0, 1, 2}], [B, 1 bsl 70, 0],
        [B, 0, 1 bsl 70], [Odd, 1, 3], [Big, 100, 200], [Big, 500, -500], [<<1:12>>, 0, 1], [<<1:12>>, 0, 2]]]),
    each([{erlang, split_binary, X} || X <- [[B, 0], [B, 1], [B, 3], [B, 4], [B, -1], [U, 0], [<<1:9>>, 1], [a, 1], [B, a],
        [B, 1 bsl 70], [Odd, 2], [Big, 250]]]),
    each([{erlang, binary_to_list, X} || X <- [[B], [U], [a], [<<>>], [Odd], [Big], [B, 1, 1], [B, 1, 3], [B, 0, 1], [B, 2, 1],
        [B, 1, 4], [a, 1, 1], [B, a, 1], [U, 1, 1], [B, 3, 3], [<<1:12>>, 1, 1], [Odd, 2, 4]]]),
    each([{erlang, bitstring_to_list, [X]} || X <- [B, U, a, <<>>, Odd, <<1:12>>, <<5:17>>]]),
    each([{binary, F, [X]} || F <- [first, last, copy, decode_unsigned, encode_unsigned, list_to_bin, bin_to_list,
        longest_common_prefix, longest_common_suffix, referenced_byte_size],
        X <- [a, B, <<>>, U, [], [B], [B, B], [B, <<"abd">>, <<"ab">>], [<<>>], [B | a], -1, 0, 255, 256, 300, 1 bsl 64, Big,
              [a], [B, a], [U], "abc", [B, <<>>], Odd, [B, Odd], [<<"xbc">>, B], [B, [B | B], 1 | <<"z">>]]]),
    each([{binary, at, X} || X <- [[B, 0], [B, 2], [B, 3], [B, -1], [a, 0], [U, 0], [B, a], [B, 1 bsl 70], [Odd, 4]]]),
    each([{binary, copy, X} || X <- [[B, 0], [B, 2], [B, -1], [B, a], [a, 2], [U, 2], [B, 1 bsl 70], [Odd, 3], [<<>>, 5],
        [<<"ab">>, 100]]]),
    each([{binary, F, X} || F <- [part, bin_to_list], X <- [[B, 0, 1], [B, 3, -2], [B, 0, 4], [B, -1, 1], [a, 0, 1],
        [U, 0, 0], [B, {0, 1}], [B, {0, 4}], [B, x], [Odd, 1, 2]]]),
    each([{binary, decode_unsigned, X} || X <- [[B, big], [B, little], [B, x], [a, big], [U, big], [<<>>, big],
        [<<0:72, 1>>, big], [<<0:72, 1>>, little], [Odd, big], [<<255:80>>, big], [<<-1:64>>, little]]]),
    each([{binary, encode_unsigned, X} || X <- [[0, big], [256, little], [256, big], [256, x], [-1, big], [a, big], [1.0, big],
        [1 bsl 70 + 5, big], [1 bsl 70 + 5, little], [1 bsl 64 - 1, big]]]),
    each([{binary, F, X} || F <- [match, matches, split], X <- [[H, T], [H, [T, <<"the e">>]], [H, [<<"th">>, T]], [H, <<>>],
        [H, []], [H, a], [a, T], [U, T], [H, U], [H, [T, T]], [<<>>, T], [H, [T | a]], [H, [T, <<>>]], [H, {a, b}],
        [H, {bm, make_ref}], [H, [U]], [odd(H), T], [odd(H), [T, <<"q">>]], [H, [<<"e">>]], [H, H], [T, H]]]),
    t(compiled, fun() ->
        P1 = binary:compile_pattern(T), P2 = binary:compile_pattern([T, <<"q">>]), P3 = binary:compile_pattern([T]),
        {element(1, P1), element(1, P2), element(1, P3), binary:matches(H, P1), binary:matches(H, P2), binary:split(H, P3),
         binary:replace(H, P2, <<"-">>, [global])} end),
    t(compile_bad, fun() -> binary:compile_pattern([]) end),
    t(compile_empty, fun() -> binary:compile_pattern(<<>>) end),
    each([{binary, F, X} || F <- [match, matches], X <- [[H, T, [{scope, {1, 10}}]], [H, T, [{scope, {10, -10}}]],
        [H, T, [{scope, {0, 100}}]], [H, T, [{scope, {-1, 1}}]], [H, T, [foo]], [H, T, a], [H, T, [{scope, x}]],
        [H, T, [{scope, {a, b}}]], [H, T, [global]], [H, T, []], [H, T, [{scope, {0, 3}}, {scope, {4, 10}}]],
        [H, T, [{scope, {0, 0}}]], [<<>>, T, [{scope, {0, 0}}]], [H, T, [{scope, {27, 0}}]], [H, T, [{scope, {28, 0}}]],
        [H, a, [{scope, {0, 100}}]], [H, T, [{scope, {0, 2}}]], [H, [T, <<"end">>], [{scope, {24, 3}}]]]]),
    Commas = <<",,a,,b,,">>, C = <<",">>,
    each([{binary, split, X} || X <- [[H, T, O] || O <- [[global], [trim], [trim_all], [global, trim], [global, trim_all],
        [foo], a, [{scope, {1, 15}}], [{scope, {1, 15}}, global], [{scope, {1, 15}}, global, trim_all], [{scope, {1, 99}}]]]
        ++ [[S, C, O] || S <- [Commas, <<",">>, <<",,">>, <<>>, <<"a">>, <<"a,">>, <<",a">>],
            O <- [[], [global], [trim], [trim_all], [global, trim], [global, trim_all]]]
        ++ [[H, H, [global]], [H, H, [trim]], [H, a, [global]], [a, T, [global]], [H, <<"zz">>, [global]],
            [<<"a,">>, C, [{scope, {0, 1}}, trim]]]]),
    t(replace, fun() -> [binary:replace(H, T, <<"THE">>, O) || O <- [[], [global], [{insert_replaced, 1}], [global, {scope, {5, 10}}]]] end),
    t(large, fun() -> L = binary:copy(<<"abcdefghij">>, 20000), M = binary:matches(L, [<<"ja">>, <<"hi">>]),
        {length(M), lists:last(M), binary:match(L, <<"jj">>), length(binary:split(L, <<"e">>, [global])),
         erlang:md5(binary:replace(L, <<"c">>, <<"CC">>, [global]))} end),
    t(join, fun() -> [binary:encode_hex(B), binary:decode_hex(<<"0aFF">>)] end),
    t(keeps, fun() -> P = binary:part(Big, 10, 300), {binary:referenced_byte_size(P), binary:referenced_byte_size(binary:copy(P))} end),
    t(false_starts, fun false_starts/0).

odd(B) -> <<_:3, R/binary>> = id(<<0:3, B/binary>>), R.

each(Calls) -> [t({F, A}, fun() -> apply(M, F, A) end) || {M, F, A} <- Calls].

%% First bytes of the pattern that begin no match: few, many, one after the other, and long ones that fail at their end.
false_starts() ->
    Alike = binary:copy(<<"a">>, 3000), Period = binary:copy(<<"a", (binary:copy(<<"b">>, 16))/binary>>, 400),
    Rare = binary:copy(<<"bcdefghijklmnopqrstuvwxyza">>, 200),
    Subjects = [<<S/binary, E/binary>> || S <- [Alike, Period, Rare, <<>>], E <- [<<>>, <<"ab">>, <<"aabc">>, Alike]],
    Patterns = [<<"ab">>, <<"aab">>, <<"ac">>, <<"aabc">>, <<"abc">>, binary:part(Alike, 0, 1000), <<Alike/binary, "b">>,
                <<(binary:part(Period, 0, 1700))/binary, "c">>, binary:part(Period, 5, 170), <<"za">>, <<"zab">>],
    [{byte_size(P), [erlang:phash2({binary:match(S, P), binary:matches(S, P), binary:split(S, P, [global]),
                                    binary:matches(S, P, [{scope, {byte_size(S), 1 - byte_size(S)}}])})
                     || S <- Subjects, S =/= <<>>]} || P <- Patterns].
