%% =:= and =/= of two registers, where either may be anything; abs of anything.
-module(insn_same).
-export([main/0]).
-include("../t.hrl").

main() ->
    Terms = terms(),
    [t({same, I}, fun() -> [same(A, B) || B <- terms()] end) || {I, A} <- lists:zip(lists:seq(1, length(Terms)), Terms)],
    t(own, fun() -> [same(A, A) || A <- Terms] end),
    t(frame, fun() -> [frame(A, B) || A <- Terms, B <- [a, 1, 0.0, "ab", {1}]] end),
    t(constants, fun() -> [constants(A) || A <- Terms] end),
    [t({abs, A}, fun() -> abs(id(A)) end) || A <- numbers() ++ [a, [], {1}, "ab", <<1>>]],
    t(abs_guard, fun() -> [guard(A, B) || A <- numbers() ++ Terms, B <- [1, 5, 1 bsl 60]] end),
    t(abs_kept, fun() -> X = id(-3), Y = id({y}), A = abs(X), {A, Y, X, abs(A), abs(id(-(1 bsl 100))), Y} end),
    t(abs_many, fun() -> lists:sum([abs(N) || N <- lists:seq(-(1 bsl 62), 1 bsl 62, 1 bsl 50)]) end).

terms() ->
    [a, b, [], 0, 1, -1, 8, 9, 1 bsl 59, 1 bsl 60, 1 bsl 80, id(1 bsl 80) + 1, 0.0, zero(), 1.0, -1.0, 5.0e-324, 1.0e300,
     {}, {1}, id({1}), {1.0}, "ab", id("a") ++ "b", "ac", [1.0], [1], <<>>, <<1, 2>>, <<(id(1)), 2>>, <<1:3>>,
     #{}, #{a => 1}, maps:put(a, id(1), #{}), #{a => 1.0}, fun lists:map/2, fun erlang:abs/1].
zero() -> -1.0 * id(0.0).

numbers() ->
    [0, 1, -1, 1 bsl 58, -(1 bsl 58), 1 bsl 59 - 1, -(1 bsl 59), 1 bsl 59, 1 bsl 60 - 1, 1 bsl 60, -(1 bsl 60), -(1 bsl 60) + 1,
     -(1 bsl 60) - 1, 1 bsl 63, -(1 bsl 63), 1 bsl 64, -(1 bsl 64), 1.5, -1.5, -1.0e300, -5.0e-324].

same(A, B) ->
    R = if A =:= B -> 1; true -> 0 end,
    S = if A =/= B -> 0; true -> 1 end,
    {R, S, A =:= B, A =/= B, if A == B -> 1; true -> 0 end}.
frame(A, B) ->
    id(x),
    C = id(B),
    R = if A =:= C -> id(1); A =/= B -> id(2); true -> id(3) end,
    {R, A, B =:= C}.
constants(A) ->
    [if A =:= a -> 1; true -> 0 end, if A =/= 1 -> 1; true -> 0 end, if A =:= "ab" -> 1; true -> 0 end,
     if A =/= {1} -> 1; true -> 0 end, if A =:= 0.0 -> 1; true -> 0 end, if A =:= [] -> 1; true -> 0 end].
guard(A, B) when abs(A) =:= B -> same;
guard(A, B) when abs(A) > B -> more;
guard(A, _) when abs(A) >= 0 -> less;
guard(_, _) -> none.
