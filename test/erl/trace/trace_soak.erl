%% Sessions that switch overlapping patterns on functions that run, while their module is replaced, traced processes and
%% tracers die, and sessions end or are dropped. What each session must be told it is told exactly once and in order,
%% nothing comes after it was delivered, and the figures agree with what the processes count themselves.
%%
%% Each controller has a session of its own and asks the same workers for calls, whose arguments name it. Three kinds of
%% sessions meet the new code: those that keep their patterns, and those with a pattern for code to be loaded, miss no
%% call (but see trace_soaked); of the others (clear) calls are missing, as their patterns go with the code. None is
%% told twice. trace_soak_running changes traces under calls that go on.
-module(trace_soak).
-export([main/0, main/1, worker/1]).
-include("../deep.hrl").
-define(M, trace_soak_m).

main() -> run(deep(25, 125)).
main([Rounds]) -> run(list_to_integer(Rounds)).

run(Rounds) ->
    First = trace_soaked:load(),
    Workers = [spawn(?MODULE, worker, [0]) || _ <- lists:seq(1, 4)],
    Figures = figures(),
    Loader = trace_soaked:loader(First),
    Killer = spawn_link(fun() -> nuisance(Workers, 1) end),
    Controllers = [start(fun() -> controller(Kind, How, Workers, Rounds) end)
                   || Kind <- [keep, on_load, clear], How <- [[local], [], [meta]]] ++
        [start(fun() -> spawner(Rounds) end), start(fun() -> everybody(Rounds) end)],
    [finished(C) || C <- Controllers],
    _ = trace_soaked:stop(Killer),
    Loads = trace_soaked:stop(Loader),
    Counted = [{P, ask(P, count)} || P <- Workers],
    check_figures(Figures, Counted, Loads),
    over(Workers),
    io:format("done~n").

%% --- what is called --------------------------------------------------------------------------------------------------

%% Calls for whoever asks, and counts.
worker(Count) ->
    receive
        {call, From, Tag, N} ->
            From ! {self(), called, list_to_tuple([call(Tag, I) || I <- lists:seq(1, N)] ++ [?M:version()])},
            worker(Count + N);
        {count, From} ->
            From ! {self(), Count},
            worker(Count);
        _ ->
            worker(Count)
    end.

%% The version that it ran.
call(Tag, I) ->
    {I, Tag, Version} = ?M:f(Tag, I),
    Version.

%% --- sessions of all kinds -------------------------------------------------------------------------------------------

controller(Kind, How, Workers, Rounds) ->
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(soak, Tracer, [{reload, keep} || Kind =:= keep]),
    [round(S, Kind, How, Tracer, Workers, {Kind, How, I}) || I <- lists:seq(1, Rounds)],
    true = trace:session_destroy(S),
    %% Nothing comes of a session that is over, whatever its processes do.
    [called(P, {Kind, How, late}, 20) || P <- Workers],
    [] = lists:append([taken(S, Tracer, P) || P <- Workers]).

round(S, Kind, How, Tracer, Workers, Tag = {_, _, I}) ->
    Worker = lists:nth(1 + I rem length(Workers), Workers),
    Spec = spec(I),
    [trace:function(S, on_load, Spec, How) || Kind =:= on_load],
    1 = trace:function(S, {?M, f, 2}, Spec, How),
    trace:function(S, {?M, '_', '_'}, true, [call_count || How =/= []] ++ [global || How =:= []]),
    1 = trace:function(S, {?M, f, 2}, Spec, How),
    1 = trace:process(S, Worker, true, [call, procs]),
    N = 30,
    Versions = called(Worker, Tag, N),
    Told = taken(S, Tracer, Worker),
    check(Kind, Tag, Versions, I rem 2 =:= 1, [plain(M) || M <- Told, concerns(untimed(M), Tag)]),
    1 = trace:process(S, Worker, false, [all]),
    [trace:function(S, on_load, false, How) || Kind =:= on_load],
    trace:function(S, {?M, '_', '_'}, false, How),
    [trace:function(S, {?M, '_', '_'}, false, [call_count]) || How =/= []],
    called(Worker, Tag, 5),
    [] = [M || M <- taken(S, Tracer, Worker), concerns(untimed(M), Tag)].

