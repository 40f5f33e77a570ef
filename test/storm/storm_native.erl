%% Native functions of all kinds, resources, events; and a library that is loaded, replaced and purged under its
%% callers.
-module(storm_native).
-include("storm.hrl").
-export([begins/0, actions/0, calms/0, invariants/0]).
-import(storm_any, [chance/1, one_of/1, other/0, pid/0, wait/1, down/1]).

begins() ->
    ok = storm_lib_kept:start(),
    {module, storm_lib_kept, Code} = renamed(),
    persistent_term:put(storm_lib, Code),
    load_lib().

%% storm_lib is storm_lib_kept under another name.
renamed() ->
    {ok, {_, [{abstract_code, {_, Forms}}]}} = beam_lib:chunks(code:which(storm_lib_kept), [abstract_code]),
    New = [case F of
               {attribute, L, module, _} -> {attribute, L, module, storm_lib};
               {function, L, start, 0, _} -> start(L);
               _ -> F
           end || F <- Forms],
    {ok, storm_lib, Code} = compile:forms(New, []),
    {module, storm_lib_kept, Code}.

start(L) ->
    Text = "start() -> erlang:load_nif(filename:join(os:getenv(\"NIF_LIBRARIES\"), \"storm_lib\"), 0).",
    {ok, Tokens, _} = erl_scan:string(Text, L),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

actions() ->
    [{native_calls, fun calls/0}, {parts, fun parts/0}, {dirty, fun dirty/0}, {dirty_killed, fun dirty_killed/0},
     {asked_in_dirty, fun asked/0}, {resources, fun resources/0}, {native_monitors, fun monitors/0},
     {events, fun events/0}, {events_killed, fun events_killed/0}, {thread_sends, fun thread_sends/0},
     {load_lib, fun load_lib/0}, {call_lib, fun call_lib/0}, {parts_of_lib, fun parts_of_lib/0},
     {dirty_of_lib, fun dirty_of_lib/0}, {purge_lib, fun purge_lib/0}].

%% In each way that calls are made.
calls() -> calls(storm_lib_kept).
calls(L) ->
    X = storm_any:term(),
    X = L:echo(X),
    6 = L:slow([1, 2, 3], 0),
    true = L:is_whole(L:make()).

parts() -> parts(storm_lib_kept).
parts(L) ->
    N = rand:uniform(8),
    X = storm_any:term(),
    Sum = N * (N + 1) div 2,
    {Sum, X} = L:in_parts(N, 0, X).

dirty() -> dirty(storm_lib_kept).
dirty(L) -> 55 = call_dirty(L, lists:seq(1, 10), rand:uniform(2000)).
call_dirty(L, List, Us) -> case chance(2) of true -> L:slow_cpu(List, Us); false -> L:slow_io(List, Us) end.

%% Its end is told at once, or when the call is over: it is told.
dirty_killed() -> dirty_killed(storm_lib_kept).
dirty_killed(L) ->
    Self = self(),
    P = spawn_monitor(fun() ->
        link(Self),
        gone(fun() -> call_dirty(L, [1, 2, Self], rand:uniform(3000)) end),
        unlink(Self)
    end),
    wait(rand:uniform(3) - 1),
    exit(element(1, P), kill),
    process_flag(trap_exit, true),
    _ = down(P),
    receive {'EXIT', _, _} -> ok after 0 -> ok end,
    process_flag(trap_exit, false).

asked() ->
    {P, M} = spawn_monitor(fun() -> call_dirty(storm_lib_kept, [1], rand:uniform(3000)) end),
    one_of([fun() -> erlang:process_info(P, one_of([status, messages, current_stacktrace, memory])) end,
            fun() -> garbage_collect(P) end,
            fun() -> is_process_alive(P) end,
            fun() -> erlang:trace(P, true, [send, procs, {tracer, spawn(fun() -> ok end)}]) end,
            fun() -> erlang:check_process_code(P, storm_lib) end,
            fun() -> erlang:suspend_process(P), erlang:resume_process(P) end,
            fun() -> P ! x end]),
    down({P, M}).

