%% Random changes of traces while calls are under way: three processes, and those that they spawn, enter functions which
%% go on serving and return, fail or end later; in between flags, tracers, patterns of all kinds with match
%% specifications and actions, sequence tokens, the control word and sensitivity change, and figures of calls are asked
%% for. After each step all have handled what came to them. Told are the events of each process, to whom, what the step
%% returned, and the flags of all at the end. VIV_SEED and VIV_CASES choose the seed and the number of cases (of
%% gen_trace_events; here are fewer).
-module(gen_trace_mixed).
-export([main/0, serves/2, child/2, sink/0, in1/2, in2/2, in3/2, in4/2, in5/2, in6/2, in7/2, f1/1, f2/2, t1/1, c1/1,
         ex/1]).
-include("../erl/trace/trace.hrl").
-include("gen_trace.hrl").

main() ->
    rand:seed(exsss, env("VIV_SEED", 1)),
    logger:set_primary_config(level, none),
    [one_case(I) || I <- lists:seq(1, env("VIV_CASES", 1000) div 10)].

%% Actors are named by numbers: 1, 2, 3, and those that were spawned later; `gone` have ended.
one_case(I) ->
    Actors = maps:from_list([{N, start()} || N <- [1, 2, 3]]),
    put(sink, spawn(?MODULE, sink, [])),
    seq_trace:set_system_tracer(self()),
    io:format("~p~n", [I]),
    S = #{actors => Actors, gone => []},
    Begun = lists:foldl(fun(N, S1) -> traced(N, S1) end, S, [1, 2, 3]),
    ended(lists:foldl(fun(_, S1) -> step(S1) end, Begun, lists:seq(1, 6 + r(12)))).

start() ->
    Main = self(),
    {P, _} = spawn_monitor(fun() -> serves(Main, 0) end),
    P.

sink() ->
    receive {get, P} -> P ! {sunk, everything()} end,
    sink().

%% What actors run

serves(Main, Depth) ->
    receive
        {do, Fun} -> Result = (catch Fun()), Main ! {self(), done, Result}, serves(Main, Depth);
        {go, Fun} -> Main ! {self(), done, going}, Fun();
        {enter, F} when Depth < 5 ->
            Main ! {self(), done, entered},
            Result = (catch ?MODULE:F(Main, Depth + 1)),
            Main ! {self(), done, {left, Result}},
            serves(Main, Depth);
        {enter, _} -> Main ! {self(), done, too_deep}, serves(Main, Depth);
        {leave, _} when Depth =:= 0 -> Main ! {self(), done, outside}, serves(Main, Depth);
        {leave, How} -> left(How);
        {sync, Ref} -> Main ! {self(), Ref}, serves(Main, Depth);
        _ -> serves(Main, Depth)
    end.

left({return, V}) -> V;
left({throw, V}) -> throw(V);
left({error, V}) -> error(V);
left({exit, V}) -> exit(V);
left({again, V}) -> f1(V);
left({undefined, V}) -> ?MODULE:nothing(V).

child(Main, How) -> Main ! {child, self(), How}, serves(Main, 0).

in1(Main, Depth) -> [serves(Main, Depth)].
in2(Main, Depth) -> serves(Main, Depth).
in3(Main, Depth) -> try in1(Main, Depth) catch throw:X -> {caught, X} after f1('after') end.
in4(Main, Depth) -> apply(?MODULE, one_of(Depth), [Main, Depth]).
in5(Main, Depth) -> G = fun(M) -> [in2(M, Depth)] end, [G(Main)].
in6(Main, Depth) -> lists:map(fun(_) -> in1(Main, Depth) end, [x]).
in7(Main, Depth) -> {in4(Main, Depth), f1(Depth)}.
one_of(Depth) when Depth rem 2 =:= 0 -> in1;
one_of(_) -> in2.

f1(X) -> X.
f2(X, Y) -> {f1(X), f1(Y)}.
t1(X) -> f1(X).
c1(X) -> try ex(X) catch E:R -> {E, R} end.
ex(X) -> error(X).

%% Steps

