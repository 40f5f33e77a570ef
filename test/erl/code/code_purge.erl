%% Old code, purges of both kinds, and funs whose code is purged, is being purged, or comes back.
-module(code_purge).
-export([main/0, tail/1, body/1, applied/1, applied_last/1]).
-include("purge.hrl").
-compile({nowarn_unused_function, finish/1}).

main() ->
    logger:set_primary_config(level, none),
    purges(),
    soft_purges(),
    funs_without_code(),
    pending_funs(),
    deleted(),
    failed_on_load(),
    several_loads(),
    rounds().

one() ->
    build(code_purge_m, "wait/0, make/1, call/1",
          ["wait() -> receive stop -> ok end.",
           "make(X) -> fun(Y) -> {X, Y} end.",
           "call(F) -> X = F(), {X, [done, {it, \"is\"}]}."]).
two() -> build(code_purge_m, "wait/0", ["wait() -> receive stop -> two end."]).

purges() ->
    load(one()),
    show("nothing to purge: ~p", [[code:purge(code_purge_m), code:soft_purge(code_purge_m), code:purge(no_such),
                                   code:soft_purge(no_such)]]),
    show("as erlang:purge_module/1: ~p", [(try erlang:purge_module(code_purge_m) catch C:R -> {C, R} end)]),
    Pids = [spawn_monitor(fun() -> code_purge_m:wait() end) || _ <- lists:seq(1, 25)],
    [waits(P) || {P, _} <- Pids],
    Others = [spawn(fun() -> timer:sleep(infinity) end) || _ <- lists:seq(1, 25)],
    load(two()),
    show("old code: ~p", [erlang:check_old_code(code_purge_m)]),
    show("someone is killed: ~p", [code:purge(code_purge_m)]),
    show("~p", [lists:usort([receive {'DOWN', Ref, process, P, Reason} -> Reason end || {P, Ref} <- Pids])]),
    show("others live: ~p", [lists:usort([is_process_alive(P) || P <- Others])]),
    show("old code: ~p", [erlang:check_old_code(code_purge_m)]),
    load(one()),
    show("nobody is killed: ~p", [code:purge(code_purge_m)]),
    load(two()),
    show("as erlang:purge_module/1: ~p", [erlang:purge_module(code_purge_m)]),
    [exit(P, kill) || P <- Others].

soft_purges() ->
    load(one()),
    code:purge(code_purge_m),
    P = spawn(fun() -> code_purge_m:call(fun() -> receive go -> gone end end), receive stop -> ok end end),
    waits(P),
    load(two()),
    show("soft: ~p", [code:soft_purge(code_purge_m)]),
    show("still there: ~p", [{erlang:check_old_code(code_purge_m), is_process_alive(P)}]),
    P ! go,
    wait_until(fun() -> process_info(P, message_queue_len) =:= {message_queue_len, 0} end),
    waits(P),
    show("soft: ~p", [code:soft_purge(code_purge_m)]),
    show("gone: ~p", [{erlang:check_old_code(code_purge_m), is_process_alive(P)}]),
    exit(P, kill).

tail(F) -> F(1).
body(F) -> X = F(1), {X}.
applied(F) -> X = apply(F, [1]), {X}.
applied_last(F) -> apply(F, [1]).
listed(F) -> [F(X) || X <- [1]].

calls(F) ->
    Callers = [fun tail/1, fun ?MODULE:tail/1, fun body/1, fun applied/1, fun applied_last/1, fun listed/1,
               fun(G) -> lists:map(G, [1, 2]) end, fun(G) -> G() end],
    [show("  ~p", [called(Caller, F)]) || Caller <- Callers].

called(Caller, F) ->
    try
        Caller(F)
    catch
        Class:Reason:Stack -> {Class, Reason, [{M, N, A} || {M, N, A, _} <- lists:sublist(Stack, 2)]}
    end.

funs_without_code() ->
    load(one()),
    code:purge(code_purge_m),
    F = code_purge_m:make(1),
    Same = binary_to_term(term_to_binary(F)),
    load(two()),
    show("old code: ~p", [F(2)]),
    show("purged: ~p", [code:purge(code_purge_m)]),
    show("with other code", []),
    calls(F),
    calls(Same),
    info(F),
    code:delete(code_purge_m),
    code:purge(code_purge_m),
    show("without any", []),
    calls(F),
    info(F),
    show("equal: ~p", [{F =:= Same, F == binary_to_term(term_to_binary(F))}]),
    load(one()),
    show("it is back", []),
    calls(F),
    calls(Same),
    info(F).

info(F) ->
    show("  ~p", [[erlang:fun_info(F, Item) || Item <- [module, name, arity, env, type, index, new_index, uniq]]]),
    show("  ~p", [[proplists:get_value(name, erlang:fun_info(F)), is_function(F, 1), F]]).

%% The stock purger can be stopped within a purge.
pending_funs() ->
    [pending_fun(Kind, Stays) || Kind <- [true, false], Stays <- [true, false]].

