%% The stock cprof, eprof and fprof, unmodified: what they count. Times are not compared.
-module(trace_profilers).
-export([main/0, work/1, parent/1, applied/1]).
-include("trace.hrl").

main() -> cprof_counts(), natives(), eprof_calls(), fprof_events(), start_of_processes().

work(0) -> done;
work(N) -> lists:reverse([N]), maps:get(key, #{key => N}), helper(N), work(N - 1).
helper(N) -> N.

parent(N) ->
    {Child, Ref} = spawn_monitor(fun() -> work(N) end),
    receive {'DOWN', Ref, process, Child, _} -> work(N) end.

%% Nothing is printed meanwhile: that calls functions too.
cprof_counts() ->
    [{module, M} = code:ensure_loaded(M) || M <- [lists, maps]],
    Started = [cprof:start(?MODULE), cprof:start(lists, reverse), cprof:start({maps, get, 2})],
    work(100),
    Of = fun() -> {cprof:pause() > 5, cprof:analyse(?MODULE)} end,
    First = Of(),
    Others = [cprof:analyse(?MODULE, 101), cprof:analyse(lists), cprof:analyse(maps), cprof:analyse(maps, 101)],
    Again = cprof:restart(?MODULE),
    work(5),
    Restarted = Of(),
    work(5),
    Paused = Of(),
    Stopped = cprof:stop(),
    work(5),
    show(counts, [Started, First, Others, Again > 5, Restarted, Paused, Stopped > 5, cprof:analyse(?MODULE)]).

%% Functions in C, exported or not, that their modules declare.
natives() ->
    prim_file:module_info(),
    Functions = [{lists, reverse, 2}, {maps, get, 2}, {prim_file, get_cwd_nif, 0}, {prim_file, read_nif, 2}],
    Set = [erlang:trace_pattern(F, true, [local, Figure]) || F <- Functions, Figure <- [call_count, call_time]],
    Module = list_to_atom("maps"),
    [begin lists:reverse([a], [N]), Module:get(N, #{N => 1}), prim_file:get_cwd() end || N <- [1, 2, 3]],
    Counts = [erlang:trace_info(F, Item) || F <- Functions, Item <- [traced, call_count]],
    show(natives, [Set, Counts, [erlang:trace_pattern(F, false, [local, call_count, call_time]) || F <- Functions]]),
    erlang:trace_pattern({prim_file, get_cwd_nif, 0}, true, [local]),
    P = servant(),
    erlang:trace(P, true, [call, return_to]),
    run(P, fun() -> prim_file:get_cwd(), ok end),
    show(native_calls, everything()),
    show(wildcard, [erlang:trace_pattern({prim_file, '_', '_'}, true, [local]),
                    erlang:trace_pattern({prim_file, '_', '_'}, false, [local])]),
    exit(P, kill).

eprof_calls() ->
    Server = start_quietly(),
    show(again, eprof:start() =:= {error, {already_started, Server}}),
    show(fun_profiled, profiled(eprof:profile(fun() -> work(100) end))),
    show(of_module, profiled(eprof:profile([], fun() -> parent(7) end, {?MODULE, '_', '_'}))),
    show(of_function, profiled(eprof:profile([], fun() -> parent(7) end, {?MODULE, helper, '_'}, [{set_on_spawn, false}]))),
    P = servant(),
    show(busy, [eprof:start_profiling([P]), eprof:start_profiling([P]), eprof:profile(fun() -> ok end)]),
    run(P, fun() -> work(10) end),
    show(pid, profiled({eprof:stop_profiling(), eprof:stop_profiling()})),
    show(refused, [eprof:profile([no_such_name], fun() -> ok end)]),
    show(stop, eprof:stop()),
    exit(P, kill).

%% What analyze prints into its log, of this module's functions, built-in ones and erlang:apply/2: name and calls.
profiled(Result) ->
    File = "trace_profilers." ++ os:getpid(),
    ok = eprof:log(File),
    eprof:analyze(total),
    {ok, Text} = file:read_file(File),
    file:delete(File),
    Lines = [string:lexemes(L, " ") || L <- string:lexemes(unicode:characters_to_list(Text), "\n")],
    Counts = lists:usort([{Name, Calls} || [Name, Calls | _] <- Lines,
                                           lists:any(fun(P) -> lists:prefix(P, Name) end, prefixes())]),
    {Result, Counts}.

%% What the server also writes to its terminal has times in it.
start_quietly() ->
    Old = group_leader(),
    group_leader(spawn(fun nowhere/0), self()),
    {ok, Server} = eprof:start(),
    group_leader(Old, self()),
    Server.

nowhere() -> receive {io_request, From, As, _} -> From ! {io_reply, As, ok}, nowhere() end.

prefixes() -> ["trace_profilers:", "lists:reverse/1", "maps:get/2", "erlang:apply/2"].

%% Its own file needs a port; a tracer process does not.
fprof_events() ->
    P = servant(),
    show(fprof, fprof:trace([start, {tracer, self()}, {procs, [P]}, {cpu_time, false}])),
    run(P, fun() -> work(2) end),
    show(fprof_stop, fprof:trace(stop)),
    Events = [setelement(tuple_size(E), E, time) || E <- everything(), tuple_size(E) > 3,
                                                    lists:member(element(3, E), [call, return_to])],
    show(events, [E || E <- Events, concerns(E)]),
    show(fprof_off, [erlang:trace_info(P, flags), fprof:stop()]),
    exit(P, kill).

concerns(Event) -> lists:any(fun({M, _, _}) -> M =:= ?MODULE; (_) -> false end, tuple_to_list(Event)).

%% A process that a fun begins calls erlang:apply/2; a call that is compiled does not.
applied(F) -> apply(F, []).

start_of_processes() ->
    erlang:trace_pattern({erlang, apply, 2}, true, [local]),
    P = servant(),
    erlang:trace(P, true, [call, set_on_spawn, arity]),
    run(P, fun() -> {Q, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> Q end end),
    run(P, fun() -> applied(fun() -> ok end) end),
    run(P, fun() -> Module = list_to_atom("erlang"), Module:apply(fun() -> ok end, []) end),
    run(P, fun() -> Module = list_to_atom("erlang"), catch Module:apply(not_a_fun, []), ok end),
    show(applied, everything()),
    erlang:trace_pattern({erlang, apply, 2}, false, [local]),
    exit(P, kill).
