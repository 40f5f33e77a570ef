-module(bif_errors).
-export([main/0, raises/3]).
-include("c.hrl").

%% What is raised, with the stack down to here.
show(A) -> show(fun call/1, A, 0).
show(F, A, _) ->
    R = try F(A) of V -> {returned, V} catch C:E:S -> {C, E, own(S)} end,
    io:format("~0tp -> ~0tp~n", [A, R]).

own(S) -> lists:takewhile(fun(E) -> element(1, E) =/= ?MODULE orelse element(2, E) =/= show end, S).

call({F, As}) -> V = apply(erlang, F, As), {value, V}.

main() ->
    [show(X) || X <- [{error, [a]}, {error, [{a, b}]}, {exit, [a]}, {throw, [a]}, {error, [a, [1, 2]]}, {error, [a, none]}, {error, [a, b]},
        {error, [a, [1 | 2]]}, {error, [a, [1], []]}, {error, [a, [1], [{error_info, #{cause => c}}]]}, {error, [a, none, [{error_info, #{}}]]},
        {error, [badarg, [1], [x]]}, {error, [a, [1], x]}, {nif_error, [a]}, {nif_error, [a, [1]]}, {nif_error, [undef, none]},
        {error, [undef]}, {error, [function_clause, [x]]}]],
    Traces = [[], [{a, b, 1}], [{a, b, [x, y]}], [{a, b, 1, []}], [{a, b, 1, [{file, "x"}, {line, 3}]}], [{a, b, c}], [{a, 1, 1}], [{1, b, 1}],
              [{a, b, 1, x}], [{a, b, 1, [], []}], [a], [{a, b, 1, []} | x], [{}], [{a, b}], a, [{fun call/1, 1}], [{fun call/1, [a], []}],
              [{fun call/1, 1, x}], [{fun call/1, 1}, {a, b, 2}], lists:duplicate(20, {a, b, 1, []})],
    [show({raise, [C, reason, T]}) || C <- [error, exit, throw, foo, 1], T <- Traces],
    [show(fun({A, B, C}) -> {value, raises(A, B, C)} end, X, 0) || X <- [{error, x, 0}, {exit, x, 0}, {throw, x, 0}, {error, x, 3}, {throw, x, 2}]].

raises(error, R, 0) -> erlang:error(R);
raises(exit, R, 0) -> exit(R);
raises(throw, R, 0) -> throw(R);
raises(C, R, N) -> {raises(C, R, N - 1)}.
