%% Functions chosen at run time are found again quickly: the same module and name with another arity, code that is
%% replaced, deleted or comes only later, and what apply does itself.
-module(insn_apply_entries).
-export([main/0, f/0, f/1, f/2, by_name/3, by_name_last/3]).
-include("../t.hrl").

f() -> none.
f(A) -> {one, A}.
f(A, B) -> {two, A, B}.

by_name(M, F, []) -> [M:F()];
by_name(M, F, [A]) -> [M:F(A)];
by_name(M, F, [A, B]) -> [M:F(A, B)];
by_name(M, F, [A, B, C]) -> [M:F(A, B, C)].

by_name_last(M, F, []) -> M:F();
by_name_last(M, F, [A]) -> M:F(A);
by_name_last(M, F, [A, B]) -> M:F(A, B);
by_name_last(M, F, [A, B, C]) -> M:F(A, B, C).

ways() -> [fun by_name/3, fun by_name_last/3, fun(M, F, A) -> apply(M, F, A) end, fun(M, F, A) -> [apply(M, F, A)] end].

code(Value) ->
    Forms = [{attribute, 1, module, insn_apply_target}, {attribute, 1, export, [{value, 1}]},
             {function, 2, value, 1, [{clause, 2, [{var, 2, 'X'}], [], [{tuple, 2, [{atom, 2, Value}, {var, 2, 'X'}]}]}]}],
    {ok, insn_apply_target, Code} = compile:forms(Forms),
    Code.

load(Value) ->
    code:purge(insn_apply_target),
    {module, insn_apply_target} = code:load_binary(insn_apply_target, "nowhere", code(Value)),
    Value.

all(M, F, A) ->
    [try W(M, F, A) catch C:R -> {C, R} end || W <- ways()].

caught(F) -> try F() catch C:R -> {C, R} end.

main() ->
    t(arities, fun() -> [all(?MODULE, f, A) || _ <- [1, 2], A <- [[], [1], [1, 2], [1, 2, 3]]] end),
    t(built_in, fun() -> [all(erlang, F, A) || _ <- [1, 2], {F, A} <- [{abs, [-1]}, {abs, [a]}, {'+', [1, 2]}, {self, [x]}]] end),
    t(raising, fun() -> [all(erlang, F, [x]) || _ <- [1, 2, 3], F <- [error, exit, throw]] end),
    t(applied, fun() -> [all(erlang, apply, A) || _ <- [1, 2], A <- [[fun f/1, [1]], [?MODULE, f, [1]], [?MODULE, f, 1]]] end),
    t(no_atoms, fun() -> [all(M, F, [1]) || {M, F} <- [{1, f}, {?MODULE, "f"}, {{}, f}, {?MODULE, <<>>}, {0.0, 0.0}]] end),
    t(later, fun() -> [all(insn_apply_target, value, [1]), load(first), all(insn_apply_target, value, [1]), load(second),
                       all(insn_apply_target, value, [1])] end),
    t(deleted, fun() -> code:purge(insn_apply_target), code:delete(insn_apply_target), code:purge(insn_apply_target),
                        all(insn_apply_target, value, [1]) end),
    t(again, fun() -> load(third), all(insn_apply_target, value, [1]) end),
    t(funs, fun() -> F = fun insn_apply_target:value/1, G = fun erlang:abs/1,
                     [F(1), G(-1), (id(F))(2), load(fourth), F(3), caught(fun() -> F() end), caught(fun() -> G(1, 2) end),
                     caught(fun() -> (id(F))(1, 2) end)] end),
    t(many, fun() -> lists:sum([apply(erlang, F, [N, 3]) || N <- lists:seq(1, 200), F <- ['+', '-', '*', 'div', 'rem', 'bor', 'max', 'min']]) end),
    t(spread, fun() -> [caught(fun() -> (list_to_atom("insn_apply_none_" ++ integer_to_list(N))):f(N) end) ||
                            N <- lists:seq(1, 600)], all(?MODULE, f, [1]) end).
