%% In which order the parts of guards and bodies are evaluated, seen through the trace control word that they change: the
%% elements of tuples, arguments, values and then keys of maps from the last to the first, lists from the first to the
%% last. And what match_spec_test/3 does of the actions: some it does, some it only looks at.
-module(trace_order).
-export([main/0, f/2]).
-include("trace.hrl").

f(_, _) -> ok.

s(N) -> {set_tcw, N}.

main() ->
    [show({message, B}, [traced([{['$1', '$2'], [], [{message, B}]}]), tested([{['$1', '$2'], [], [{message, B}]}])]) ||
        B <- built() ++ called() ++ folded() ++ actions()],
    [show({G, B}, [traced([{['$1', '$2'], G, B}]), tested([{['$1', '$2'], G, B}])]) || {G, B} <- clauses()],
    [show(B, tested_by_traced([{'_', [], [{message, B}]}])) || B <- changing()].

built() ->
    [{{s(1), s(2), s(3)}}, [s(1), s(2), s(3)], [s(1), s(2) | s(3)], [a, s(1), b, s(2) | c],
     #{a => s(1), b => s(2), c => s(3)}, #{s(1) => s(2)}, #{s(1) => 2}, #{'$1' => a}, #{'$1' => '$2', a => {self}, s(1) => s(2)},
     #{[s(1)] => s(2), {{s(3)}} => s(4)}, [{{s(1), s(2)}}, {{s(3), s(4)}}], {{[s(1), s(2)], [s(3), s(4)]}},
     {{{'+', a, s(1)}, s(2)}}, {{}}, {const, s(1)}, '$$', '$_', {{'$$', '$_'}}].

called() ->
    [{'+', s(1), s(2)}, {'-', s(10), s(20)}, {element, s(2), s(3)}, {'==', s(1), s(2)}, {'not', s(1)}, {'xor', s(1), s(2)},
     {is_record, s(1), s(2), s(3)}, {is_record, s(1), a, s(3)}, {is_record, s(1), a, 2}, {binary_part, s(1), s(2), s(3)},
     {'+', {'+', a, s(1)}, s(2)}, {map_get, s(1), s(2)}, {is_function, s(1)}, {element, 1, '$_'}, {hd, '$_'},
     {length, '$$'}].

folded() ->
    [{'and', {'==', s(1), 0}, {'==', s(2), 0}}, {'or', {'==', s(1), 0}, {'==', s(2), 0}},
     {'andalso', {'==', s(1), 0}, {'==', s(2), 0}}, {'andalso', {'==', s(1), 0}, {'==', s(2), 1}, {'==', s(3), 2}},
     {'orelse', {'==', s(1), 1}, {'==', s(2), 0}, {'==', s(3), 2}}, {'orelse', s(1), s(2)}, {'andalso', s(1), s(2)},
     {'andalso', s(1)}, {'and', s(1)}, {'andalso', true, s(1)}, {'orelse', false, s(1), s(2)}, {'and', true, s(1), s(2)},
     {'and', s(1), foo, s(2)}, {'or', {'+', a, 1}, s(2)}, {'andalso', {'+', a, 1}, s(2)}, {'orelse', foo, s(2)},
     {{{'andalso', {'+', a, 1}, s(2)}, s(3)}}].

actions() ->
    [{set_tcw, s(1)}, {message, {{s(1), s(2)}}}, {set_seq_token, s(1), s(2)}, {trace, s(1), s(2)},
     {trace, s(1), s(2), s(3)}, {trace, [s(1)], [s(2)]}, {enable_trace, s(1), s(2)}, {disable_trace, s(1), s(2)},
     {silent, s(1)}, {silent, foo}, {is_seq_trace}, {get_tcw}].

clauses() ->
    [{[true, true], [s(1), s(2), s(3)]}, {[{'==', {get_tcw}, 0}], [s(1)]}, {[], [{message, false}, s(1), {message, a}]},
     {[], [{return_trace}, {'+', a, b}, s(7)]}, {[{'+', 1, 2}], []}, {[a], []}, {['$1'], []}, {[{const, true}], []},
     {[{{true}}], []}, {[[true]], []}, {[#{}], []}, {[], []}].

changing() ->
    [{set_seq_token, C, {const, V}} ||
        C <- [label, serial, send, 'receive', print, timestamp, monotonic_timestamp, foo, 1, sequential_trace_token],
        V <- [true, 17, {1, 2}, []]] ++
    [{set_tcw, {const, V}} || V <- [0, 1, -1, a, 16#ffffffff, 16#100000000, 1 bsl 62, 1 bsl 64, 1.0]] ++
    [{silent, V} || V <- [true, false, foo]] ++
    [{E, F} || E <- [enable_trace, disable_trace], F <- [call, send, all, foo, cpu_timestamp, silent, {const, [call]}]] ++
    [{E, P, F} || E <- [enable_trace, disable_trace], P <- [{self}, foo, 1], F <- [call, send, foo]] ++
    [{trace, {const, Off}, {const, On}} ||
        Off <- [[], [call], [all], foo], On <- [[], [send], foo, [foo], [{tracer, foo}], [cpu_timestamp], [call | foo]]] ++
    [{caller}, {caller_line}, {{{caller}, {get_seq_token}}}].

%% Two calls, and the word after them.
traced(Spec) ->
    erlang:system_flag(trace_control_word, 0),
    P = servant(),
    erlang:trace(P, true, [call]),
    1 = erlang:trace_pattern({?MODULE, f, 2}, Spec, [local]),
    run(P, fun() -> f(a, b), f(a, b) end),
    {collected(P), erlang:system_info(trace_control_word)}.

tested(Spec) ->
    erlang:system_flag(trace_control_word, 0),
    {tested, erlang:match_spec_test([a, b], Spec, trace), erlang:system_info(trace_control_word)}.

tested_by_traced(Spec) ->
    P = servant(),
    erlang:trace(P, true, [call]),
    run(P, fun() ->
               Answer = erlang:match_spec_test([], Spec, trace),
               {Answer, erlang:trace_info(self(), flags), seq_trace:get_token(), erlang:system_info(trace_control_word)}
           end).
