%% Code is replaced all the time while processes call it, and patterns for new code (on_load) are on: each call is told,
%% in the old code or in the new: by who was just on his way into the old code, and by who was scheduled out at its
%% entry, too. Lost before: some ten calls for each replacement. Once a replacement is answered, nothing is told in the
%% old code any more.
-module(r_trace_replaced_told).
-export([main/0]).

main() ->
    code:purge(?MODULE), % what it takes is loaded before new code is traced
    [all_are_told(Kinds) || Kinds <- [[local], [global], [call_count], [local, call_count], [meta]]],
    [nothing_in_old_code() || _ <- lists:seq(1, 20)],
    erlang:trace_pattern(on_load, false, [local]),
    ok.

all_are_told(Kinds) ->
    Code = code("-module(p).\n-export([f/1]).\nf(C) -> counters:add(C, 1, 1), ok.\n"),
    {module, p} = code:load_binary(p, "p.erl", Code),
    Calls = counters:new(1, []),
    Main = self(),
    Tracer = spawn_link(fun() -> count(0) end),
    set(Kinds, Tracer),
    erlang:trace(all, true, [call, {tracer, Tracer}]),
    Ps = [spawn_link(fun() -> call(Calls, 50000), Main ! {self(), over} end) || _ <- lists:seq(1, 8)],
    Replaced = replace(Code, Ps, 0),
    erlang:trace(all, false, [all]),
    Tracer ! {stop, self()},
    Told = receive {told, N} -> N end,
    set_off(Kinds),
    Expected = case Kinds of [call_count] -> 0; _ -> counters:get(Calls, 1) end,
    io:format("~p: ~p, ~p~n", [Kinds, Told =:= Expected orelse {Told, Expected}, Replaced > 1]).

set([meta], Tracer) ->
    1 = erlang:trace_pattern({p, f, 1}, true, [{meta, Tracer}]),
    erlang:trace_pattern(on_load, true, [{meta, Tracer}]);
set(Kinds, _) ->
    1 = erlang:trace_pattern({p, f, 1}, true, Kinds),
    erlang:trace_pattern(on_load, true, Kinds).

set_off([meta]) -> erlang:trace_pattern(on_load, false, [meta]);
set_off(Kinds) -> erlang:trace_pattern(on_load, false, Kinds).

call(_, 0) -> ok;
call(C, N) ->
    p:f(C),
    receive after 0 -> ok end,
    call(C, N - 1).

replace(_, [], N) -> N;
replace(Code, Ps, N) ->
    Loaded = [code:load_binary(p, "p.erl", Code) || code:soft_purge(p)],
    receive {P, over} -> replace(Code, Ps -- [P], N + length(Loaded)) after 0 -> replace(Code, Ps, N + length(Loaded)) end.

count(N) ->
    receive
        {trace, _, call, {p, f, [_]}} -> count(N + 1);
        {trace_ts, _, call, {p, f, [_]}, _} -> count(N + 1);
        {stop, To} -> last(To, N, erlang:trace_delivered(all))
    end.

last(To, N, Reference) ->
    receive
        {trace, _, call, {p, f, [_]}} -> last(To, N + 1, Reference);
        {trace_ts, _, call, {p, f, [_]}, _} -> last(To, N + 1, Reference);
        {trace_delivered, all, Reference} -> To ! {told, N}
    end.

%% It replaces its own code, and calls functions of what it runs.
nothing_in_old_code() ->
    erlang:trace_pattern(on_load, false, [local]),
    Code = code("-module(q).\n-export([go/1, f/1]).\n"
                "go(Code) -> f(1), {module, q} = code:load_binary(q, \"q.erl\", Code), f(2), f(3), q:f(4), f(5).\n"
                "f(X) -> X + 1.\n"),
    {module, q} = code:load_binary(q, "q.erl", Code),
    1 = erlang:trace_pattern({q, f, 1}, true, [local]),
    erlang:trace_pattern(on_load, true, [local]),
    Main = self(),
    P = spawn_link(fun() -> receive go -> q:go(Code) end, Main ! {self(), gone}, receive stop -> ok end end),
    erlang:trace(P, true, [call]),
    P ! go,
    receive {P, gone} -> ok end,
    Reference = erlang:trace_delivered(P),
    receive {trace_delivered, P, Reference} -> ok end,
    io:format("~p~n", [told()]),
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    code:purge(q).

told() -> receive {trace, _, call, {q, F, [X]}} -> [{F, X} | told()] after 0 -> [] end.

code(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, _, Code} = compile:forms([form(F) || F <- split(Tokens, [])]),
    Code.

form(Tokens) -> {ok, Form} = erl_parse:parse_form(Tokens), Form.

split([], []) -> [];
split([{dot, _} = D | Ts], Have) -> [lists:reverse([D | Have]) | split(Ts, [])];
split([T | Ts], Have) -> split(Ts, [T | Have]).
