%% Traced calls: patterns, match specifications and their actions, returns and exceptions.
-ifndef(TRACE).
-module(trace_calls).
-endif.
-export([main/0, exported/1, foo/0, bar/1, thrower/1, tail/1, deep/1]).
-include("trace.hrl").

exported(X) -> {X, local(X)}.
local(X) -> id(X) + 1.
id(X) -> X.
thrower(X) -> id(X), throw({thrown, X}).
tail(X) -> ?MODULE:bar(X).
bar(X) -> [X].
deep(0) -> erlang:error(bottom);
deep(N) -> [N | deep(N - 1)].

%% foo/0 calls through lots/0, 'of'/0 and indirections/0 into bar/1: tail calls leave nothing on the stack.
foo() -> R = lots(), id(R).
lots() -> 'of'().
'of'() -> indirections().
indirections() -> bar(foo).

main() ->
    all_calls(local, [local]),
    all_calls(global, []),
    [spec(Name, Spec) || {Name, Spec} <- specs()],
    returns(), return_to(), tail_calls(), meta(), counts(), silent(), silences(), builtins(), natives(), exclusive(), info(), refused().

work() ->
    exported(1), ?MODULE:exported(2), tail(3), apply(?MODULE, bar, [4]), apply(fun ?MODULE:bar/1, [5]),
    catch thrower(6), (fun bar/1)(7), lists:map(fun ?MODULE:bar/1, [8, 9]), foo(), ok.

all_calls(Name, How) ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    show(Name, ?TRACE:trace_pattern({?MODULE, '_', '_'}, true, How)),
    run(P, fun work/0),
    show(Name, collected(P)),
    ?TRACE:trace(P, false, [call]),
    run(P, fun work/0),
    show(no_flag, collected(P)),
    ?TRACE:trace(P, true, [call, arity]),
    show(Name, ?TRACE:trace_pattern({?MODULE, bar, '_'}, false, How)),
    run(P, fun work/0),
    show(without_bar, collected(P)),
    show(Name, ?TRACE:trace_pattern({?MODULE, '_', '_'}, false, How)),
    run(P, fun work/0),
    show(none, collected(P)),
    over(P).

over(P) ->
    ?TRACE:trace(P, false, [all]),
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.

specs() ->
    [{everything, [{'_', [], []}]},
     {some_arguments, [{[1], [], []}, {['$1'], [{'>', '$1', 6}], [{message, {{big, '$1'}}}]}]},
     {false, [{'_', [], [{message, false}]}]},
     {true, [{'_', [], [{message, one}, {message, true}]}]},
     {value_false, [{'_', [], [false]}]},
     {value_other, [{'_', [], [{{a, b}}]}]},
     {nothing, []},
     {variables, [{['$1'], [], [{message, {{'$1', '$_', '$$'}}}]}]},
     {caller, [{'_', [], [{message, {caller}}]}]},
     {caller_line, [{'_', [], [{message, {{{caller_line}}}}]}]},
     {self, [{'_', [{'==', {self}, {self}}], [{message, {is_pid, {self}}}]}]},
     {return, [{'_', [], [{return_trace}]}]},
     {exception, [{'_', [], [{exception_trace}]}]},
     {return_quietly, [{'_', [], [{return_trace}, {message, false}]}]},
     {failing, [{'_', [], [{message, {element, 9, {{}}}}]}]},
     {guard_fails, [{'_', [{'>', {element, 9, {{}}}, 1}], []}]},
     {tcw, [{'_', [], [{message, {get_tcw}}]}]},
     {set_tcw, [{'_', [], [{message, {set_tcw, 17}}]}]},
     {seq, [{'_', [{'not', {is_seq_trace}}], [{message, {get_seq_token}}]}]},
     {display, [{[never], [], [{display, x}]}]},
     {disable, [{'_', [], [{disable_trace, call}]}]},
     {trace, [{'_', [], [{message, {trace, [call], [arity]}}]}]},
     {enable, [{'_', [], [{enable_trace, arity}]}]}].

spec(Name, Spec) ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    show(Name, ?TRACE:trace_pattern({?MODULE, '_', '_'}, Spec, [local])),
    run(P, fun work/0),
    show(Name, collected(P)),
    show(Name, ?TRACE:trace_info(P, flags)),
    show(Name, ?TRACE:trace_info({?MODULE, bar, 1}, match_spec)),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    run(P, fun work/0),
    show(off, collected(P)),
    over(P).

