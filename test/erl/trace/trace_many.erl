%% Patterns that cover many functions at once: so many that what comes after the change is done in several pieces. They
%% are switched while the functions run, and a traced module of many functions is replaced. Patterns of all functions of
%% a module and of single ones come and go in turns.
-module(trace_many).
-export([main/0]).
-export([calls/1]).

-define(FUNCTIONS, 3500).

main() ->
    Modules = [M || M <- [lists, maps, gen_server, erl_parse, erl_scan, erl_lint, io_lib, io_lib_pretty, dict, ets, qlc,
                          edlin, epp, erl_eval, gb_sets, gb_trees, sets, string, unicode_util, zip, beam_lib, dets],
                    {module, M} =:= code:ensure_loaded(M)],
    io:format("modules ~b~n", [length(Modules)]),
    Caller = spawn_link(?MODULE, calls, [0]),
    [switch() || _ <- lists:seq(1, 5)],
    Caller ! {stop, self()},
    receive {Caller, Calls} -> io:format("calls ~p~n", [Calls > 0]) end,
    Codes = [code(V) || V <- [1, 2]],
    replaced(Codes),
    mixed(Codes).

%% All functions on and off. While they are on, the calls of a process are told. Modules may have come meanwhile.
switch() ->
    Count = erlang:trace_pattern({'_', '_', '_'}, true, [local]),
    Tracee = spawn_link(fun() -> receive go -> gb_trees:from_orddict([{1, a}]) end end),
    1 = erlang:trace(Tracee, true, [call]),
    Tracee ! go,
    Told = receive {trace, Tracee, call, {gb_trees, from_orddict, _} = Call} -> Call after 60000 -> none end,
    Off = erlang:trace_pattern({'_', '_', '_'}, false, [local]),
    drain(),
    io:format("~p ~p ~p~n", [Count > 3000, Off >= Count, Told]).

drain() ->
    receive {trace, _, _, _} -> drain() after 0 -> ok end.

calls(N) ->
    [1, 2, 3] = lists:sort([3, 1, 2]),
    {ok, [{atom, 1, a}], 1} = erl_scan:string("a"),
    receive
        {stop, From} -> From ! {self(), N + 1}
    after 0 -> calls(N + 1)
    end.

%% What is traced by hand goes with the code; what on_load wants comes with it.
replaced([First, Second]) ->
    load(First),
    Here = erlang:trace_pattern({many, '_', '_'}, true, [local]),
    load(Second),
    io:format("~p ~p ~p~n", [Here >= ?FUNCTIONS, erlang:trace_info({many, f7, 0}, traced), many:f7()]),
    0 = erlang:trace_pattern(on_load, true, [local]),
    load(First),
    io:format("~p ~p~n", [erlang:trace_info({many, f7, 0}, traced), many:f7()]),
    load(Second),
    0 = erlang:trace_pattern(on_load, false, [local]),
    io:format("~p ~p~n", [erlang:trace_info({many, f3499, 0}, traced), many:f3499()]),
    Here = erlang:trace_pattern({many, '_', '_'}, false, [local]),
    io:format("~p ~p~n", [erlang:trace_info({many, f3499, 0}, traced), many:f3499()]).

%% What is left of the one is where the other comes.
mixed([First, Second]) ->
    load(First),
    [begin
         is_integer(Change) andalso load(element(Change, {First, Second})),
         is_tuple(Change) andalso changed(Change),
         _ = [many:F() || F <- [f1, f2, f3, f3499]],
         Infos = [element(2, erlang:trace_info({many, F, 0}, Item)) || F <- [f1, f2, f3, f3499],
                                                                       Item <- [traced, call_count, meta]],
         io:format("~p ~0p~n", [Change, [case Info of Me when Me =:= self() -> me; _ -> Info end || Info <- Infos]])
     end || Change <- [{f1, true, call_count}, {'_', true, local}, {'_', false, local}, {f2, true, call_count},
                       {'_', true, call_count}, {'_', true, meta}, {'_', false, call_count}, {f3, true, call_count},
                       {'_', false, meta}, {'_', true, local}, {'_', false, call_count}, {f3, false, local},
                       {f3, true, call_count}, {'_', false, local}, 2, {f1, true, local}, {'_', true, call_count},
                       {'_', pause, call_count}, {f1, false, local}, 1, {'_', true, global}, {f2, true, call_count},
                       {'_', restart, call_count}, {'_', false, global}, {'_', false, call_count}]],
    drain().

changed({Function, Verb, Kind}) ->
    Here = erlang:trace_pattern({many, Function, '_'}, Verb, [case Kind of meta -> {meta, self()}; _ -> Kind end]),
    true = Here =:= 1 orelse Here >= ?FUNCTIONS.

load(Code) ->
    _ = code:purge(many),
    {module, many} = code:load_binary(many, "", Code).

code(Version) ->
    Names = [list_to_atom("f" ++ integer_to_list(I)) || I <- lists:seq(0, ?FUNCTIONS - 1)],
    {ok, many, Code} = compile:forms(
        [{attribute, 1, module, many}, {attribute, 1, export, [{Name, 0} || Name <- Names]}] ++
        [{function, 1, Name, 0, [{clause, 1, [], [], [{tuple, 1, [{atom, 1, Name}, {integer, 1, Version}]}]}]}
         || Name <- Names] ++ [{eof, 1}], []),
    Code.
