%% A fun from outside that says another arity than its code: whoever came first, it or the code, decided for both. So
%% the module's own funs were of the wrong arity, and took registers for arguments that nobody had set.
-module(r_fun_arities).
-export([main/0]).

main() ->
    {ok, m, Code} = compile:forms(forms(), []),
    Good = in_process(fun() -> load(Code), term_to_binary(m:f(y)) end),
    <<131, 112, Size:32, 1, Rest/binary>> = Good,
    Wrong = <<131, 112, Size:32, 3, Rest/binary>>,
    unload(),
    [begin
         io:format("~p~n", [in_process(fun() -> said(Order, Code, Wrong) end)]),
         unload()
     end || Order <- [code_first, fun_first]].

said(Order, Code, Wrong) ->
    [load(Code) || Order =:= code_first],
    G = binary_to_term(Wrong),
    [load(Code) || Order =:= fun_first],
    F = m:f(y),
    [{Order, erlang:fun_info(Fun, arity), is_function(Fun, 1), is_function(Fun, 3), call(Fun, [1]), call(Fun, [1, 2, 3])}
     || Fun <- [F, G]].

call(Fun, Arguments) ->
    try apply(Fun, Arguments) catch error:{badfun, Fun} -> badfun; error:{badarity, {Fun, Arguments}} -> badarity end.

in_process(Fun) ->
    {P, M} = spawn_monitor(fun() -> exit(Fun()) end),
    receive {'DOWN', M, process, P, Result} -> Result end.

load(Code) -> {module, m} = code:load_binary(m, "m.erl", Code).
unload() -> true = code:delete(m), code:purge(m).

forms() ->
    Clause = {clause, 1, [{var, 1, 'X'}], [], [{tuple, 1, [{var, 1, 'X'}, {var, 1, 'Y'}]}]},
    [{attribute, 1, module, m}, {attribute, 1, export, [{f, 1}]},
     {function, 1, f, 1, [{clause, 1, [{var, 1, 'Y'}], [], [{'fun', 1, {clauses, [Clause]}}]}]}].