spec(I) when I rem 2 =:= 1 -> [{'_', [], [{return_trace}]}];
spec(_) -> [{'_', [], [{message, {self}}]}].

concerns({_, _, call, {?M, f, [Tag | _]}}, Tag) -> true;
concerns({_, _, call, {?M, f, [Tag | _]}, _}, Tag) -> true;
concerns({_, _, return_from, {?M, f, 2}, {_, Tag, _}}, Tag) -> true;
concerns(_, _) -> false.

plain(M) ->
    case untimed(M) of
        {_, _, return_from, _, {I, _, _}} -> {return, I};
        Call -> {call, lists:last(element(3, element(4, Call)))}
    end.

untimed(M) when element(1, M) =:= trace_ts -> list_to_tuple(lists:droplast(tuple_to_list(M)));
untimed(M) -> M.

check(Kind, Tag, Versions, Returns, Told) ->
    Calls = [I || {call, I} <- Told],
    Made = lists:seq(1, tuple_size(Versions) - 1),
    (Calls =:= lists:usort(Calls) andalso Calls -- Made =:= []) orelse exit({twice, Tag, Told}),
    Told =:= lists:append([[{call, I} | [{return, I} || Returns]] || I <- Calls]) orelse exit({wrong, Tag, Told}),
    Kind =:= clear orelse trace_soaked:untold(Made -- Calls, Versions) =:= [] orelse
        exit({missing, Tag, Told, Versions}).

called(Worker, Tag, N) ->
    Worker ! {call, self(), Tag, N},
    receive {Worker, called, Versions} -> Versions end.

taken(Session, Tracer, Pid) -> trace_soaked:taken(Session, Tracer, Pid).

%% Processes that are traced from birth: each is told of completely, from spawned to exit.
spawner(Rounds) ->
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(children, Tracer, [{reload, keep}]),
    1 = trace:function(S, {?M, f, 2}, true, [local]),
    [children(S, Tracer, {child, I}) || I <- lists:seq(1, Rounds)],
    true = trace:session_destroy(S).

children(S, Tracer, Tag) ->
    Parent = spawn(fun() -> receive go -> ok end,
                            [C ! go || C <- [spawn(fun() -> receive go -> calls(Tag, 5) end end) || _ <- [1, 2, 3]]],
                            calls(Tag, 2)
                   end),
    1 = trace:process(S, Parent, true, [call, procs, set_on_spawn]),
    M = monitor(process, Parent),
    Parent ! go,
    receive {'DOWN', M, _, _, _} -> ok end,
    First = taken(S, Tracer, Parent),
    Spawned = [C || {trace, P, spawn, C, _} <- First, P =:= Parent],
    3 = length(Spawned),
    [begin MC = monitor(process, C), receive {'DOWN', MC, _, _, _} -> ok end end || C <- Spawned],
    All = First ++ lists:append([taken(S, Tracer, C) || C <- Spawned]),
    [begin
         Own = [T || T <- All, element(2, T) =:= C],
         spawned = element(3, hd(Own)),
         {trace, C, exit, normal} = lists:last(Own),
         [1, 2, 3, 4, 5] = [I || {trace, _, call, {_, f, [_, I]}} <- Own]
     end || C <- Spawned],
    [1, 2] = [I || {trace, P, call, {_, f, [_, I]}} <- All, P =:= Parent].

calls(Tag, N) -> [call(Tag, I) || I <- lists:seq(1, N)].

