%% Calls of funs: with and without what they have closed over, of another arity, and of what is no fun; by a fun that
%% stands behind its arguments, in another register, in the frame; as the last call of a function with a frame.
-module(insn_fun_calls).
-export([main/0, two/2, code/1]).
-include("../t.hrl").

main() ->
    t(closed, fun() -> [call1(closing(N), x) || N <- [0, 1, 2, 3, 5, 20]] end),
    t(closed_last, fun() -> [last1(closing(N), x) || N <- [0, 1, 2, 3, 5, 20]] end),
    t(closed_kept, fun() -> [kept1(closing(N), x) || N <- [0, 1, 2, 3, 5, 20]] end),
    t(none, fun() -> F = id(fun() -> here end), [F(), call0(F), last0(F)] end),
    t(none_closed, fun() -> A = id(7), F = id(fun() -> {A, A} end), [F(), call0(F), last0(F)] end),
    t(two, fun() -> [lists:foldl(F, [], [1, 2, 3]) || F <- [fun two/2, fun ?MODULE:two/2, closing2(id(q))]] end),
    [t({arity, N}, fun() -> call1(F, x) end) || {N, F} <- wrong()],
    [t({arity_last, N}, fun() -> last1(F, x) end) || {N, F} <- wrong()],
    [t({arity_kept, N}, fun() -> kept1(F, x) end) || {N, F} <- wrong()],
    [t({safe, N}, fun() -> safe(F, [1, 2]) end) || {N, F} <- wrong()],
    t(arguments, fun() -> many(id(fun(A, B, C, D, E, F, G) -> [G, F, E, D, C, B, A] end)) end),
    t(arguments_closed, fun() -> X = id(x), Y = id(y),
                                 many(id(fun(A, B, C, D, E, F, G) -> [X, G, F, E, D, C, B, A, Y] end)) end),
    t(deep, fun() -> deep(id(20000), fun(N) -> N rem 7 end) end),
    t(loop, fun() -> loop(id(200000), fun(N) -> N - 1 end) end),
    t(collected, fun() -> B = binary_to_list(binary:copy(<<"abc">>, 100)),
                          length(lists:flatmap(fun(N) -> [{N, B, lists:reverse(B)}] end, lists:seq(1, 2000))) end),
    t(fails, fun() -> call1(fun(N) -> N + a end, 1) end),
    t(fails_last, fun() -> last1(fun(N) -> N + a end, 1) end),
    t(trace, fun() -> [element(1, M) || M <- traced()] end),
    t(purged, fun purged/0).

wrong() ->
    A = id(1), B = id([2]),
    [{zero, fun() -> A end}, {two, fun two/2}, {two_closed, fun(_, _) -> {A, B} end}, {external, fun ?MODULE:two/2},
     {ok_external, fun erlang:abs/1}, {atom, a}, {small, 5}, {list, [a]}, {tuple, {a, b}}, {map, #{}}, {nil, []},
     {float, 1.5}, {big, 1 bsl 70}, {binary, <<"abc">>}].

closing(0) -> fun(X) -> {X} end;
closing(1) -> A = id(a), fun(X) -> {X, A} end;
closing(2) -> A = id(a), B = id(2), fun(X) -> {X, A, B} end;
closing(3) -> A = id(a), B = id(2), C = id(3.5), fun(X) -> {X, A, B, C} end;
closing(5) -> A = id(a), B = id(2), C = id(3.5), D = id("d"), E = id({e}), fun(X) -> {X, A, B, C, D, E} end;
closing(20) ->
    [A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T] = id(lists:seq(1, 20)),
    fun(X) -> [X, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T] end.
closing2(Q) -> fun(X, L) -> [{Q, X} | L] end.
two(A, B) -> [A | B].

call0(F) -> {F()}.
last0(F) -> id(F), F().
call1(F, X) -> {called, F(X)}.
last1(F, X) -> id(X), F(id(X)).
kept1(F, X) -> Y = id({X}), {F(X), Y, F(Y)}.
safe(F, L) -> if is_function(F, 1) -> [F(X) || X <- L]; is_function(F) -> {other, F(hd(L))}; true -> none end.
many(F) -> {F(1, 2, 3, 4, 5, 6, 7)}.
deep(0, _) -> 0;
deep(N, F) -> F(N) + deep(N - 1, F).
loop(0, _) -> ok;
loop(N, F) -> loop(F(N), F).

%% A breakpoint at the beginning of what a fun runs.
traced() ->
    Self = self(),
    F = fun two/2,
    erlang:trace_pattern({?MODULE, two, 2}, true, [local]),
    {Pid, Ref} = spawn_monitor(fun() -> receive go -> F(1, []) end, Self ! called end),
    erlang:trace(Pid, true, [call]),
    Pid ! go,
    receive called -> ok end,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    D = erlang:trace_delivered(Pid),
    receive {trace_delivered, _, D} -> ok end,
    erlang:trace_pattern({?MODULE, two, 2}, false, [local]),
    collect().
collect() -> receive M when element(1, M) =:= trace -> [M | collect()] after 0 -> [] end.

%% The code of a fun goes.
code(Value) ->
    {ok, T, _} = erl_scan:string("-module(insn_fun_calls_gone). -export([f/1]). f(A) -> fun(X) -> {" ++ Value ++ ", A, X} end."),
    {ok, M, B} = compile:forms(forms(T, [])),
    {module, M} = code:load_binary(M, "nowhere", B),
    M.
forms([], []) -> [];
forms([{dot, _} = D | T], L) -> {ok, F} = erl_parse:parse_form(lists:reverse([D | L])), [F | forms(T, [])];
forms([X | T], L) -> forms(T, [X | L]).

purged() ->
    M = code("1"),
    F = M:f(a),
    R1 = F(x),
    M = code("2"),
    R2 = F(x),
    code:purge(M),
    R3 = try F(x) catch error:E -> E end,
    code:delete(M), code:purge(M),
    {R1, R2, is_function(R3) orelse element(1, R3)}.