resources() ->
    L = storm_lib_kept,
    R = L:make(),
    put(thing, R),
    catch (other() ! {noise, R}),
    T = ets:new(things, []),
    ets:insert(T, {k, R}),
    erlang:send_after(rand:uniform(3), self(), {noise, R}),
    true = L:is_whole(R),
    [{k, R2}] = ets:lookup(T, k),
    true = R =:= R2,
    ets:delete(T),
    chance(2) andalso garbage_collect(),
    true = L:is_whole(erase(thing)).

monitors() ->
    L = storm_lib_kept,
    R = L:make(),
    P = spawn_monitor(fun() -> wait(1) end),
    L:watch(R, element(1, P)),
    chance(2) andalso L:unwatch(R),
    chance(3) andalso exit(element(1, P), kill),
    down(P),
    chance(2) andalso L:watch(R, self()),
    true = L:is_whole(R).

events() ->
    L = storm_lib_kept,
    R = L:make(),
    Ref = make_ref(),
    case L:select_read(R, self(), {event, Ref}) of
        0 ->
            chance(4) andalso L:cancel(R),
            ok = L:write_byte(R),
            case L:select_read(R, self(), {event, Ref}) of
                0 -> receive {event, Ref} -> ok end;
                Failed -> true = Failed < 0 andalso storm_any:has_faults()
            end,
            L:stop(R);
        no_pipe -> ok;
        Failed -> true = Failed < 0 andalso storm_any:has_faults(), L:stop(R)
    end.

%% Nobody stops what was selected.
events_killed() ->
    L = storm_lib_kept,
    R = L:make(),
    P = spawn_monitor(fun() ->
        L:select_read(R, self(), {event, storm_any:term()}),
        L:write_byte(R),
        wait(1),
        catch L:stop(R)
    end),
    chance(2) andalso exit(element(1, P), kill),
    down(P),
    try L:stop(R) catch error:badarg -> ok end.

thread_sends() ->
    X = storm_any:term(),
    Self = self(),
    {P, M} = spawn_monitor(fun() ->
        case storm_lib_kept:send_by_thread(self(), X, 10) of
            ok -> Self ! {sent_all, self(), received(0)};
            no_thread -> Self ! {sent_all, self(), 10}
        end
    end),
    receive
        {sent_all, P, 10} -> ok;
        {'DOWN', M, _, _, _} -> ok
    end,
    demonitor(M, [flush]).

received(I) -> receive {sent, I, _} -> received(I + 1) after 0 -> I end.

%% --- the library that goes ---

gone(F) ->
    try F()
    catch
        error:undef -> ok;
        error:not_loaded -> ok;
        error:{badfun, _} -> ok
    end.

load_lib() ->
    case erlang:load_module(storm_lib, persistent_term:get(storm_lib)) of
        {module, storm_lib} -> gone(fun() -> storm_lib:start() end);
        {error, not_purged} -> ok
    end.

call_lib() -> gone(fun() -> calls(storm_lib) end).
parts_of_lib() -> gone(fun() -> parts(storm_lib) end).
dirty_of_lib() -> case chance(2) of true -> gone(fun() -> dirty(storm_lib) end); false -> dirty_killed(storm_lib) end.

purge_lib() ->
    case rand:uniform(3) of
        1 -> erts_code_purger:soft_purge(storm_lib);
        2 -> erts_code_purger:purge(storm_lib);
        3 -> erlang:check_old_code(storm_lib) orelse erlang:delete_module(storm_lib)
    end.

calms() ->
    erts_code_purger:purge(storm_lib),
    erlang:delete_module(storm_lib),
    erts_code_purger:purge(storm_lib),
    load_lib().

%% What was made is gone, but for what waits for events because who would have stopped it was killed.
invariants() ->
    [garbage_collect(P) || P <- processes()],
    wait(500),
    {Made, Gone, Selected, Stopped, Monitors, Downs, Threads} = storm_lib_kept:figures(),
    [{"resources", Made - Gone =< Selected - Stopped}, {"selected", Stopped =< Selected}, {"downs", Downs =< Monitors},
     {"threads", Threads =:= 0}].
