%% A tail call of Erlang code that takes in the move of its first argument loses its line: what fails behind it, and has
%% no line of its own, as the compiler has just said the same, fails in the line before that. So it does where the
%% whole stands in one line of source.
-module(r_lost_lines).
-export([main/0, add/2]).

main() ->
    io:format("source: ~w~n", [[line(catch F(1, 2)) || F <- [fun one_line/2, fun two_lines/2]]]),
    [io:format("~w: ~w~n", [Moves, line_behind(Moves, {extfunc, lists, nth, 2})]) || Moves <- runs()],
    [io:format("~w: ~w~n", [Callee, line_behind([{i, x2}, {i, x0}], Callee)]) || Callee <- callees()].

one_line(A, B) ->
    ?MODULE:add(1, if is_tuple(A) -> A =/= B end).

two_lines(A, B) ->
    ?MODULE:add(1,
                if is_tuple(A) -> B end).

add(A, B) -> {A, B}.

line({'EXIT', {if_clause, [{_, _, 2, Info} | _]}}) -> proplists:get_value(line, Info).

runs() ->
    [[], [{i, x0}], [{i, x1}], [{x0, x0}], [{x1, x0}], [{y0, x0}], [{x1, x2}, {x0, x1}, {x2, x0}], [{x0, x2}, {x1, x0}],
     [{i, x1}, {i, x0}], [{y0, x1}, {y1, x0}], [{y1, x1}, {y0, x0}], [{y0, x1}, {y2, x0}], [{y0, x1}, {y0, x0}],
     [{y0, x2}, {y1, x0}], [{y0, x0}, {y1, x1}], [{y0, x2}, {y1, x1}, {y2, x0}], [{y0, x3}, {y1, x2}, {y2, x1}, {y3, x0}],
     [{x1, x3}, {y1, x1}, {y0, x0}], [{y1, x1}, {x1, x0}], [{i, x1}, {y1, x0}], [{y1, x1}, {i, x0}],
     [{y1, x2}, {y1, x1}, {y0, x0}], [{y4, x3}, {y1, x2}, {y2, x1}, {y1, x0}], [{x0, y0}, {y0, x0}],
     [{y0, x1}, {x0, y0}, {y1, x0}], [{y0, x1}, {i, x2}, {y1, x0}], [{y4, x1}, {y3, x0}]].

callees() ->
    [{f, 20}, {extfunc, lists, reverse, 1}, {extfunc, lists, reverse, 2}, {extfunc, erlang, error, 1},
     {extfunc, erlang, process_info, 1}, {extfunc, erlang, setelement, 3}, {extfunc, erlang, apply, 2},
     {extfunc, erlang, apply, 3}, {extfunc, erlang, throw, 1}, {extfunc, erlang, hibernate, 3}].

%% Of if_end behind the call, by how it is called: with a frame, without one, and where it is not the last thing.
line_behind(Moves, Callee) ->
    Needs = [R || {S, D} <- Moves, R <- [S, D], hd(atom_to_list(R)) =:= $y],
    [line_behind(Moves, Callee, How) || How <- [last, only, call], How =:= last orelse Needs =:= []].

line_behind(Moves, Callee, How) ->
    Lines = [{line, [{location, "lost.erl", N}]} || N <- [1, 100]],
    Frame = case How of only -> []; _ -> [{allocate, 5, 2}] ++ [{move, {x, 1}, {y, N}} || N <- lists:seq(0, 4)] end,
    Code = [{label, 1}, hd(Lines), {func_info, {atom, lost}, {atom, f}, 2}, {label, 2}] ++ Frame ++
        [{test, is_atom, {f, 3}, [{x, 0}]}] ++ [{move, place(S), place(D)} || {S, D} <- Moves] ++ tl(Lines) ++
        call(How, Callee) ++ [{label, 3}, if_end],
    G = [{label, 19}, {func_info, {atom, lost}, {atom, g}, 1}, {label, 20}, return],
    Asm = {lost, [{f, 2}], [], [{function, f, 2, 2, Code}, {function, g, 1, 20, G}], 21},
    {ok, lost, Beam} = compile:forms(Asm, [from_asm, binary, no_spawn_compiler_process, report]),
    {module, lost} = code:load_binary(lost, "lost", Beam),
    Line = line(catch lost:f(1, 2)),
    true = code:delete(lost),
    _ = code:purge(lost),
    Line.

place(i) -> {integer, 7};
place(Register) ->
    [Kind | N] = atom_to_list(Register),
    {list_to_atom([Kind]), list_to_integer(N)}.

call(How, {f, _} = Callee) -> call(How, {call, call_only, call_last}, 1, Callee);
call(How, {extfunc, _, _, Arity} = Callee) -> call(How, {call_ext, call_ext_only, call_ext_last}, Arity, Callee).

call(only, {_, Only, _}, Arity, Callee) -> [{Only, Arity, Callee}];
call(last, {_, _, Last}, Arity, Callee) -> [{Last, Arity, Callee, 5}];
call(call, {Call, _, _}, Arity, Callee) -> [{Call, Arity, Callee}, {move, {atom, ok}, {x, 0}}, {deallocate, 5}, return].
