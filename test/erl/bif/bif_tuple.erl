-module(bif_tuple).
-export([main/0]).
-include("c.hrl").

main() ->
    Tuples = [{}, {a}, {a, b, c}, list_to_tuple(lists:seq(1, 100)), [a], a],
    Indices = [0, 1, 2, 3, 4, 100, 101, -1, 1.0, x, 1 bsl 70],
    [c(erlang, F, [I, T, new]) || F <- [setelement, insert_element], I <- Indices, T <- Tuples],
    pairs(erlang, delete_element, Indices, Tuples),
    pairs(erlang, append_element, Tuples, [x, {}]),
    pairs(erlang, make_tuple, [0, 1, 5, 1000, -1, 1 bsl 24, 1 bsl 70, 1.0, a], [x, []]),
    calls(erlang, make_tuple, [[N, d, L] || N <- [0, 3, -1, a],
        L <- [[], [{1, a}], [{1, a}, {3, c}, {1, x}], [{4, a}], [{0, a}], [{1, a} | b], [a], [{1}], [{a, 1}], a]]),
    each(erlang, list_to_tuple, [[], [a], [a, b, c], lists:seq(1, 1000), [a | b], a, {}]),
    each(erlang, tuple_to_list, Tuples ++ [<<>>]),
    io:format("~w~n", [catch tuple_size(erlang:make_tuple((1 bsl 24) - 1, a))]),
    [io:format("~w: ~w~n", [{N, At}, erlang:phash2(changed(list_to_tuple(lists:seq(1, N)), At))])
     || N <- [1, 2, 31, 32, 33, 34, 64, 65, 200, 600], At <- lists:usort([1, 2, N div 2, N - 1, N]), At > 0, At =< N],
    io:format("~w~n", [changed({a, b, c}, 2)]).

changed(T, At) ->
    [setelement(At, T, new), erlang:insert_element(At, T, new), erlang:delete_element(At, T), erlang:append_element(T, new)].
