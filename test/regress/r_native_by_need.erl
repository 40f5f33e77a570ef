%% Functions whose native code is made when they are called for the first time: by many at once, under breakpoints that are
%% there or come and go meanwhile, and ways between functions that no compiler makes.
-module(r_native_by_need).
-export([main/0]).

main() ->
    [io:format("~w: ~w~n", [Round, [first_under_breakpoints(), first_beside_changes(), first_of_many()]]) ||
        Round <- lists:seq(1, 3)],
    [io:format("~w ~w ~w~n", [Code, X, foreign(Code, X)]) || Code <- [jump, choice, float, own], X <- [1, 2, 3, 7, a, 2.5]],
    io:format("large: ~w~n", [large()]),
    io:format("replaced: ~w~n", [[replaced(N) || N <- lists:seq(1, 5)]]).

-define(FUNCTIONS, 60).

%% f_N(X) -> g_N(X) + N.  g_N(X) -> X * 2.
fresh(Name) ->
    Functions = [[function(name(f, N), [{op, 1, '+', {call, 1, {atom, 1, name(g, N)}, [{var, 1, 'X'}]}, {integer, 1, N}}]),
                  function(name(g, N), [{op, 1, '*', {var, 1, 'X'}, {integer, 1, 2}}])] || N <- lists:seq(1, ?FUNCTIONS)],
    load(Name, [{attribute, 1, module, Name}, {attribute, 1, compile, [export_all, nowarn_export_all, no_spawn_compiler_process]}
               | lists:append(Functions)]).

function(Name, Body) -> {function, 1, Name, 1, [{clause, 1, [{var, 1, 'X'}], [], Body}]}.
name(Letter, N) -> list_to_atom(atom_to_list(Letter) ++ integer_to_list(N)).

load(Name, Forms) ->
    {ok, Name, Beam} = compile:forms(Forms, [binary]),
    {module, Name} = load_binary(Name, Beam),
    Name.

load_binary(Name, Beam) ->
    code:purge(Name),
    code:delete(Name),
    code:purge(Name),
    code:load_binary(Name, "fresh", Beam).

%% Each process calls all, from another one on; what is wrong comes back.
call_all(Module, Who, Times) ->
    Parent = self(),
    Pids = [spawn(fun() -> Parent ! {self(), calls(Module, From, Times)} end) || From <- Who],
    lists:append([receive {Pid, Wrong} -> Wrong end || Pid <- Pids]).

calls(Module, From, Times) ->
    [{N, X} || T <- lists:seq(1, Times), I <- lists:seq(1, ?FUNCTIONS), N <- [(From * 7 + I) rem ?FUNCTIONS + 1],
               X <- [Module:(name(f, N))(T)], X =/= 2 * T + N].

counts(Module) ->
    lists:usort([element(2, erlang:trace_info({Module, name(L, N), 1}, call_count)) ||
                    L <- [f, g], N <- lists:seq(1, ?FUNCTIONS)]).

first_under_breakpoints() ->
    Module = fresh(needed),
    Set = erlang:trace_pattern({Module, '_', '_'}, true, [call_count]),
    Wrong = call_all(Module, [1, 20, 40, 50], 5),
    Counts = counts(Module),
    erlang:trace_pattern({Module, '_', '_'}, false, [call_count]),
    {Set, Wrong, Counts, call_all(Module, [3], 2)}.

%% Patterns go on and off while functions are made. Those that are on at the end count each call from then on.
first_beside_changes() ->
    Module = fresh(needed),
    Parent = self(),
    Changer = spawn(fun() -> change(Module), Parent ! {self(), done} end),
    Wrong = call_all(Module, [1, 30], 3),
    Changer ! stop,
    receive {Changer, done} -> ok end,
    erlang:trace_pattern({Module, '_', '_'}, true, [call_count]),
    Later = call_all(Module, [5, 6], 4),
    Counts = counts(Module),
    erlang:trace_pattern({Module, '_', '_'}, false, [call_count]),
    {Wrong, Later, Counts}.

