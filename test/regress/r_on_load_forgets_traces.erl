%% When an on_load function runs, nothing is traced any more in the code that it is to replace; nor when it fails.
-module(r_on_load_forgets_traces).
-export([main/0, here/1]).

main() ->
    Programs = [{N, code(N)} || N <- [1, 2, 3]],
    {Tracer, _} = spawn_monitor(fun() -> receive stop -> ok end end),
    [kind(Kinds, Programs, Tracer) || Kinds <- [[global], [local], [call_count], [local, call_count, call_time]]],
    on_load([global], Programs, Tracer),
    on_load([local], Programs, Tracer).

kind(Kinds, Programs, Tracer) ->
    load(1, Programs),
    io:format("~p~n", [Kinds]),
    4 = erlang:trace_pattern({r_on_load_code, '_', '_'}, true, Kinds),
    1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
    show("traced"),
    load(2, Programs),
    show("failed"),
    4 = erlang:trace_pattern({r_on_load_code, '_', '_'}, true, Kinds),
    show("traced again"),
    load(3, Programs),
    show("loaded"),
    erlang:trace(self(), false, [call]).

%% New code gets what on_load asks for, as soon as it is there for good.
on_load(Kinds, Programs, Tracer) ->
    load(1, Programs),
    0 = erlang:trace_pattern(on_load, true, Kinds),
    io:format("on_load ~p~n", [Kinds]),
    1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
    [begin load(N, Programs), show(N) end || N <- [1, 2, 2, 3, 2]],
    0 = erlang:trace_pattern(on_load, false, Kinds),
    erlang:trace(self(), false, [call]).

%% Called by the on_load functions.
here(Result) ->
    show("in on_load"),
    Result.

show(When) ->
    Values = [{F, erlang:trace_info({r_on_load_code, F, A}, traced), erlang:trace_info({r_on_load_code, F, A}, call_count),
               r_on_load_code:a()} || {F, A} <- [{a, 0}, {b, 1}]],
    io:format("~p ~p~n", [When, Values]).

load(N, Programs) ->
    {N, Binary} = lists:keyfind(N, 1, Programs),
    code:purge(r_on_load_code),
    io:format("~p~n", [code:load_binary(r_on_load_code, "r_on_load_code.erl", Binary)]).

%% The second's on_load function fails.
code(N) ->
    OnLoad = case N of
                 1 -> [];
                 2 -> ["-on_load(f/0).", "f() -> r_on_load_forgets_traces:here(failed)."];
                 3 -> ["-on_load(f/0).", "f() -> r_on_load_forgets_traces:here(ok)."]
             end,
    Lines = ["-module(r_on_load_code).", "-export([a/0, b/1])."] ++ OnLoad ++
            ["a() -> " ++ integer_to_list(N) ++ ".", "b(X) -> X."],
    Attributes = [form(Line) || Line <- Lines],
    {Before, After} = lists:partition(fun(Form) -> element(1, Form) =:= attribute end, Attributes),
    {ok, _, Binary} = compile:forms(Before ++ After, []),
    Binary.

form(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
