%% Shared by the generators of traces: random match specifications with actions, and what stamps become.
-compile([nowarn_unused_function]).

env(Name, Default) -> case os:getenv(Name) of false -> Default; Text -> list_to_integer(Text) end.
r(N) -> rand:uniform(N) - 1.
one(L) -> lists:nth(rand:uniform(length(L)), L).
stamped(E) when element(1, E) =:= trace_ts -> setelement(tuple_size(E), E, case element(tuple_size(E), E) of {_, _} -> strict; {_, _, _} -> now; T when is_integer(T) -> monotonic end);
stamped(E) -> E.
subst('$servant', P) -> P;
subst([H | T], P) -> [subst(H, P) | subst(T, P)];
subst(T, P) when is_tuple(T) -> list_to_tuple(subst(tuple_to_list(T), P));
subst(T, _) -> T.
spec() ->
    case r(10) of
        0 -> true;
        1 -> [];
        2 -> one([false, true, [{'_', [], []}]]);
        _ -> [clause() || _ <- lists:seq(1, one([1, 1, 1, 2]))]
    end.
clause() -> {one(['_', '_', '_', '$1', ['$1'], ['$1', '$2'], [a], ['$1' | []], {'$1'}, ['$1', '_'], ['_', '_', '$1']]), guards(), [action() || _ <- lists:seq(1, one([0, 1, 1, 2, 3]))]}.
guards() -> one([[], [], [], [], [{is_atom, '$_'}], [{is_list, '$_'}], [{'==', {hd, '$_'}, a}], [{'>', {length, '$_'}, 1}], [{'==', {get_tcw}, 0}], [{is_seq_trace}], [{'not', {is_seq_trace}}], [{'orelse', {is_integer, {hd, '$_'}}, {is_atom, {hd, '$_'}}}], [false], [{hd, a}]]).
action() ->
    case r(26) of
        0 -> {message, one([false, true, a, '$_', {caller}, {{caller_line}}, {{{self}, {get_tcw}}}, {caller_line}, {is_seq_trace}, {'+', 1, 2}, {hd, '$_'}, #{a => '$_'}, '$$', {const, {x, y}}, {message, b}, {return_trace}])};
        1 -> {message, one([{caller}, {caller_line}])};
        N when N < 6 -> {return_trace};
        N when N < 9 -> {exception_trace};
        9 -> {set_tcw, one([1, 2, 3])};
        10 -> {silent, one([true, false, true, foo])};
        11 -> {one([enable_trace, disable_trace]), one([call, send, 'receive', procs, return_to, arity, silent, timestamp, set_on_spawn])};
        12 -> {one([enable_trace, disable_trace]), one([{self}, '$servant', foo]), one([call, send, 'receive', arity])};
        13 -> {trace, one([[], [send], [call], [all], [arity, return_to]]), one([[], [call], [send, 'receive'], [arity], [procs, call]])};
        14 -> {trace, '$servant', one([[], [send], [call]]), one([[], [call], [return_to]])};
        %% no label on a heap: stock's token holds on to the pattern's own, which goes with it
        15 -> {set_seq_token, one([label, serial, send, print]), one([17, true, false, atom])};
        16 -> {get_tcw};
        17 -> {self};
        18 -> {disable_trace, call};
        19 -> {enable_trace, return_to};
        _ -> {message, one([{{'$_', {get_tcw}}}, {caller}, x])}
    end.