pending_fun(Hard, Stays) ->
    load(one()),
    code:purge(code_purge_m),
    F = code_purge_m:make(here),
    P = spawn(fun() -> code_purge_m:call(fun() -> receive go -> gone end end) end),
    waits(P),
    load(two()),
    Stays orelse finish(P),
    Ref = make_ref(),
    erts_code_purger ! {test_purge, code_purge_m, self(), Hard, Ref},
    receive {started, Ref} -> ok end,
    Me = self(),
    Callers = [spawn(fun() -> Me ! {self(), called(Caller, F)} end) || Caller <- [fun tail/1, fun body/1]],
    [wait_until(fun() -> process_info(C, status) =:= {status, suspended} end) || C <- Callers],
    show("waiting: ~p", [[process_info(C, current_function) || C <- Callers]]),
    [C ! a_message || C <- Callers],
    show("still: ~p", [[process_info(C, [status, message_queue_len]) || C <- Callers]]),
    Killed = spawn(fun() -> F(1) end),
    wait_until(fun() -> process_info(Killed, status) =:= {status, suspended} end),
    show("one may be killed: ~p", [finish(Killed)]),
    erts_code_purger ! {continue, Ref},
    receive {continued, Ref} -> ok end,
    erts_code_purger ! {complete, Ref},
    receive {test_purge, Result, Ref} -> show("hard ~p, in use ~p: ~p", [Hard, Stays, Result]) end,
    [receive {C, Answer} -> show("  ~p", [Answer]) end || C <- Callers],
    is_process_alive(P) andalso finish(P),
    code:purge(code_purge_m).

deleted() ->
    load(one()),
    code:purge(code_purge_m),
    P = spawn(fun() -> code_purge_m:wait() end),
    waits(P),
    show("delete: ~p", [code:delete(code_purge_m)]),
    show("it may go on: ~p", [{is_process_alive(P), check_process_code(P, code_purge_m)}]),
    show("~p", [[erlang:module_loaded(code_purge_m), erlang:check_old_code(code_purge_m),
                 (try code_purge_m:wait() catch C:R -> {C, R} end)]]),
    show("soft: ~p", [code:soft_purge(code_purge_m)]),
    load(two()),
    show("delete: ~p", [code:delete(code_purge_m)]),
    show("purge: ~p", [code:purge(code_purge_m)]),
    wait_until(fun() -> not is_process_alive(P) end),
    show("delete: ~p", [[code:delete(code_purge_m), code:delete(code_purge_m)]]),
    show("purge: ~p", [code:purge(code_purge_m)]).

%% What the function started is killed when it fails.
failed_on_load() ->
    {_, Beam} = build(code_purge_l, "wait/0",
                      ["-on_load(init/0).",
                       "init() -> P = spawn(fun() -> wait() end), code_purge_test ! {started, P}, no.",
                       "wait() -> receive stop -> ok end."]),
    register(code_purge_test, self()),
    show("~p", [code:load_binary(code_purge_l, "", Beam)]),
    receive {started, P} -> wait_until(fun() -> not is_process_alive(P) end) end,
    unregister(code_purge_test),
    show("~p", [[erlang:module_loaded(code_purge_l), erlang:check_old_code(code_purge_l)]]).

several_loads() ->
    load(one()),
    P = spawn(fun() -> code_purge_m:wait() end),
    waits(P),
    load(two()),
    Code = element(2, one()),
    show("a third load: ~p", [erlang:finish_loading([erts_internal:prepare_loading(code_purge_m, Code)])]),
    show("~p", [erlang:load_module(code_purge_m, Code)]),
    show("~p", [{code_purge_m, is_process_alive(P)}]),
    load(one()), % purges
    wait_until(fun() -> not is_process_alive(P) end),
    show("old code: ~p", [erlang:check_old_code(code_purge_m)]).
%% Memory of the code is what it was, whatever was loaded and purged in between. The tables of ranges may have a few
%% chunks more: how many they are goes by the addresses that modules get. A block lost in each round is more.
-define(RANGE_CHUNKS, 8 * 1792). % bytes

rounds() ->
    Codes = [one(), two()],
    round(Codes, 20),
    Before = settled(),
    round(Codes, 1000),
    wait_until(fun() -> erlang:memory(code) =< Before + ?RANGE_CHUNKS end),
    show("1000 rounds: the same memory", []).

round(_, 0) -> code:purge(code_purge_m);
round(Codes = [One, Two], N) ->
    load(One),
    F = code_purge_m:make(N),
    {N, x} = F(x),
    code:purge(code_purge_m),
    load(Two),
    code:purge(code_purge_m),
    round(Codes, N - 1).

%% Twice the same: what is freed later has been.
settled() -> settled(erlang:memory(code)).
settled(Before) ->
    receive after 50 -> ok end,
    case erlang:memory(code) of
        Before -> Before;
        Now -> settled(Now)
    end.
