%% Sessions of the module trace beyond the stock runtime's: patterns that stay when a module is replaced, and an end
%% that leaves nothing behind. What tracing does at once is paid for, so that it holds up nobody.
-module(viv_trace_tests).
-include_lib("eunit/include/eunit.hrl").
-export([held/1, one/0, deep/2]).
-define(M, viv_trace_tests_m).

%% f/1 and g/1, and since version 2 h/1.
load(V) ->
    Exports = [{f, 1}, {g, 1}] ++ [{h, 1} || V > 1],
    Result = {tuple, 1, [{integer, 1, V}, {var, 1, 'X'}]},
    Body = fun(N) -> {function, 1, N, 1, [{clause, 1, [{var, 1, 'X'}], [], [Result]}]} end,
    {ok, ?M, Code} = compile:forms([{attribute, 1, module, ?M}, {attribute, 1, export, Exports} |
                                    [Body(N) || {N, 1} <- Exports]], []),
    code:purge(?M),
    {module, ?M} = code:load_binary(?M, "", Code).

session(Options) ->
    load(1),
    S = trace:session_create(test, self(), Options),
    trace:process(S, P = spawn(fun serve/0), true, [call]),
    {S, P}.

serve() ->
    receive {From, Fun} -> From ! {self(), Fun()}, serve() end.

run(P, Fun) ->
    P ! {self(), Fun},
    receive {P, R} -> R end.

told(P) ->
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    all().

all() -> receive M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> [M | all()] after 0 -> [] end.

calls(P) ->
    run(P, fun() -> {?M:f(1), ?M:g(2)} end),
    [element(3, element(4, M)) || M <- told(P), element(3, M) =:= call].

default_clears_test() -> clears([]).
clear_test() -> clears([{reload, keep}, {reload, clear}]).

clears(Options) ->
    {S, P} = session(Options),
    ?assertEqual(2, trace:function(S, {?M, '_', '_'}, true, [local]) - 2), % module_info/0,1
    ?assertEqual([[1], [2]], calls(P)),
    load(2),
    ?assertEqual([], calls(P)),
    ?assertEqual([], trace:session_info({?M, f, 1})),
    trace:session_destroy(S).

keep_test_() ->
    [{lists:flatten(io_lib:format("~p", [How])), fun() -> keeps(How) end} || How <- [[local], [], [meta]]].

keeps(How) ->
    {S, P} = session([{reload, keep}]),
    Spec = [{[1], [], [{return_trace}]}],
    1 = trace:function(S, {?M, f, 1}, Spec, How),
    [begin
         load(V),
         ?assertMatch([[1]], calls(P)),
         ?assertEqual(1, length(trace:session_info({?M, f, 1}))),
         ?assertEqual([], trace:session_info({?M, g, 1}))
     end || V <- [2, 1, 2]],
    ?assertEqual([], trace:session_info({?M, h, 1})),
    Item = case How of [meta] -> meta_match_spec; _ -> match_spec end,
    ?assertEqual({Item, Spec}, trace:info(S, {?M, f, 1}, Item)),
    trace:function(S, {?M, f, 1}, false, How),
    load(1),
    ?assertEqual([], calls(P)),
    trace:session_destroy(S).

%% The functions of the new code stand in any order, and some are new, or gone.
keep_in_another_order_test() ->
    S = trace:session_create(test, self(), [{reload, keep}]),
    Traced = fun() -> [N || N <- "abcdefgh", trace:info(S, {?M, list_to_atom([N]), 0}, traced) =:= {traced, local}] end,
    load_functions("abcdef"),
    [1 = trace:function(S, {?M, list_to_atom([N]), 0}, true, [local]) || N <- "ace"],
    [begin load_functions(Names), ?assertEqual(Expected, Traced()) end
     || {Names, Expected} <- [{"fedcba", "ace"}, {"cab", "ac"}, {"ghcabfed", "ac"}, {"h", ""}, {"abc", ""}]],
    trace:session_destroy(S).

load_functions(Names) ->
    Functions = [{function, 1, list_to_atom([N]), 0, [{clause, 1, [], [], [{atom, 1, ok}]}]} || N <- Names],
    Exports = {attribute, 1, export, [{list_to_atom([N]), 0} || N <- Names]},
    {ok, ?M, Code} = compile:forms([{attribute, 1, module, ?M}, Exports | Functions], []),
    code:purge(?M),
    {module, ?M} = code:load_binary(?M, "", Code).

%% Another session's patterns on the same functions go.
keep_one_of_two_test() ->
    {S, P} = session([{reload, keep}]),
    Other = trace:session_create(other, self(), []),
    trace:process(Other, P, true, [call, arity]),
    [trace:function(X, {?M, f, 1}, true, [local]) || X <- [S, Other]],
    ?assertEqual([1, [1]], lists:sort(calls(P))),
    load(2),
    ?assertEqual([[1]], calls(P)),
    ?assertEqual({traced, false}, trace:info(Other, {?M, f, 1}, traced)),
    [trace:session_destroy(X) || X <- [S, Other]].

keep_figures_test() ->
    {S, P} = session([{reload, keep}]),
    trace:function(S, {?M, f, 1}, true, [call_count, call_time]),
    _ = [begin calls(P), load(V) end || V <- [2, 1]],
    calls(P),
    ?assertEqual({call_count, 3}, trace:info(S, {?M, f, 1}, call_count)),
    ?assertMatch({call_time, [{P, 3, 0, _}]}, trace:info(S, {?M, f, 1}, call_time)),
    trace:session_destroy(S).

