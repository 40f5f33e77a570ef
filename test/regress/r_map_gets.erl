%% Values that are fetched from a small map one after the other: of maps of all sizes up to 40 keys, so large ones too;
%% keys that are there, missing first, last or in the middle; keys of all plain kinds; a map that is overwritten by what
%% it had; other terms than maps; values to the stack; and characters of UTF-8 in what is left of a bitstring.
-module(r_map_gets).
-export([main/0]).

main() ->
    [io:format("~b ~0p~n", [N, answers(map(N))]) || N <- lists:seq(0, 40)],
    [io:format("~0p ~0p~n", [T, answers(T)]) || T <- [a, [], {}, {a, b}, 1, 1.5, <<"abc">>, [#{a => 1}], self]],
    io:format("~0p~n", [[kinds(M) || M <- [#{}, #{[] => 1}, kinds(), maps:remove(-3, kinds()), maps:remove([], kinds()),
                                           maps:remove(1 bsl 58, kinds()), (kinds())#{more => 1}]]]),
    io:format("~0p~n", [[text(<<B/bits>>, 0) || B <- texts()]]),
    ok.

map(N) -> maps:from_list([{list_to_atom([$a + I rem 26 | integer_to_list(I)]), I} || I <- lists:seq(1, N)]).

answers(M) ->
    [F(M) || F <- [fun one/1, fun two/1, fun three/1, fun there/1, fun nested/1, fun kept/1, fun body/1, fun matched/1]].

one(#{b1 := X}) -> X;
one(_) -> none.

two(#{b1 := X, c2 := Y}) -> {X, Y};
two(#{b1 := X}) -> X;
two(_) -> none.

three(#{z25 := X, b1 := Y, k10 := Z}) -> {X, Y, Z};
three(#{g32 := X, b1 := _, k36 := Z}) -> [X | Z];
three(#{d3 := X}) -> X;
three(_) -> none.

there(#{b1 := _, c2 := _, e4 := _}) -> all;
there(#{b1 := _, e4 := X}) -> X;
there(M) when is_map_key(d3, M), map_get(d3, M) > 1 -> guard;
there(_) -> none.

nested(M) ->
    case #{in => M, out => M} of
        #{in := #{b1 := X, c2 := Y}, out := #{d3 := Z}} -> X + Y + Z;
        #{in := #{b1 := X}} -> X;
        _ -> none
    end.

kept(M) ->
    L = self_or(M),
    case M of
        #{b1 := X, f5 := Y} -> Z = self_or(Y), {L =:= M, X, Y, Z, maps:get(c2, M)};
        #{b1 := X} -> {self_or(X), M};
        _ -> none
    end.

self_or(X) -> X.

body(M) ->
    try #{b1 := X, c2 := Y} = M, X + Y
    catch error:{badmatch, _} -> unmatched
    end.

%% The map is nobody's any more: a register of its own may take a value.
matched(#{b1 := X}) when X > 0 -> matched(X);
matched(X) -> is_integer(X).

kinds() -> #{[] => nil, -3 => minus, 1 bsl 58 => wide, 0 => zero, true => atom, 255 => byte, '' => empty}.

kinds(#{[] := A, -3 := B, 288230376151711744 := C, 0 := D, true := E, 255 := F, '' := G}) -> {A, B, C, D, E, F, G};
kinds(#{288230376151711744 := A, -3 := B}) -> {A, B};
kinds(#{[] := A}) -> A;
kinds(_) -> none.

texts() ->
    T = unicode:characters_to_binary("na\x{ef}ve \x{20ac} te\x{1f600}" ++ [127, 128, 16#7ff, 16#800, 16#ffff, 16#10ffff]),
    [T, <<T/binary, 1:1>>, <<T/binary, 200, 1>>, <<65:8, 1:3>>, <<>>, <<1:1>>, <<237, 160, 128>>, <<240, 159, 152>>].

text(<<C/utf8, Rest/binary>>, Sum) -> text(Rest, Sum * 31 + C);
text(<<>>, Sum) -> {ended, Sum};
text(Rest, Sum) -> {Rest, Sum}.
