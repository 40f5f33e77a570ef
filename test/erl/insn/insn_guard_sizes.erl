%% byte_size, map_size, tuple_size, element, hd and tl of anything, in guards and in bodies.
-module(insn_guard_sizes).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({guards, I}, fun() -> guards(T) end) || {I, T} <- numbered()],
    [t({bytes, I}, fun() -> byte_size(id(T)) end) || {I, T} <- numbered()],
    [t({map, I}, fun() -> map_size(id(T)) end) || {I, T} <- numbered()],
    [t({tuple, I}, fun() -> tuple_size(id(T)) end) || {I, T} <- numbered()],
    [t({element, I}, fun() -> element(id(1), T) end) || {I, T} <- numbered()],
    [t({element_of, N}, fun() -> element(id(N), {a, b, c}) end) || N <- [0, 1, 3, 4, -1, a, 1.0, 1 bsl 70]],
    t(elements, fun() -> [place(N, T) || N <- [0, 1, 3, 4, -1, a, 1.0, 1 bsl 70], {_, T} <- numbered()] end),
    [t({hd, I}, fun() -> hd(id(T)) end) || {I, T} <- numbered()],
    [t({tl, I}, fun() -> tl(id(T)) end) || {I, T} <- numbered()],
    t(kept, fun() -> A = id({a}), B = id(<<1, 2, 3>>), M = id(#{a => 1}), S = {byte_size(B), map_size(M), tuple_size(A)}, {S, A, B, M} end).

numbered() -> lists:zip(lists:seq(1, length(terms())), terms()).
terms() ->
    Large = binary:copy(<<"0123456789">>, 20), <<_:3, Bits:81/bitstring, _/bitstring>> = Large, <<_:16, Part:50/binary, _/binary>> = Large,
    [a, [], 0, -1, 1.5, 1 bsl 80, {}, {a}, {a, b, c}, [a], [a | b], "abc", <<>>, <<1>>, <<1:1>>, <<1:15>>, <<1, 2, 3>>, Large, Bits, Part,
     <<Large/binary, 1:1>>, #{}, #{a => 1}, maps:from_list([{N, N} || N <- lists:seq(1, 100)]), fun lists:map/2].

guards(T) ->
    [if byte_size(T) >= 2 -> 1; true -> 0 end, if byte_size(T) =:= 1; map_size(T) =:= 1 -> 1; true -> 0 end,
     if map_size(T) > 1 -> 1; true -> 0 end, if tuple_size(T) > 0 -> 1; true -> 0 end, if element(1, T) =:= a -> 1; true -> 0 end,
     if hd(T) =:= a -> 1; true -> 0 end, if tl(T) =:= []; tl(T) =:= b -> 1; true -> 0 end,
     if byte_size(T) + map_size(T) > 0 -> 1; true -> 0 end].
place(N, T) when element(N, T) =:= a -> a;
place(N, T) when element(N, T) =/= b -> other;
place(_, _) -> none.