%% Flags of all processes, those to come as well.
everybody(Rounds) ->
    Tracer = trace_soaked:tracer(),
    S = trace:session_create(everybody, Tracer, []),
    [begin
         true = trace:process(S, all, true, [procs]) > 4,
         {P, M} = spawn_monitor(fun() -> register(trace_soak_name, self()), unregister(trace_soak_name) end),
         receive {'DOWN', M, _, _, _} -> ok end,
         true = trace:process(S, all, false, [all]) > 4,
         Told = [element(3, T) || T <- taken(S, Tracer, P), element(2, T) =:= P],
         [register, unregister, exit] = [T || T <- Told, T =/= spawned],
         {P1, M1} = spawn_monitor(fun() -> ok end),
         receive {'DOWN', M1, _, _, _} -> ok end,
         [] = [T || T <- taken(S, Tracer, P1), element(2, T) =:= P1]
     end || _ <- lists:seq(1, Rounds)],
    true = trace:session_destroy(S).

%% Sessions whose owner dies, is collected, or loses its tracer, in the midst of it.
nuisance(Workers, I) ->
    Owner = spawn(fun() ->
                          Tracer = spawn(fun() -> sink() end),
                          S = trace:session_create(nuisance, Tracer, [{reload, keep} || I rem 3 =:= 0]),
                          %% Not what all receive: tracers would tell each other what they tell each other.
                          trace:process(S, all, true, [call, procs, return_to, set_on_link]),
                          [catch trace:process(S, P, true, [send, 'receive']) || P <- Workers],
                          trace:function(S, {?M, '_', '_'}, [{'_', [], [{exception_trace}]}], [local]),
                          trace:function(S, {?M, f, 2}, [{'_', [], [{return_trace}]}], [meta]),
                          trace:function(S, on_load, true, [local]),
                          trace:send(S, [{['_', {'_', called}], [], []}], []),
                          I rem 2 =:= 0 andalso exit(Tracer, kill),
                          receive after 2 -> ok end,
                          I rem 5 =:= 0 andalso trace:session_destroy(S),
                          is_tuple(S)
                  end),
    M = monitor(process, Owner),
    receive {'DOWN', M, _, _, _} -> ok after I rem 4 -> exit(Owner, kill) end,
    receive {stop, From} -> From ! {self(), ok} after 5 -> nuisance(Workers, I + 1) end.

sink() -> receive _ -> sink() end.

%% --- figures ---------------------------------------------------------------------------------------------------------

figures() ->
    S = trace:session_create(figures, self(), [{reload, keep}]),
    1 = trace:function(S, {?M, f, 2}, true, [call_count, call_time]),
    true = trace:process(S, all, true, [call]) > 4,
    S.

check_figures(S, Counted, Loads) ->
    {call_time, Times} = trace:info(S, {?M, f, 2}, call_time),
    [begin
         Missing = N - element(2, lists:keyfind(P, 1, Times)),
         true = Missing >= 0 andalso Missing =< Loads
     end || {P, N} <- Counted],
    {call_count, Count} = trace:info(S, {?M, f, 2}, call_count),
    true = Count =:= lists:sum([element(2, T) || T <- Times]),
    true = trace:session_destroy(S).

%% --- the end: nothing is left ----------------------------------------------------------------------------------------

over(Workers) ->
    until(fun() -> trace:session_info(all) =:= [{legacy, default}] end),
    until(fun() -> trace:session_info({?M, f, 2}) =:= [] end),
    [[] = trace:session_info(P) || P <- Workers],
    [] = trace:session_info(new),
    [] = trace:session_info(on_load),
    {all, false} = erlang:trace_info({?M, f, 2}, all),
    [exit(P, kill) || P <- Workers].

until(Fun) -> Fun() orelse begin erlang:garbage_collect(), receive after 5 -> ok end, until(Fun) end.

start(Fun) -> spawn_monitor(Fun).
finished({Pid, M}) -> receive {'DOWN', M, process, Pid, Reason} -> normal = Reason end.
ask(Pid, What) -> Pid ! {What, self()}, receive {Pid, Answer} -> Answer end.