alive(#{actors := A, gone := G}) -> lists:sort(maps:keys(A)) -- G.

step(S) ->
    case alive(S) of
        [] -> S;
        Alive -> step(r(24), one(Alive), one(Alive), S)
    end.

step(N, _, To, S) when N < 4 -> traced(To, S);
step(N, _, To, S) when N < 9 -> patterned(To, S);
step(9, _, _, S) -> asked(S);
step(10, _, _, S) -> Word = r(3), told(S, {control_word, Word}, erlang:system_flag(trace_control_word, Word));
step(11, _, _, S) -> other_sink(r(4), S);
step(N, By, _, S) when N < 15 ->
    F = one([in1, in2, in3, in4, in5, in6, in7]),
    act(By, {enter, F}, {By, enter, F}, S);
step(N, By, _, S) when N < 18 ->
    How = {one([return, return, throw, error, exit, again, undefined]), one([a, {b, c}])},
    act(By, {leave, How}, {By, leave, How}, S);
step(_, By, To, #{actors := A} = S) ->
    {Step, Kind, How} = action(To),
    act(By, {Kind, How(map_get(To, A))}, {By, Step}, S).

%% The tracer ends, and another takes its place; mostly nothing happens.
other_sink(0, S) ->
    Old = get(sink),
    Monitor = monitor(process, Old),
    exit(Old, kill),
    receive {'DOWN', Monitor, process, Old, _} -> ok end,
    put(sink, spawn(?MODULE, sink, [])),
    told(S, other_sink, ok);
other_sink(1, S) -> told(S, reset_trace, seq_trace:reset_trace());
other_sink(_, S) -> S.

flags() ->
    [call || r(5) > 0] ++
    [F || F <- [procs, send, 'receive', return_to, arity, silent], r(5) =:= 0] ++
    [F || F <- [set_on_spawn, set_on_first_spawn, set_on_link, set_on_first_link], r(6) =:= 0] ++
    one([[], [], [], [timestamp], [strict_monotonic_timestamp], [monotonic_timestamp]]).

traced(N, #{actors := A} = S) ->
    On = r(4) > 0,
    Tracer = one([[], [], [{tracer, self()}], [{tracer, get(sink)}]]),
    Flags = one([flags(), flags(), flags(), [call, return_to], [all]]) -- case On of true -> [all]; false -> [] end,
    P = map_get(N, A),
    Result = caught(fun() -> erlang:trace(P, On, Tracer ++ Flags) end),
    told(S, {trace, N, On, Tracer ++ Flags}, Result).

caught(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

targets() ->
    [{?MODULE, F, 2} || F <- [in1, in2, in3, in4, in5, in6, in7, f2]] ++ [{?MODULE, F, 1} || F <- [f1, t1, c1, ex, left]] ++
    [{?MODULE, '-in5/2-fun-0-', 2}, {?MODULE, child, 2}, {lists, map, 2}, {lists, reverse, 2},
     {erlang, process_flag, 2}, {erlang, link, 1}, {erlang, register, 2}, {erlang, atom_to_list, 1}].

patterned(To, #{actors := A} = S) ->
    Target = one([one(targets()), one(targets()), one(targets()), {?MODULE, '_', '_'}, {?MODULE, '_', 2}, send, 'receive']),
    Kinds = one([[local], [local], [local], [global], [meta], [{meta, get(sink)}], [local, meta], [call_count],
                 [call_time], [call_count, local], [call_time, local, meta]]),
    Any = one([spec(), spec(), [{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}]}], true, false, pause, restart]),
    Spec = case is_atom(Target) of true -> tokenless(Any); false -> Any end,
    Kinds1 = case Target of
        {_, '_', _} -> one([[local], [global], [call_count, local]]); % who tells and who hears of it runs some of these
        {_, _, _} -> Kinds;
        _ -> []
    end,
    Result = caught(fun() -> erlang:trace_pattern(Target, subst(Spec, map_get(To, A)), Kinds1) end),
    told(S, {pattern, Target, subst(Spec, To), Kinds1}, Result).

%% The stock runtime's memory suffers where the token of a message changes while it is sent.
tokenless({set_seq_token, _, _}) -> {self};
tokenless([H | T]) -> [tokenless(H) | tokenless(T)];
tokenless(T) when is_tuple(T) -> list_to_tuple(tokenless(tuple_to_list(T)));
tokenless(T) -> T.

%% What is said of a function; of time, who has spent it.
asked(S) ->
    Target = one(targets()),
    Item = one([all, traced, match_spec, meta, meta_match_spec, call_count, call_time]),
    told(S, {info, Target, Item}, timeless(caught(fun() -> erlang:trace_info(Target, Item) end))).

timeless({call_time, L}) when is_list(L) -> {call_time, lists:sort([{P, Count} || {P, Count, _, _} <- L])};
timeless({all, L}) when is_list(L) -> {all, [timeless(I) || I <- L]};
timeless(Info) -> Info.

%% What one does, to another by its number: the kind of the request, and its fun, of the other's pid.
action(To) ->
    X = one([a, {b, c}, [1, 2], []]),
    one([{calls, do, fun(_) -> fun() -> {f2(X, t1(X)), c1(X)} end end},
         {calls_by_name, do, fun(_) -> fun() -> {?MODULE:f2(X, ?MODULE:t1(X)), ?MODULE:c1(X)} end end},
         {{fails, X}, do, fun(_) -> fun() -> ?MODULE:ex(X) end end},
         {bifs, do, fun(_) -> fun() -> {lists:reverse([X, X]), atom_to_list(one_of(length([X])))} end end},
         {{trap_exit, X =:= a}, do, fun(_) -> fun() -> process_flag(trap_exit, X =:= a) end end},
         {{sensitive, X =:= a}, do, fun(_) -> fun() -> process_flag(sensitive, X =:= a) end end},
         {{link, To}, do, fun(P) -> fun() -> link(P) end end},
         {{unlink, To}, do, fun(P) -> fun() -> unlink(P) end end},
         {{register, To}, do, fun(P) -> fun() -> register(gen_m, P) end end},
         {{exit, To}, do, fun(P) -> fun() -> exit(P, one_reason(X)) end end},
         {{send, To, X}, do, fun(P) -> fun() -> P ! {note, X}, sent end end},
         {{token, X}, do, fun(_) -> fun() -> seq_trace:set_token(label, X) end end},
         {{token_flags, X}, do, fun(_) -> fun() -> [seq_trace:set_token(F, true) || F <- [send, 'receive', print]] end end},
         {token_off, do, fun(_) -> fun() -> seq_trace:set_token([]) end end},
         {{print, X}, do, fun(_) -> fun() -> seq_trace:print(X) end end},
         {collects, do, fun(_) -> fun() -> garbage_collect() end end},
         {traces_itself, do, fun(_) -> fun() -> caught(fun() -> erlang:trace(self(), X =:= a, [call, return_to]) end) end end},
         {{asks, To}, do, fun(P) -> fun() -> element(1, process_info(P, current_function)) end end},
         {{ends, X}, go, fun(_) -> fun() -> exit(X) end end},
         {{breaks, X}, go, fun(_) -> fun() -> ?MODULE:ex(X) end end},
         {spawn, child, spawning(fun(A) -> spawn(?MODULE, child, A) end)},
         {spawn_link, child, spawning(fun(A) -> spawn_link(?MODULE, child, A) end)},
         {spawn_fun, child, spawning(fun([Main, How]) -> spawn(fun() -> child(Main, How) end) end)}]).

one_reason(a) -> normal;
one_reason([]) -> kill;
one_reason(X) -> X.

spawning(How) ->
    Main = self(),
    fun(_) -> fun() -> How([Main, started]) end end.

act(By, {Kind, How}, Step, #{actors := A} = S) ->
    P = map_get(By, A),
    P ! {case Kind of child -> do; _ -> Kind end, How},
    Result = receive {P, done, R} -> R; {'DOWN', _, process, P, R} -> put({down, P}, true), {down, R} end,
    seq_trace:set_token([]),
    S1 = case Kind of child when is_pid(Result) -> born(Result, S); _ -> S end,
    S2 = settled(S1),
    told(S2, Step, case lists:member(By, map_get(gone, S2)) of true -> gone; false -> Result end).

born(P, #{actors := A} = S) ->
    receive {child, P, started} -> ok end,
    seq_trace:set_token([]),
    monitor(process, P),
    S#{actors := A#{map_size(A) + 1 => P}}.

%% All have handled what has come to them, and so often until nobody ends any more.
settled(#{actors := A} = S) ->
    case [N || N <- alive(S), is_gone(map_get(N, A))] of
        [] -> S;
        Ended -> settled(S#{gone := Ended ++ map_get(gone, S)})
    end.

is_gone(P) ->
    Ref = make_ref(),
    P ! {sync, Ref},
    Gone = get({down, P}) =:= true orelse receive {P, Ref} -> false; {'DOWN', _, process, P, _} -> true end,
    seq_trace:set_token([]),
    Gone.

%% What each has caused since, and to whom it was told.
told(S, Step, Result) ->
    #{actors := A} = S1 = settled(S),
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> ok end,
    get(sink) ! {get, self()},
    Sunk = receive {sunk, L} -> L end,
    seq_trace:set_token([]),
    Events = [{E, main} || E <- everything()] ++ [{E, sink} || E <- Sunk],
    Named = maps:from_list([{self(), main}, {get(sink), sink} |
                            [{P, list_to_atom("p" ++ integer_to_list(N))} || {N, P} <- maps:to_list(A)]]),
    io:format("  ~0p: ~0p~n", tuple_to_list(named({Step, Result}, Named))),
    [io:format("    ~p ~0p ~0p~n", [N, To, named(Of, Named)])
     || {N, P} <- lists:sort(maps:to_list(A)), To <- [main, sink],
        Of <- [[stamped(E) || {E, T} <- Events, T =:= To, element(2, E) =:= P, not is_noise(E)]], Of =/= []],
    [io:format("    token ~0p~n", [named(E, Named)]) || E <- tokens(), not is_sync(E)],
    S1.

named(Term, Named) -> element(1, plain(Term, Named)).

tokens() -> receive E when element(1, E) =:= seq_trace -> [E | tokens()] after 0 -> [] end.

%% How often all were asked, and served, whether who ends by what it has done to another has answered before, and answers of
%% process_info: on the stock runtime these are messages, when the other one is not free.
is_noise(E) -> is_sync(element(3, E), element(4, E)) orelse is_of_server(element(3, E), element(4, E)).
is_of_server(Tag, {?MODULE, serves, _}) -> Tag =/= return_to;
is_of_server(_, _) -> false.
is_sync('receive', {sync, Ref}) -> is_reference(Ref);
is_sync('receive', {Ref, {current_function, _}}) -> is_reference(Ref);
is_sync(send, {_, Ref}) when is_reference(Ref) -> true;
is_sync(send, {_, done, _}) -> true;
is_sync(_, _) -> false.
is_sync({seq_trace, _, {_, _, _, _, {_, Ref}}}) when is_reference(Ref) -> true;
is_sync({seq_trace, _, {_, _, _, _, {_, done, _}}}) -> true;
is_sync(_) -> false.

%% Who is left, with its flags; then all are killed, one after the other, and nothing is traced any more.
ended(#{actors := A} = S) ->
    Flags = [{N, erlang:trace_info(map_get(N, A), flags), erlang:trace_info(map_get(N, A), tracer)} || N <- alive(S)],
    Left = told(S, flags, Flags),
    lists:foldl(fun killed/2, Left, alive(Left)),
    erlang:system_flag(trace_control_word, 0),
    seq_trace:set_system_tracer(false),
    exit(get(sink), kill),
    [erlang:trace_pattern(T, false, K) || T <- [{?MODULE, '_', '_'} | targets()], K <- [[local, meta, call_count, call_time], []]],
    [erlang:trace_pattern(T, true, []) || T <- [send, 'receive']],
    flushed().

killed(N, #{actors := A} = S) ->
    case lists:member(N, alive(S)) of
        true -> exit(map_get(N, A), kill), told(settled(S), {killed, N}, true);
        false -> S
    end.

flushed() -> receive _ -> flushed() after 0 -> seq_trace:set_token([]) end.
