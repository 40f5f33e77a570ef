%% erlang:trace_info/2: every kind of subject with every item, sensible or not; with nothing traced, with something of
%% each kind, and after parts of it have gone. The item call_memory (of OTP 26) is left out: docs/TRACING.md.
-module(trace_info).
-export([main/0, loc/1]).

main() ->
    Sleep = fun() -> receive stop -> ok end end,
    [Tracer, Other, Traced] = [spawn(Sleep) || _ <- "123"],
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, _, _} -> ok end,
    register(trace_info_reg, Traced),
    Names = #{Tracer => tracer, Other => other, Traced => traced, Dead => dead, self() => self},
    erlang:trace(Traced, true, [call, send, {tracer, Tracer}]),
    ask(one_process, Names),
    erlang:trace(new, true, [call, procs, {tracer, Tracer}]),
    Spec = [{['$1'], [], [{message, {self}}]}],
    [erlang:trace_pattern(F, S, How) ||
        {F, S, How} <- [{{?MODULE, loc, 1}, Spec, [local, call_count, call_time, {meta, Tracer}]},
                        {{lists, keydelete, 3}, true, [global]}, {{lists, keysearch, 3}, true, [local]},
                        {{erlang, adler32, 1}, true, [local]}, {{erlang, crc32, 1}, true, [meta]},
                        {on_load, true, [local]}, {send, [{['$1', '_'], [], []}], []}, {'receive', false, []}]],
    ask(all_kinds, Names),
    [erlang:trace_pattern(F, S, How) ||
        {F, S, How} <- [{{?MODULE, loc, 1}, true, [call_count]}, {{?MODULE, loc, 1}, false, [local]},
                        {{?MODULE, loc, 1}, false, [call_time]}, {{lists, keydelete, 3}, false, [global]},
                        {on_load, Spec, [local]}, {on_load, true, [meta]}, {on_load, false, [local]}]],
    ask(less, Names).

loc(X) -> X.

subjects() ->
    [new, new_processes, new_ports, new_port, existing, existing_processes, all, processes, ports, existing_ports, send,
     'receive', on_load, trace_info_reg, foo, {?MODULE, loc, 1}, {?MODULE, loc, 2}, {lists, keydelete, 3},
     {lists, keysearch, 3}, {lists, nosuch, 1}, {nomod, nosuch, 1}, {erlang, adler32, 1}, {erlang, crc32, 1},
     {erlang, '+', 2}, {erlang, apply, 3}, {erlang, apply, 2}, {erlang, send, 2}, {?MODULE, module_info, 0},
     {?MODULE, ask, 2}, {?MODULE, '_', '_'}, {'_', '_', '_'}, {?MODULE, loc, '_'}, {?MODULE, loc, -1},
     {?MODULE, loc, 256}, {?MODULE, loc, 1 bsl 32 + 1}, {?MODULE, loc, 1 bsl 70}, {?MODULE, loc, 1.0},
     {?MODULE, "loc", 1}, {1, loc, 1}, {?MODULE, loc, [1]}, {?MODULE, loc}, {?MODULE}, {}, {a, b, c, d}, [], [self()], 1, 1.5, "x", <<>>, make_ref(),
     fun loc/1, #{}].

items() ->
    [flags, tracer, traced, match_spec, meta, meta_match_spec, call_count, call_time, all, session, foo, [], {flags},
     [flags], 1, "flags", <<"flags">>, undefined, silent, true].

ask(When, Names) ->
    Subjects = [{named(P, Names), P} || P <- lists:sort(maps:keys(Names))] ++ [{S, S} || S <- subjects()],
    [io:format("~p ~0p ~0p: ~0p~n", [When, named(N, Names), I, named(answer(S, I), Names)]) ||
        {N, S} <- lists:sort(fun({A, _}, {B, _}) -> named(A, Names) =< named(B, Names) end, Subjects), I <- items()].

answer(Subject, Item) ->
    try erlang:trace_info(Subject, Item)
    catch
        C:R:S ->
            [{M, F, A, Info} | _] = S,
            {C, R, {M, F, length(A), Info}}
    end.

named(T, Names) when is_pid(T) -> maps:get(T, Names, pid);
named(T, _) when is_reference(T) -> ref;
named(T, _) when is_function(T) -> 'fun';
named([H | T], Names) -> [named(H, Names) | named(T, Names)];
named(T, Names) when is_tuple(T) -> list_to_tuple(named(tuple_to_list(T), Names));
named(T, _) -> T.
