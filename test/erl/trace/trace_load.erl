%% Code that is loaded while it is traced.
-ifndef(TRACE).
-module(trace_load).
-endif.
-export([main/0]).
-include("trace.hrl").

source(V) ->
    "-module(trace_load_m).\n-export([f/1, g/1, v/0, loop/1]).\n"
    "v() -> " ++ integer_to_list(V) ++ ".\n"
    "f(X) -> h(X).\nh(X) -> {v(), X}.\ng(X) -> ?MODULE:f(X).\n"
    "loop(P) -> receive {call, X} -> P ! {self(), h(X)}, loop(P); leave -> ?MODULE:loop(P) end.\n".

compiled(V) ->
    {ok, Tokens, _} = erl_scan:string(lists:flatten(string:replace(source(V), "?MODULE", "trace_load_m", all))),
    Forms = [begin {ok, Form} = erl_parse:parse_form(F), Form end || F <- split(Tokens, [])],
    {ok, M, Code} = compile:forms(Forms, []),
    {M, Code}.

split([], []) -> [];
split([{dot, _} = D | T], F) -> [lists:reverse([D | F]) | split(T, [])];
split([H | T], F) -> split(T, [H | F]).

load(V) ->
    {M, Code} = compiled(V),
    code:purge(M),
    {module, M} = code:load_binary(M, "", Code),
    ok.

calls() -> [trace_load_m:f(1), trace_load_m:g(2)].

main() ->
    load(1),
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    [replaced(P, How) || How <- [[local], [global], [meta], [call_count]]],
    old_code(),
    on_load(P),
    deleted(P),
    exit(P, kill),
    infos().

replaced(P, How) ->
    show(How, ?TRACE:trace_pattern({trace_load_m, '_', '_'}, true, How)),
    run(P, fun calls/0),
    show(before, everything()),
    load(2),
    show(info, [?TRACE:trace_info({trace_load_m, F, 1}, I) || F <- [f, h], I <- [traced, call_count]]),
    run(P, fun calls/0),
    show(later, everything()),
    show(again, ?TRACE:trace_pattern({trace_load_m, f, '_'}, true, How)),
    run(P, fun calls/0),
    show(again, everything()),
    show(off, ?TRACE:trace_pattern({trace_load_m, '_', '_'}, false, How)),
    load(1),
    run(P, fun calls/0),
    show(none, everything()).

%% Local calls within old code are not traced any more.
old_code() ->
    Me = self(),
    P = spawn(fun() -> trace_load_m:loop(Me) end),
    ?TRACE:trace(P, true, [call]),
    ?TRACE:trace_pattern({trace_load_m, h, 1}, true, [local]),
    P ! {call, 1}, receive {P, R1} -> show(result, R1) end,
    show(current, everything()),
    load(5),
    P ! {call, 2}, receive {P, R2} -> show(result, R2) end,
    show(old, everything()),
    P ! leave,
    P ! {call, 3}, receive {P, R3} -> show(result, R3) end,
    show(new, everything()),
    exit(P, kill).

on_load(P) ->
    [begin
         show(How, ?TRACE:trace_pattern(on_load, [{'_', [], [{return_trace}]}], How)),
         load(7),
         run(P, fun calls/0),
         show(How, everything()),
         show(info, [?TRACE:trace_info({trace_load_m, F, 1}, I) || F <- [f, h], I <- [traced, match_spec]]),
         ?TRACE:trace_pattern(on_load, false, How),
         load(8),
         run(P, fun calls/0),
         show(none, everything())
     end || How <- [[local], [global], [meta]]],
    ?TRACE:trace_pattern(on_load, true, [call_count]),
    load(9),
    run(P, fun calls/0),
    show(counts, [?TRACE:trace_info({trace_load_m, F, 1}, call_count) || F <- [f, g, h]]),
    ?TRACE:trace_pattern(on_load, false, [call_count]).

deleted(P) ->
    ?TRACE:trace_pattern({trace_load_m, '_', '_'}, true, [local]),
    ?TRACE:trace_pattern({trace_load_m, f, '_'}, true, [global]),
    code:purge(trace_load_m),
    true = code:delete(trace_load_m),
    show(info, [?TRACE:trace_info({trace_load_m, F, 1}, traced) || F <- [f, h]]),
    {M, Code} = compiled(11),
    code:purge(M),
    {module, M} = code:load_binary(M, "", Code),
    run(P, fun calls/0),
    show(after_delete, everything()).

infos() ->
    [begin
         show({on_load, Spec, How}, ?TRACE:trace_pattern(on_load, Spec, How)),
         show(info, case ?TRACE:trace_info(on_load, all) of
                        {all, false} -> none;
                        {all, Items} -> lists:keydelete(call_time, 1, Items)
                    end)
     end || {Spec, How} <- [{true, [local]}, {[{'_', [], [{return_trace}]}], []}, {true, [call_count]}, {false, [local]},
                            {false, []}, {false, [call_count]}, {true, [global]}, {false, [global]}]],
    show(items, [?TRACE:trace_info(on_load, I) || I <- [traced, match_spec, meta, meta_match_spec, call_count]]).
