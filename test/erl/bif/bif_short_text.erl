%% Texts of integers, and characters of what is short and simple, and of what is nearly so.
-module(bif_short_text).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(integers, fun() -> [integer_to_list(id(N)) || N <- integers()] end),
    t(back, fun() -> [N || N <- integers(), list_to_integer(integer_to_list(N)) =/= N] end),
    [t({no_integer, X}, fun() -> integer_to_list(id(X)) end) || X <- [a, 1.0, [], "1", <<"1">>, {1}]],
    [t({I, E}, fun() -> unicode:characters_to_list(T, E) end) || {I, T} <- numbered(), E <- [utf8, unicode, latin1]],
    t(long, fun() -> [{N, length(unicode:characters_to_list(lists:duplicate(N, $x))), erlang:phash2(unicode:characters_to_list(binary:copy(<<"y">>, N)))}
                      || N <- [0, 1, 255, 256, 257, 1000, 100000]] end),
    t(default, fun() -> [unicode:characters_to_list(T) || {_, T} <- numbered(), is_binary(T)] end).

integers() ->
    [0, 1, -1, 9, 10, 11, -10, 99, 100, 101, 999, 1000, 12345, -98765, 1 bsl 31, -(1 bsl 31), 1 bsl 58, 1 bsl 59 - 1, 1 bsl 59, -(1 bsl 59),
     1 bsl 60 - 1, 1 bsl 60, -(1 bsl 60), -(1 bsl 60) - 1, 1 bsl 63, 1 bsl 64, -(1 bsl 64), 1 bsl 100].

numbered() -> lists:zip(lists:seq(1, length(texts())), texts()).
texts() ->
    <<_:4, Shifted:10/binary, _/bitstring>> = <<"some longer text">>,
    ["", "abc", <<>>, <<"abc">>, <<"a", 200, "b">>, <<"a", 195, 164, "b">>, <<195>>, <<"ab", 226, 130>>, <<1:1>>, <<"ab", 1:3>>, Shifted,
     [228, 8364, 16#10ffff], [16#d800], [16#110000], [-1], [1 bsl 70], [a], [$a | <<"b">>], ["a", [<<"b">>], $c], ["abc"], [<<"abc">>],
     [$a | $b], [1.0], abc, 17, #{}, [$a, 255, 256]].
