%% erts_debug:breakpoint/2, as a debugger uses it: a call of the function, local or not, goes to breakpoint/3 of the
%% caller's error handler. Traces of the function are told as well, and neither knows of the other.
-module(r_debug_breakpoint).
-export([main/0, breakpoint/3, undefined_function/3, f/2, g/1]).

main() ->
    process_flag(error_handler, ?MODULE),
    ask("set", fun() -> erts_debug:breakpoint({?MODULE, f, 2}, true) end),
    calls(),
    [ask(Name, fun() -> element(2, erlang:trace_info({?MODULE, f, 2}, Item)) end)
     || {Name, Item} <- [{"info", traced}, {"spec", match_spec}, {"count", call_count}]],
    traced([local]),
    counted(),
    many(1000),
    traced([global]),
    ask("set again", fun() -> erts_debug:breakpoint({?MODULE, f, 2}, true) end),
    calls(),
    traced_before(),
    ask("away", fun() -> erts_debug:breakpoint({?MODULE, f, 2}, false) end),
    calls(),
    refused(),
    replaced().

calls() ->
    ask("local", fun() -> f(id(1), [id(2)]) end),
    ask("remote", fun() -> ?MODULE:f(id(1), [id(2)]) end),
    ask("applied", fun() -> apply(?MODULE, id(f), [1, {2}]) end),
    ask("fun", fun() -> (fun f/2)(1, 2) end),
    ask("external", fun() -> (fun ?MODULE:f/2)(1, 2) end),
    ask("other", fun() -> g(1) end).

traced(Kinds) ->
    1 = erlang:trace_pattern({?MODULE, f, 2}, [{'_', [], [{return_trace}]}], Kinds),
    tell(Kinds),
    1 = erlang:trace_pattern({?MODULE, f, 2}, false, Kinds),
    tell(nothing).

traced_before() ->
    1 = erts_debug:breakpoint({?MODULE, f, 2}, false),
    1 = erlang:trace_pattern({?MODULE, f, 2}, true, [global]),
    1 = erts_debug:breakpoint({?MODULE, f, 2}, true),
    tell(before),
    1 = erlang:trace_pattern({?MODULE, f, 2}, false, [global]),
    tell(nothing).

%% What somebody is told who traces the calls.
tell(Kinds) ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        process_flag(error_handler, ?MODULE),
        receive go -> ask(Kinds, fun() -> {f(a, b), ?MODULE:f(c, d)} end) end
    end),
    1 = erlang:trace(Pid, true, [call]),
    Pid ! go,
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    io:format("told ~p~n", [told()]).

told() ->
    receive
        {trace, _, What, Mfa} -> [{What, Mfa} | told()];
        {trace, _, What, Mfa, Value} -> [{What, Mfa, Value} | told()]
    after 0 -> []
    end.

counted() ->
    1 = erlang:trace_pattern({?MODULE, f, 2}, true, [call_count]),
    [f(N, N) || N <- lists:seq(1, 5)],
    ask("counted", fun() -> erlang:trace_info({?MODULE, f, 2}, call_count) end),
    1 = erlang:trace_pattern({?MODULE, f, 2}, false, [call_count]).

%% Not in tail position, and with things to collect.
many(0) -> [];
many(N) ->
    Result = id(?MODULE:f({N, id(a)}, [N | id([b, c])])),
    Rest = many(N - 1),
    {instead, ?MODULE, f, [{N, a}, [N, b, c]]} = Result,
    [Result | Rest].

refused() ->
    [ask(Arguments, fun() -> apply(erts_debug, breakpoint, Arguments) end)
     || Arguments <- [[{?MODULE, f, 2}, maybe], [{?MODULE, f}, true], [{?MODULE, '_', 2}, true], [f, true],
                      [{'_', f, 2}, true], [{?MODULE, f, a}, true], [{?MODULE, f, -1}, true], [{?MODULE, f, 7}, true],
                      [{?MODULE, f, 300}, true], [{r_no_such_module, '_', '_'}, true], [{1, 2, 3}, false]]].

%% New code has none of them.
replaced() ->
    load(r_debug_code, 1),
    ask("all", fun() -> erts_debug:breakpoint({r_debug_code, '_', '_'}, true) end),
    ask("old", fun() -> r_debug_code:f() end),
    load(r_debug_code, 2),
    ask("new", fun() -> r_debug_code:f() end),
    ask("all", fun() -> erts_debug:breakpoint({r_debug_code, '_', '_'}, false) end).

load(Module, N) ->
    Forms = [{attribute, 1, module, Module}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{integer, 1, N}]}]}],
    {ok, Module, Binary} = compile:forms(Forms, []),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "r_debug_code.erl", Binary).

ask(What, Fun) ->
    Answer = try Fun() catch Class:Reason -> {Class, Reason} end,
    io:format("~p ~p~n", [What, Answer]).

breakpoint(Module, Function, Arguments) -> {instead, Module, Function, Arguments}.

undefined_function(Module, Function, Arguments) -> error_handler:undefined_function(Module, Function, Arguments).

%% The compiler must not know what it returns: what is called in its place returns something else.
f(A, B) -> ?MODULE:g({f, A, B}).
g(A) -> {g, A}.
id(X) -> X.
