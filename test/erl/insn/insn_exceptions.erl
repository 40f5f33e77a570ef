-module(insn_exceptions).
-export([main/0, clause/1, deep/2, foo/0]).
-include("../t.hrl").

main() ->
    t(badmatch, fun() -> {ok, _} = id(error) end),
    t(case_clause, fun() -> case id(3) of 1 -> one; 2 -> two end end),
    t(if_clause, fun() -> X = id(3), if X =:= 1 -> one; X =:= 2 -> two end end),
    t(function_clause, fun() -> clause(id(c)) end),
    t(fun_clause, fun() -> (id(fun(a) -> 1 end))(b) end),
    t(try_clause, fun() -> try id(1) of 2 -> two catch error:_ -> no end end),
    t(badfun, fun() -> (id(17))(1) end),
    t(badarity, fun() -> (id(fun(_) -> 1 end))(1, 2) end),
    t(undef, fun() -> no_such_module:f(1, 2) end),
    t(undef_local_module, fun() -> ?MODULE:no_such_function(1) end),
    t(badarith, fun() -> id(a) + 1 end),
    t(badarith2, fun() -> 1 + id(b) end),
    t(badarith3, fun() -> id([]) * id({}) end),
    t(div0, fun() -> 1 div id(0) end),
    t(rem0, fun() -> 1 rem id(0) end),
    t(fdiv0, fun() -> 1 / id(0) end),
    t(fdiv00, fun() -> 1.0 / id(0.0) end),
    t('band', fun() -> 1 band id(1.0) end),
    t(bsl_float, fun() -> 1.0 bsl id(1) end),
    t(badarg_hd, fun() -> hd(id([])) end),
    t(badarg_tl, fun() -> tl(id(a)) end),
    t(badarg_element, fun() -> element(id(3), {1, 2}) end),
    t(badarg_length, fun() -> length(id([a | b])) end),
    t(badarg_size, fun() -> tuple_size(id(a)) end),
    t(badarg_atom_to_list, fun() -> atom_to_list(id(1)) end),
    t(badmap, fun() -> (id(a))#{b => 1} end),
    t(badkey, fun() -> (id(#{}))#{b := 1} end),
    t(badkey_get, fun() -> map_get(id(x), #{}) end),
    t(badmap_get, fun() -> map_get(x, id([])) end),
    t(not_bool, fun() -> not id(1) end),
    t('and', fun() -> id(1) and true end),
    t('andalso', fun() -> id(1) andalso true end),
    t(error1, fun() -> error(id(my_reason)) end),
    t(error2, fun() -> error(id(my_reason), [a, b]) end),
    t(error2_none, fun() -> error(id(my_reason), none) end),
    t(error3, fun() -> error(my_reason, [x], [{error_info, #{cause => why}}]) end),
    t(exit1, fun() -> exit(id(bye)) end),
    t(throw1, fun() -> throw(id({ball, 1})) end),
    t(catch_throw, fun() -> catch throw(id(x)) end),
    t(catch_exit, fun() -> catch exit(id(x)) end),
    t(catch_error, fun() -> {'EXIT', {R, [_ | _]}} = (catch error(id(x))), R end),
    t(catch_value, fun() -> catch id(5) end),
    t(catch_badarith, fun() -> {'EXIT', {R, [{M, F, A, _} | _]}} = (catch 1 + id(a)), {R, M, F, A} end),
    t(nested, fun nested/0),
    t(after_ok, fun() -> try id(1) after put(after_ran, yes) end end),
    t(after_ran, fun() -> erase(after_ran) end),
    t(after_fail, fun() -> try error(id(1)) after put(after_ran, yes2) end end),
    t(after_ran2, fun() -> erase(after_ran) end),
    t(rethrow, fun() -> try error(id(r)) catch C:R:S -> erlang:raise(C, R, S) end end),
    t(rethrow_other, fun() -> try error(id(r)) catch error:R:S -> erlang:raise(exit, {again, R}, S) end end),
    t(raise_bad, fun() -> erlang:raise(foo, bar, id([])) end),
    t(raise_bad2, fun() -> erlang:raise(error, bar, id([x])) end),
    t(raise_custom, fun() -> erlang:raise(error, bar, [{m, f, 2, []}, {m2, f2, [x], [{line, 3}]}]) end),
    t(class_pattern, fun() -> try exit(id(a)) catch throw:a -> 1; error:a -> 2; exit:a -> 3 end end),
    t(no_clause, fun() -> try throw(id(a)) catch throw:b -> 1 end end),
    t(in_handler, fun() -> try throw(id(a)) catch throw:a -> error(b) end end),
    t(deep_stack, fun() -> try deep(20, id(0)) catch error:badarith:S -> length([F || {?MODULE, F, _, _} <- S]) end end),
    t(deep_names, fun() -> try deep(3, id(0)) catch error:badarith:S -> [{F, A} || {_, F, A, _} <- S, F =:= deep] end end),
    t(stack_of_chain, fun() -> try foo() catch error:_:S -> [{M, F, A, proplists:get_value(line, I)} || {M, F, A, I} <- lists:sublist(S, 2)] end end),
    t(apply_undef, fun() -> apply(id(?MODULE), id(nope), [1, 2]) end),
    t(apply_badarg, fun() -> apply(id(1), id(nope), [1, 2]) end),
    t(apply_improper, fun() -> apply(id(erlang), id(abs), id([1 | 2])) end),
    t(apply_fun_improper, fun() -> apply(id(fun(_) -> 1 end), id([1 | 2])) end),
    t(bif_in_guard, fun() -> case id(a) of X when hd(X) =:= 1 -> yes; _ -> no end end),
    t(guard_or, fun() -> case id(a) of X when hd(X) =:= 1; is_atom(X) -> yes; _ -> no end end),
    t(guard_orelse, fun() -> case id(a) of X when hd(X) =:= 1 orelse is_atom(X) -> yes; _ -> no end end),
    t(system_limit, fun() -> 1 bsl id(1 bsl 40) end),
    t(stack_line_macro, fun() -> error({line, ?LINE}) end).

nested() ->
    try
        try error(id(inner))
        catch error:inner -> throw(outer)
        after put(n, 1)
        end
    catch
        throw:outer -> {caught, erase(n)}
    end.

clause(a) -> 1;
clause(b) -> 2.

deep(0, X) -> 1 / X;
deep(N, X) -> 1 + deep(N - 1, X).

foo() -> R = bar(id(1)), {foo, R}.
bar(X) -> baz(X).
baz(X) when X > 5 -> X.