returns() ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    ?TRACE:trace_pattern({?MODULE, deep, 1}, [{'_', [], [{exception_trace}]}], [local]),
    run(P, fun() -> catch deep(3) end),
    show(deep, collected(P)),
    run(P, fun() -> try deep(2) catch error:bottom:S -> [element(2, E) || E <- S] end end),
    show(deep, collected(P)),
    ?TRACE:trace_pattern({?MODULE, deep, 1}, false, [local]),
    ?TRACE:trace_pattern({lists, '_', '_'}, [{'_', [], [{return_trace}]}], []),
    run(P, fun() -> lists:map(fun(X) -> lists:reverse([X]) end, [1, 2]), lists:member(a, [b]) end),
    show(lists, collected(P)),
    ?TRACE:trace_pattern({lists, '_', '_'}, false, []),
    Q = spawn(fun() -> receive go -> id(leaves(1)) end end),
    ?TRACE:trace(Q, true, [call, procs]),
    ?TRACE:trace_pattern({?MODULE, leaves, 1}, [{'_', [], [{exception_trace}]}], [local]),
    M = monitor(process, Q),
    Q ! go,
    receive {'DOWN', M, _, _, _} -> ok end,
    show(uncaught, collected(Q)),
    ?TRACE:trace_pattern({?MODULE, leaves, 1}, false, [local]),
    over(P).

leaves(N) -> [exit({N, gone})].

return_to() ->
    P = servant(),
    ?TRACE:trace(P, true, [call, return_to]),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, true, [local]),
    run(P, fun work/0),
    show(return_to, collected(P)),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, [{'_', [], [{return_trace}]}], [local]),
    run(P, fun() -> exported(1), catch thrower(2) end),
    show(return_to_and_from, collected(P)),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    over(P).

tail_calls() ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, [{'_', [], [{message, {caller}}]}], [local]),
    run(P, fun foo/0),
    show(tail_calls, collected(P)),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, false, [local]),
    over(P).

meta() ->
    P = servant(), Tracer = self(),
    show(meta, ?TRACE:trace_pattern({?MODULE, bar, 1}, [{'_', [], [{return_trace}, {message, {caller}}]}], [meta])),
    run(P, fun() -> ?MODULE:bar(1) end),
    show(meta, everything()),
    show(meta, ?TRACE:trace_pattern({?MODULE, bar, 1}, true, [{meta, Tracer}])),
    ?TRACE:trace(P, true, [call]),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, true, [local]),
    run(P, fun() -> ?MODULE:bar(2) end),
    show(both, lists:sort(everything())),
    show(info, ?TRACE:trace_info({?MODULE, bar, 1}, meta)),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, false, [meta]),
    run(P, fun() -> ?MODULE:bar(3) end),
    show(local_left, everything()),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, false, [local]),
    over(P).

counts() ->
    show(count, ?TRACE:trace_pattern({?MODULE, '_', '_'}, true, [call_count])),
    [bar(N) || N <- lists:seq(1, 10)],
    show(count, ?TRACE:trace_info({?MODULE, bar, 1}, call_count)),
    show(pause, ?TRACE:trace_pattern({?MODULE, bar, '_'}, pause, [call_count])),
    bar(1),
    show(count, ?TRACE:trace_info({?MODULE, bar, 1}, call_count)),
    show(restart, ?TRACE:trace_pattern({?MODULE, bar, '_'}, restart, [call_count])),
    bar(1), bar(2),
    show(count, ?TRACE:trace_info({?MODULE, bar, 1}, call_count)),
    show(off, ?TRACE:trace_pattern({?MODULE, '_', '_'}, false, [call_count])),
    show(count, ?TRACE:trace_info({?MODULE, bar, 1}, call_count)).

silent() ->
    P = servant(),
    ?TRACE:trace(P, true, [call, silent]),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, [{[7], [], [{silent, false}, {return_trace}]}, {'_', [], [{return_trace}]}],
                         [local]),
    run(P, fun work/0),
    show(silent, collected(P)),
    ?TRACE:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    over(P).

%% What was told as a call is told as a return, silent or not.
silences() ->
    Told = [{'_', [], [{return_trace}]}],
    Silences = [{'_', [], [{silent, true}, {return_trace}]}],
    Speaks = [{'_', [], [{silent, false}, {return_trace}]}],
    [begin
         P = servant(),
         ?TRACE:trace(P, true, [call | Flags]),
         [?TRACE:trace_pattern({?MODULE, F, 1}, S, [local]) || {F, S} <- [{exported, A}, {local, B}, {id, C}]],
         [run(P, fun() -> [exported(X)] end) || X <- [1, 2]],
         show({N, Flags}, collected(P)),
         [?TRACE:trace_pattern({?MODULE, F, 1}, false, [local]) || F <- [exported, local, id]],
         over(P)
     end || Flags <- [[], [return_to], [silent], [return_to, silent]],
            {N, A, B, C} <- [{told, Told, Told, Told}, {middle, Told, Silences, Told}, {outer, Silences, Told, Told},
                             {inner, Told, Told, Silences}, {speaks, Told, Told, Speaks}, {both, Silences, Told, Speaks},
                             {back, Speaks, Told, Silences}]].

