%% Choices among many values: of integers, dense, with gaps, negative, beyond 32 bits; of atoms, of both; of the sizes of
%% tuples. Each value is asked for, its neighbours, and what is no such value; from arguments, variables that outlive a
%% call, and arguments beyond those that short code names.
-module(r_choices).
-export([main/0]).

-define(COUNTS, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 31, 33, 63, 64, 65, 66, 200]).

main() ->
    [choices(Name, [F(N) || N <- lists:seq(1, Count)])
     || Count <- ?COUNTS, {Name, F} <- kinds(), Count =< most(Name)],
    arities(),
    tagged().

most(wide) -> 66;
most(_) -> 200.

kinds() ->
    [{dense, fun(N) -> N end}, {negative, fun(N) -> 3 - N end}, {gaps, fun(N) -> N * 2 + N rem 2 end},
     {sparse, fun(N) -> (N * N - 40) * 37 end}, {wide, fun(N) -> (N - 8) bsl (N rem 50) end},
     {bounds, fun(N) -> (1 bsl 28) - 5 + N end}, {below, fun(N) -> -(1 bsl 28) - 5 + N end},
     {words, fun(N) -> (1 bsl 59) - 1 - N * 8 end}, {bigs, fun(N) -> (1 bsl 59) - 3 + N end},
     {atoms, fun atom/1}, {mixed, fun(N) when N rem 2 =:= 0 -> atom(N); (N) -> N end},
     {nil, fun(1) -> []; (N) -> atom(N) end}, {floats, fun(N) when N rem 3 =:= 0 -> N + 0.5; (N) -> N end}].

atom(N) -> list_to_atom("choice_" ++ integer_to_list(N * 7919 rem 1009)).

choices(Name, Values) ->
    Unique = lists:usort(Values),
    Module = load([{V, I} || {V, I} <- lists:zip(Unique, lists:seq(1, length(Unique)))]),
    Asked = Unique ++ lists:append([near(V) || V <- Unique]) ++ others(),
    Answers = [[Module:F(V) || V <- Asked] || F <- [argument, kept, spilled]],
    Wide = [apply(Module, beyond, lists:duplicate(20, none) ++ [V]) || V <- Asked],
    [Same, Same, Same] = Answers,
    Same = Wide,
    io:format("~p ~p: ~w ~0p~n", [Name, length(Unique), erlang:phash2(Same), lists:sublist(Same, 12)]).

near(V) when is_integer(V) -> [V - 1, V + 1, -V, V bsl 32, V + (1 bsl 32), V * 8, float(V), V bor (1 bsl 61)];
near(V) -> [{V}, [V], atom_to_list_of(V)].

atom_to_list_of(V) when is_atom(V) -> atom_to_list(V);
atom_to_list_of(V) -> V.

others() ->
    [0, -1, 1 bsl 40, 1 bsl 64, -(1 bsl 64), 1.5, [], {}, <<>>, #{}, self(), make_ref(), fun() -> ok end, an_atom_of_no_choice,
     [1 | 2], "text", {1, 2}].

%% --- modules made for them ---

load(Choices) ->
    Module = r_choices_made,
    Forms = [{attribute, 1, module, Module},
             {attribute, 1, export, [{argument, 1}, {kept, 1}, {spilled, 1}, {beyond, 21}, {same, 1}]},
             function(argument, [var('V')], [chosen(Choices)]),
             function(same, [var('V')], [var('V')]),
             function(kept, [var('V')],
                      [{match, 1, var('S'), {call, 1, {remote, 1, {atom, 1, Module}, {atom, 1, same}}, [var('V')]}},
                       {match, 1, var('C'), chosen(Choices)}, both(Module)]),
             function(spilled, [var('V')],
                      [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, get}}, [var('V')]},
                       {match, 1, var('S'), {call, 1, {remote, 1, {atom, 1, Module}, {atom, 1, same}}, [var('V')]}},
                       {match, 1, var('C'), chosen(Choices)}, both(Module)]),
             function(beyond, [var(list_to_atom("A" ++ integer_to_list(N))) || N <- lists:seq(1, 20)] ++ [var('V')],
                      [chosen(Choices)])],
    {ok, Module, Binary} = compile:forms(Forms, [nowarn_unused_vars]),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "made", Binary),
    Module.

var(Name) -> {var, 1, Name}.

function(Name, Arguments, Body) -> {function, 1, Name, length(Arguments), [{clause, 1, Arguments, [], Body}]}.

%% The value, as it was, and what was chosen: {S, V, C} with S and V equal.
both(Module) ->
    {call, 1, {remote, 1, {atom, 1, Module}, {atom, 1, same}},
     [{'case', 1, {op, 1, '=:=', var('S'), var('V')}, [{clause, 1, [{atom, 1, true}], [], [var('C')]}]}]}.

chosen(Choices) ->
    {'case', 1, var('V'),
     [{clause, 1, [erl_parse:abstract(V)], [], [{tuple, 1, [{atom, 1, found}, {integer, 1, I}]}]} || {V, I} <- Choices] ++
         [{clause, 1, [var('_')], [], [{atom, 1, none}]}]}.

%% --- tuples ---

arities() ->
    [begin
         Forms = [{attribute, 1, module, r_choices_made}, {attribute, 1, export, [{size, 1}, {kept, 2}]},
                  function(size, [var('V')], [by_size(Sizes)]),
                  function(kept, [var('V'), var('K')],
                           [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, get}}, [var('K')]}, by_size(Sizes)])],
         {ok, Module, Binary} = compile:forms(Forms, [nowarn_unused_vars]),
         code:purge(Module),
         {module, Module} = code:load_binary(Module, "made", Binary),
         Asked = [list_to_tuple(lists:seq(1, N)) || N <- lists:seq(0, 80)] ++ others(),
         Same = [Module:size(T) || T <- Asked],
         Same = [Module:kept(T, key) || T <- Asked],
         io:format("sizes ~w: ~w~n", [Sizes, erlang:phash2(Same)])
     end || Sizes <- [[1, 2], [0, 1, 2], [2, 3, 5, 7], lists:seq(1, 9), lists:seq(3, 20, 2), lists:seq(0, 70)]].

by_size(Sizes) ->
    {'case', 1, var('V'),
     [{clause, 1, [{tuple, 1, [var('_') || _ <- lists:seq(1, N)]}], [], [{integer, 1, N}]} || N <- Sizes] ++
         [{clause, 1, [var('_')], [], [{atom, 1, none}]}]}.

%% --- calls of choices that are traced, and exchanged while somebody is within ---

tagged() ->
    Module = load([{atom(N), N} || N <- lists:seq(1, 20)]),
    Tracer = spawn_link(fun() -> count(0) end),
    1 = erlang:trace_pattern({Module, argument, 1}, [{'_', [], [{return_trace}]}], [local]),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    All = [Module:argument(atom(N)) || N <- lists:seq(1, 25)],
    erlang:trace(self(), false, [call]),
    Delivered = erlang:trace_delivered(self()),
    receive {trace_delivered, _, Delivered} -> ok end,
    Tracer ! {self(), tell},
    Count = receive {Tracer, Told} -> Told end,
    io:format("traced ~p ~p~n", [Count, All]).

count(N) ->
    receive
        {From, tell} -> From ! {self(), N};
        Message when element(1, Message) =:= trace -> count(N + 1)
    end.