change(Module) ->
    [erlang:trace_pattern({Module, name(L, N), 1}, On, [call_count]) ||
        On <- [true, false], L <- [g, f], N <- lists:seq(1, ?FUNCTIONS, 3)],
    receive stop -> ok after 0 -> change(Module) end.

first_of_many() ->
    [] = lists:append([call_all(fresh(needed), lists:seq(1, 30), 1) || _ <- lists:seq(1, 3)]).

%% --- ways into the middle of another function ---------------------------------------------------------------------

foreign(Code, X) ->
    F = [{label, 1}, {func_info, {atom, foreign}, {atom, f}, 1}, {label, 2} | into(Code)],
    G = [{label, 3}, {func_info, {atom, foreign}, {atom, g}, 1}, {label, 4}, {move, {atom, called}, {x, 0}}, return,
         {label, 5}, {move, {atom, five}, {x, 0}}, return, {label, 6}, {move, {atom, six}, {x, 0}}, return,
         {label, 7}, {fmove, {fr, 1}, {x, 0}}, return],
    Asm = {foreign, [{f, 1}, {g, 1}], [], [{function, f, 1, 2, F}, {function, g, 1, 4, G}], 10},
    {ok, Beam} = beam_asm:module(Asm, [], [], []),
    case load_binary(foreign, Beam) of
        {module, foreign} -> {[answer(X) || _ <- [1, 2]], foreign:g(X), answer(X)};
        Error -> Error
    end.

answer(X) -> try foreign:f(X) catch Class:Reason -> {Class, Reason} end.

into(jump) -> [{test, is_eq_exact, {f, 5}, [{x, 0}, {integer, 1}]}, {jump, {f, 6}}];
into(choice) ->
    [{select_val, {x, 0}, {f, 1}, {list, [{integer, 1}, {f, 5}, {integer, 2}, {f, 6}, {integer, 3}, {f, 6},
                                          {integer, 7}, {f, 5}]}}];
into(float) ->
    [{test, is_float, {f, 6}, [{x, 0}]}, {fmove, {x, 0}, {fr, 0}}, {bif, fadd, {f, 0}, [{fr, 0}, {fr, 0}], {fr, 1}},
     {test_heap, {alloc, [{words, 0}, {floats, 1}]}, 1}, {jump, {f, 7}}];
into(own) -> [{test, is_integer, {f, 1}, [{x, 0}]}, {call_only, 1, {f, 4}}].

%% --- more instructions than are made while somebody waits ---------------------------------------------------------

large() ->
    Clauses = [{clause, 1, [{integer, 1, N}], [], [{call, 1, {atom, 1, small}, [{integer, 1, N * N}]}]} ||
                  N <- lists:seq(1, 2000)],
    Module = load(large, [{attribute, 1, module, large}, {attribute, 1, export, [{f, 1}, {small, 1}]},
                          {function, 1, f, 1, Clauses}, function(small, [{tuple, 1, [{var, 1, 'X'}]}])]),
    {[Module:f(N) || N <- [1, 2, 1000, 2000]], Module:small(a), try Module:f(0) catch error:E -> E end}.

%% --- both versions ------------------------------------------------------------------------------------------------

replaced(N) ->
    Source = fun(Y) -> [{attribute, 1, module, twice}, {attribute, 1, export, [{f, 1}, {wait, 1}]},
                        function(f, [{tuple, 1, [{var, 1, 'X'}, {integer, 1, Y}, {call, 1, {atom, 1, g}, [{var, 1, 'X'}]}]}]),
                        function(g, [{integer, 1, Y}]),
                        function(wait, [{'receive', 1, [{clause, 1, [{var, 1, 'Pid'}], [],
                                                         [{op, 1, '!', {var, 1, 'Pid'},
                                                           {call, 1, {atom, 1, f}, [{var, 1, 'X'}]}}]}]}])]
             end,
    load(twice, Source(N)),
    P = spawn(twice, wait, [old]),
    receive after 1 -> ok end,
    {ok, twice, Beam} = compile:forms(Source(N + 100), [binary]),
    {module, twice} = code:load_binary(twice, "fresh", Beam),
    New = twice:f(new),
    P ! self(),
    receive Old -> {Old, New} end.