builtins() ->
    P = servant(),
    [begin
         ?TRACE:trace(P, true, [call]),
         show(How, [?TRACE:trace_pattern(F, [{'_', [], [{return_trace}]}], How)
                    || F <- [{erlang, list_to_atom, 1}, {erlang, binary_to_term, 1}, {ets, info, 2}, {erlang, '++', 2}]]),
         run(P, fun() ->
                        F = fun erlang:binary_to_term/1,
                        [list_to_atom(id("x")), catch list_to_atom(id(x)), apply(erlang, list_to_atom, ["y"]),
                         id([1]) ++ id([2]), F(<<131, 106>>), ets:info(no_such_table, size)]
                end),
         show(How, collected(P)),
         [?TRACE:trace_pattern(F, false, How)
          || F <- [{erlang, list_to_atom, 1}, {erlang, binary_to_term, 1}, {ets, info, 2}, {erlang, '++', 2}]],
         ?TRACE:trace(P, false, [all])
     end || How <- [[], [local]]],
    over(P).

%% Modules that are part Erlang, part C.
natives() ->
    P = servant(),
    [begin
         ?TRACE:trace(P, true, [call]),
         show(How, ?TRACE:trace_pattern({lists, '_', '_'}, true, How)),
         run(P, fun() -> lists:keyfind(id(a), 1, []), lists:member(id(b), [c]), lists:delete(x, [x, y]),
                         lists:reverse([1, 2, 3]), lists:keymember(a, 1, [{a}]) end),
         show(How, collected(P)),
         show(How, ?TRACE:trace_pattern({lists, '_', '_'}, false, How))
     end || How <- [[local], [global]]],
    over(P).

%% Local and global trace of a function take each other's place.
exclusive() ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    [begin
         ?TRACE:trace_pattern({?MODULE, bar, 1}, true, First),
         ?TRACE:trace_pattern({?MODULE, bar, 1}, true, Second),
         run(P, fun() -> ?MODULE:bar(1), bar(2) end),
         show({First, Second}, collected(P)),
         show(traced, ?TRACE:trace_info({?MODULE, bar, 1}, traced)),
         [?TRACE:trace_pattern({?MODULE, bar, 1}, false, How) || How <- [First, Second]],
         run(P, fun() -> ?MODULE:bar(1), bar(2) end),
         show(none, collected(P))
     end || {First, Second} <- [{[local], [global]}, {[global], [local]}, {[local], [local]}]],
    over(P).

info() ->
    ?TRACE:trace_pattern({?MODULE, bar, 1}, [{'_', [], [{return_trace}]}], [local]),
    show(info, [?TRACE:trace_info({?MODULE, bar, 1}, I) || I <- [traced, match_spec, meta, meta_match_spec, call_count]]),
    show(info, [?TRACE:trace_info(F, traced) || F <- [{?MODULE, nosuch, 1}, {nomodule, f, 0}, {?MODULE, id, 1},
                                                      {?MODULE, exported, 1}]]),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, false, [local]),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, true, [global]),
    show(info, [?TRACE:trace_info({?MODULE, bar, 1}, I) || I <- [traced, match_spec]]),
    ?TRACE:trace_pattern({?MODULE, bar, 1}, false, [global]),
    show(info, [?TRACE:trace_info({?MODULE, bar, 1}, I) || I <- [traced, match_spec, all]]).

refused() ->
    [show(A, try apply(erlang, trace_pattern, A) catch C:R:S -> {_, _, _, I} = hd(S), {C, R, I} end)
     || A <- [[x, true, []], [{m, f}, true, []], [{m, f, a}, true, []], [{1, f, 1}, true, []], [{m, f, -1}, true, []],
              [{'_', f, 1}, true, []], [{'_', '_', 1}, true, []], [{m, '_', 1}, true, []], [{m, f, 1}, 'maybe', []],
              [{m, f, 1}, [x], []], [{m, f, 1}, [{'_', [], [{no_action}]}], []], [{m, f, 1}, true, [nonsense]],
              [{m, f, 1}, true, local], [{m, f, 1}, true, [local, global]], [{m, f, 1}, true, [local | x]],
              [{m, f, 1}, pause, []], [{m, f, 1}, true, []], [{?MODULE, f, 300}, true, []]]].
