-module(insn_calls).
-export([main/0, add/2, rec/1, many/20]).
-include("../t.hrl").
-record(r, {a = 1, b, c = [x], d, e, f}).

main() ->
    t(local, fun() -> add(id(1), 2) end),
    t(remote, fun() -> ?MODULE:add(id(1), 2) end),
    t(apply3, fun() -> apply(?MODULE, id(add), [1, 2]) end),
    t(apply_var, fun() -> M = id(?MODULE), F = id(add), M:F(3, 4) end),
    t(apply_bif, fun() -> M = id(erlang), F = id(abs), M:F(-4) end),
    t(apply2, fun() -> apply(id(fun add/2), [1, 5]) end),
    t(fun_local, fun() -> (id(fun add/2))(1, 6) end),
    t(fun_ext, fun() -> (id(fun ?MODULE:add/2))(1, 7) end),
    t(fun_ext_bif, fun() -> (id(fun erlang:abs/1))(-7) end),
    t(fun_env, fun() -> A = id(1), B = id([2]), C = id({3}), F = fun(X) -> {A, B, C, X} end, (id(F))(4) end),
    t(fun_named, fun() -> F = fun G(0) -> []; G(N) -> [N | G(N - 1)] end, F(id(4)) end),
    t(fun_many, fun() -> (id(fun(A, B, C, D, E, F, G, H) -> [H, G, F, E, D, C, B, A] end))(1, 2, 3, 4, 5, 6, 7, 8) end),
    t(fun_compose, fun() -> (lists:foldl(fun(F, G) -> fun(X) -> F(G(X)) end end, fun(X) -> X end, [fun(X) -> X + 1 end, fun(X) -> X * 2 end]))(5) end),
    t(fun_eq, fun() -> F = fun(X) -> X end, {F =:= F, fun add/2 =:= fun add/2, fun ?MODULE:add/2 =:= fun ?MODULE:add/2} end),
    t(fun_info, fun() -> F = id(fun(X) -> X end), [element(2, erlang:fun_info(F, I)) || I <- [module, arity, type, env]] end),
    t(fun_info_ext, fun() -> F = id(fun lists:map/2), [element(2, erlang:fun_info(F, I)) || I <- [module, name, arity, type, env]] end),
    t(is_function, fun() -> [{is_function(F), is_function(F, 1), is_function(F, 2)} || F <- [fun add/2, fun(_) -> 1 end, fun lists:map/2, a]] end),
    t(many, fun() -> many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, id(20)) end),
    t(deep_rec, fun() -> rec(id(100000)) end),
    t(mutual, fun() -> {even(id(10001)), odd(id(10001))} end),
    t(ack, fun() -> ack(2, id(5)) end),
    t(tak, fun() -> tak(12, 8, id(4)) end),
    t(records, fun() -> R = #r{b = id(2)}, {R, R#r.a, R#r{a = 5, f = 6}, is_record(R, r), is_record(id({r, 1}), r)} end),
    t(record_bad, fun() -> (id({x, 1}))#r.a end),
    t(record_bad_update, fun() -> (id({x, 1}))#r{a = 1} end),
    t(record_match, fun() -> case id(#r{a = 7}) of #r{a = A, c = [C]} -> {A, C} end end),
    t(setelement, fun() -> setelement(2, setelement(1, id({a, b, c}), x), y) end),
    t(setelement_bad, fun() -> setelement(4, id({a, b, c}), x) end),
    t(select_atoms, fun() -> [sel(X) || X <- [a, b, c, d, e, f, g, h, i, zz, 1]] end),
    t(select_ints, fun() -> [seli(X) || X <- lists:seq(-2, 12) ++ [1000000, 1 bsl 70, a, 1.0]] end),
    t(select_sparse, fun() -> [sparse(X) || X <- [1, 100, 10000, 1000000, 1 bsl 65, -5, 7]] end),
    t(select_tuple, fun() -> [st(X) || X <- [{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, a, []]] end),
    t(select_mixed, fun() -> [mixed(X) || X <- [a, 1, 1.0, "s", <<"b">>, {x}, #{}, [], self, 1 bsl 64]] end),
    t(types, fun() -> [types(X) || X <- [a, 1, 1.5, 1 bsl 70, [], [1], {}, {1}, <<>>, <<1:1>>, #{}, fun add/2, self(), make_ref()]] end),
    t(lc, fun() -> [{X, Y} || X <- [1, 2, 3], Y <- [a, b], X =/= 2] end),
    t(lc_filter_pattern, fun() -> [X || {ok, X} <- id([{ok, 1}, error, {ok, 2}, 7])] end),
    t(lc_bad, fun() -> [X || X <- id(a)] end),
    t(lc_bad_tail, fun() -> [X || X <- id([1 | b])] end),
    t(lc_bad_filter, fun() -> [X || X <- [1], id(foo)] end),
    t(bc_bad, fun() -> [X || <<X>> <= id(a)] end),
    t(plusplus, fun() -> {[1, 2] ++ id([3]), id([]) ++ [1], id([1]) ++ tail, id([1, 2, 3]) -- [2]} end),
    t(plusplus_bad, fun() -> id(a) ++ [1] end),
    t(strings, fun() -> id("abc") ++ "def" end),
    t(big_literal, fun() -> {id(123456789012345678901234567890), id(1.0e300), id({a, "lit", <<"bin">>, #{k => v}})} end),
    t(tuple_many, fun() -> X = id(1), {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X} end),
    t(swap, fun() -> swap(id(1), id(2), 5) end),
    t(dictionary, fun() -> put(a, 1), put(b, [2]), {get(a), put(a, 3), get(a), erase(b), get(b), lists:sort([K || K <- get_keys(), is_atom(K)])} end),
    t(gc_deep, fun() -> L = lists:seq(1, 20000), [garbage_collect() || _ <- [1, 2, 3]], lists:sum(L) end),
    t(gc_build, fun() -> erlang:phash2(lists:foldl(fun(N, A) -> [{N, [N, float(N)], integer_to_list(N)} | A] end, [], lists:seq(1, 30000))) end),
    t(yregs, fun() -> yregs(id(1), id(2), id(3)) end).

add(A, B) -> A + B.
rec(0) -> 0;
rec(N) -> 1 + rec(N - 1).
even(0) -> true;
even(N) -> odd(N - 1).
odd(0) -> false;
odd(N) -> even(N - 1).
ack(0, N) -> N + 1;
ack(M, 0) -> ack(M - 1, 1);
ack(M, N) -> ack(M - 1, ack(M, N - 1)).
tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).
many(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T) ->
    X = id([A, B, C, D, E]), Y = id({F, G, H, I, J}), id(0), {X, Y, K, L, M, N, O, P, Q, R, S, T}.
swap(A, B, 0) -> {A, B};
swap(A, B, N) -> swap(B, A, N - 1).
yregs(A, B, C) ->
    D = id(A + B), E = id(B + C), F = id({A, B, C, D, E}),
    case id(E) of
        5 -> G = id(F), {A, G, D};
        _ -> {B, F}
    end.

sel(a) -> 1; sel(b) -> 2; sel(c) -> 3; sel(d) -> 4; sel(e) -> 5; sel(f) -> 6; sel(g) -> 7; sel(h) -> 8; sel(_) -> none.
seli(0) -> zero; seli(1) -> one; seli(2) -> two; seli(3) -> three; seli(5) -> five; seli(9) -> nine;
seli(1000000) -> million; seli(1180591620717411303424) -> big; seli(X) -> {other, X}.
sparse(1) -> a; sparse(100) -> b; sparse(10000) -> c; sparse(1000000) -> d; sparse(-5) -> e; sparse(36893488147419103232) -> f; sparse(_) -> g.
st({}) -> 0; st({A}) -> {1, A}; st({A, B}) -> {2, A, B}; st({A, B, C}) -> {3, A, B, C}; st(T) when is_tuple(T) -> many; st(_) -> no.
mixed(a) -> atom; mixed(1) -> int; mixed(1.0) -> float; mixed("s") -> str; mixed(<<"b">>) -> bin; mixed({x}) -> tup;
mixed([]) -> nil; mixed(#{}) -> map; mixed(18446744073709551616) -> big; mixed(_) -> other.
types(X) ->
    [T || {T, true} <- [{atom, is_atom(X)}, {int, is_integer(X)}, {float, is_float(X)}, {number, is_number(X)}, {list, is_list(X)},
                        {tuple, is_tuple(X)}, {bin, is_binary(X)}, {bits, is_bitstring(X)}, {map, is_map(X)}, {func, is_function(X)},
                        {pid, is_pid(X)}, {ref, is_reference(X)}, {port, is_port(X)}, {bool, is_boolean(X)}]].