%% What is wanted of code that is loaded counts more than what is kept.
on_load_test() ->
    {S, P} = session([{reload, keep}]),
    trace:function(S, {?M, f, 1}, true, [local]),
    trace:function(S, on_load, true, [global]),
    load(2),
    ?assertEqual([[1], [2]], calls(P)),
    ?assertEqual({traced, global}, trace:info(S, {?M, f, 1}, traced)),
    trace:session_destroy(S),
    load(1),
    ?assertEqual([], calls(P)).

options_test() ->
    [?assertError(badarg, trace:session_create(x, self(), O))
     || O <- [[reload], [{reload, perhaps}], [{reload, keep} | x], {reload, keep}, [{keep, reload}]]].

%% A module is no tracer before its native functions are there, and is not loaded for it, as on OTP 27; erlang:trace/3
%% loads it.
not_loaded_test() ->
    [?assertError(badarg, trace:session_create(x, Tracer, []))
     || Tracer <- [{no_such_module, x}, {lists, x}, {?MODULE, x}, {pool, x}, {?MODULE}, nobody]],
    ?assertEqual(false, code:is_loaded(pool)),
    ?assertError(undef, erlang:trace(self(), true, [call, {tracer, no_such_module, x}])),
    ?assertError(badarg, erlang:trace(self(), true, [call, {tracer, lists, x}])).

%% Frames of meta trace tell nobody when the session is over.
held(From) -> [From ! {held, self()}, receive go -> ok end].

frames_test() ->
    {S, P} = session([]),
    trace:function(S, {?MODULE, held, 1}, [{'_', [], [{exception_trace}]}], [meta]),
    trace:function(S, {?MODULE, held, 1}, [{'_', [], [{exception_trace}]}], [local]),
    Me = self(),
    P ! {Me, fun() -> [?MODULE:held(Me)] end},
    receive {held, P} -> ok end,
    ?assertMatch([_, _], told(P)),
    true = trace:session_destroy(S),
    P ! go,
    receive {P, _} -> ok end,
    ?assertEqual([], told(P)).

%% Orders to all, in the form that the sessions' logs keep them.
one() -> ok.
orders_test() ->
    {S, P} = session([]),
    trace:process(S, P, false, [all]),
    Q = spawn(fun() -> receive go -> ok end, [?MODULE:one() || _ <- [1, 2]], receive stop -> ok end end),
    1 = trace:function(S, {?MODULE, one, 0}, true, [local]),
    [begin
         trace:process(S, existing, true, [call, procs]),
         trace:process(S, existing, false, [call]),
         trace:process(S, existing, true, [call, send]),
         trace:process(S, existing, false, [procs])
     end || _ <- lists:seq(1, 100)],
    ?assertEqual({flags, [call, send]}, trace:info(S, Q, flags)),
    ?assertEqual({flags, []}, trace:info(S, spawn(fun serve/0), flags)),
    Q ! go,
    Q ! stop,
    M = monitor(process, Q),
    receive {'DOWN', M, _, _, _} -> ok end,
    ?assertMatch([_, _], [X || {trace, W, call, _} = X <- told(Q), W =:= Q]),
    trace:session_destroy(S).

%% Many at a time end in the midst of each other's changes.
many_ends_test() ->
    load(1),
    Pids = [spawn_monitor(fun() -> ends(I) end) || I <- lists:seq(1, 50)],
    [receive {'DOWN', M, _, _, Reason} -> ?assertEqual(normal, Reason) end || {_, M} <- Pids],
    until(fun() -> trace:session_info(all) =:= [{legacy, default}] end),
    until(fun() -> trace:session_info({?M, f, 1}) =:= [] end),
    ?assertEqual({all, false}, erlang:trace_info({?M, f, 1}, all)).

ends(I) ->
    S = trace:session_create(ends, self(), [{reload, keep}]),
    trace:function(S, {?M, '_', '_'}, true, [local]),
    trace:process(S, new, true, [call]),
    trace:process(S, all, true, [procs]),
    Results = [spawn_monitor(fun() -> exit({result, catch trace:session_destroy(S)}) end)
               || _ <- [1, 2, 3], I rem 2 =:= 0],
    Answers = [receive {'DOWN', M, _, _, {result, R}} -> R end || {_, M} <- Results],
    ?assertEqual([false || _ <- Results, I rem 2 =:= 0] -- [false], [A || A <- Answers, A =:= false]).

%% An exception leaves many calls that are told of.
unwound_test_() -> {timeout, 120, fun unwound/0}.

unwound() ->
    Sink = spawn(fun Sink() -> receive stop -> ok; _ -> Sink() end end),
    P = spawn(fun serve/0),
    1 = erlang:trace(P, true, [call, {tracer, Sink}]),
    1 = erlang:trace_pattern({?MODULE, deep, 2}, [{'_', [], [{exception_trace}]}], [local]),
    {Before, After} = run(P, fun() ->
        {caught, Before} = (catch deep(20000, fun() -> throw({caught, reductions()}) end)),
        erlang:yield(),
        {Before, reductions()}
    end),
    erlang:trace_pattern({?MODULE, deep, 2}, false, [local]),
    [exit(X, kill) || X <- [P, Sink]],
    ?assert(After - Before > 5000).

deep(0, F) -> F();
deep(N, F) -> [N | deep(N - 1, F)].

reductions() -> element(2, process_info(self(), reductions)).

until(Fun) -> Fun() orelse begin erlang:garbage_collect(), timer:sleep(5), until(Fun) end.
