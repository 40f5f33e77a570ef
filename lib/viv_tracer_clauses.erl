%% The functions enabled/3, enabled_call/3, ... of a tracer in Erlang (viv_tracer) as match specifications on
%% {Tag, State, Tracee}: clauses of patterns and guards with `trace`, `discard` or `remove` as results.
%%
%% They come from the attribute `viv_tracer`, which viv_tracer's parse transform puts into a module, or else from the
%% abstract code in the module's file. What cannot be said as a match specification is a problem, told with the clause
%% and the line where it is.
-module(viv_tracer_clauses).
-export([of_module/1, of_forms/1]).

-type program() :: {atom(), [{tuple(), [term()], [trace | discard | remove]}]}.
-type problem() :: string().

%% Those that the module exports.
-spec of_module(module()) -> {ok, [program()]} | {error, [problem()]}.
of_module(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> exported(Module, [F || F <- [{enabled, 3}, {trace, 5}], not is_exported(Module, F)]);
        {error, Reason} -> {error, [text("it cannot be loaded: ~w", [Reason])]}
    end.

is_exported(Module, {Name, Arity}) -> erlang:function_exported(Module, Name, Arity).

exported(Module, []) ->
    case recorded(Module) of
        {ok, Programs} -> {ok, [P || {Name, _} = P <- Programs, is_exported(Module, {Name, 3})]};
        {error, Problems} -> {error, Problems}
    end;
exported(_, Missing) -> {error, [text("~w/~w is not exported", [Name, Arity]) || {Name, Arity} <- Missing]}.

recorded(Module) ->
    case lists:keyfind(viv_tracer, 1, Module:module_info(attributes)) of
        {viv_tracer, [Result]} -> Result;
        _ -> of_file(Module, code:which(Module))
    end.

%% The code that runs may be another than the file's.
of_file(Module, File) when is_list(File), File =/= [] ->
    Running = Module:module_info(md5),
    case beam_lib:chunks(File, [abstract_code]) of
        {ok, {_, [{abstract_code, {_, Forms}}]}} ->
            case beam_lib:md5(File) of
                {ok, {_, Running}} -> of_forms(Forms);
                _ -> {error, [text("~ts is not what is loaded", [File])]}
            end;
        _ -> {error, [text("~ts has no abstract code: compile it with debug_info", [File])]}
    end;
of_file(_, _) -> {error, ["it has no file to read its clauses from: compile it with {parse_transform, viv_tracer}"]}.

-spec of_forms([erl_parse:abstract_form()]) -> {ok, [program()]} | {error, [problem()]}.
of_forms(Forms) ->
    {Programs, Problems} =
        lists:unzip([program(Name, Abstract) || {function, _, Name, 3, Abstract} <- without_records(Forms),
                                                lists:member(Name, names())]),
    case lists:append(Problems) of
        [] -> {ok, Programs};
        Some -> {error, Some}
    end.

names() -> [enabled, enabled_call, enabled_garbage_collection, enabled_ports, enabled_procs, enabled_receive,
            enabled_running_ports, enabled_running_procs, enabled_send].

%% In a parse transform the forms may be wrong: the compiler says so afterwards.
without_records(Forms) ->
    case [R || {attribute, _, record, _} = R <- Forms] of
        [] -> Forms;
        _ -> try erl_expand_records:module(Forms, []) catch _:_ -> Forms end
    end.

program(Name, Abstract) ->
    Numbered = lists:zip(lists:seq(1, length(Abstract)), Abstract),
    {Clauses, Problems} = lists:unzip([clause(Name, Number, Clause) || {Number, Clause} <- Numbered]),
    {{Name, lists:append(Clauses)}, lists:append(Problems)}.

clause(Name, Number, {clause, Anno, Patterns, Guards, Body}) ->
    try
        {Head, Names} = head(Patterns),
        Result = result(Body),
        {[checked(Anno, {Head, [guard(E, Names) || E <- Guard], [Result]}) || Guard <- alternatives(Guards)], []}
    catch
        throw:{problem, Where, Text} ->
            Line = erl_anno:line(case Where of here -> Anno; _ -> Where end),
            {[], [text("~w/3, clause ~w, line ~w: ~ts", [Name, Number, Line, Text])]}
    end.

-spec problem(erl_anno:anno() | here, string(), [term()]) -> no_return().
problem(Anno, Format, Arguments) -> throw({problem, Anno, text(Format, Arguments)}).

text(Format, Arguments) -> lists:flatten(io_lib:format(Format, Arguments)).

alternatives([]) -> [[]];
alternatives(Guards) -> Guards.

%% What a release does not know in guards it refuses itself.
checked(Anno, Clause) ->
    case ets:test_ms({tag, state, tracee}, [Clause]) of
        {ok, _} -> Clause;
        {error, Reasons} -> problem(Anno, "~ts", [lists:join("; ", [Text || {error, Text} <- Reasons])])
    end.

result([{atom, _, Answer}]) when Answer =:= trace; Answer =:= discard; Answer =:= remove -> Answer;
result([Expression | _]) ->
    problem(element(2, Expression), "the result is not just one of trace, discard and remove", []).

%% A whole argument may have names beside its pattern: guards find it as the element that it is.
head(Patterns) ->
    {Head, Names} = lists:mapfoldl(fun argument/2, #{}, lists:zip([1, 2, 3], Patterns)),
    {list_to_tuple(Head), Names}.

argument({N, {match, Anno, _, _} = Match}, Names) ->
    {Aliases, Pattern} = together(Match),
    case [Name || Name <- Aliases, is_map_key(Name, Names)] of
        [] -> pattern(Pattern, maps:merge(Names, maps:from_list([{Name, {element, N, '$_'}} || Name <- Aliases])));
        [Name | _] -> problem(Anno, "~ts is matched with a pattern and in another place", [Name])
    end;
argument({_, Pattern}, Names) -> pattern(Pattern, Names).

%% What is matched with several patterns at once: its names, and the patterns as one.
together({match, Anno, Left, Right}) ->
    {Names1, Pattern1} = together(Left),
    {Names2, Pattern2} = together(Right),
    {Names1 ++ Names2, merge(Anno, Pattern1, Pattern2)};
together({var, Anno, Name}) when Name =/= '_' -> {[Name], {var, Anno, '_'}};
together(Pattern) -> {[], Pattern}.

merge(_, {var, _, '_'}, Pattern) -> Pattern;
merge(_, Pattern, {var, _, '_'}) -> Pattern;
merge(_, {atom, _, Atom} = Pattern, {atom, _, Atom}) -> Pattern;
merge(Anno, {tuple, _, Left}, {tuple, _, Right}) when length(Left) =:= length(Right) ->
    {tuple, Anno, [merge(Anno, L, R) || {L, R} <- lists:zip(Left, Right)]};
merge(Anno, _, _) -> problem(Anno, "two patterns for one place cannot be said as a match specification", []).

pattern({var, _, '_'}, Names) -> {'_', Names};
pattern({var, Anno, Name}, Names) ->
    case Names of
        #{Name := Variable} when is_atom(Variable) -> {Variable, Names};
        #{Name := _} -> problem(Anno, "~ts is matched with a pattern and in another place", [Name]);
        #{} -> bind(Name, list_to_atom([$$ | integer_to_list(1 + map_size(Names))]), Names)
    end;
pattern({atom, Anno, Atom}, Names) ->
    case is_special(Atom) of
        true -> problem(Anno, "the atom ~w has a meaning of its own in match specifications", [Atom]);
        false -> {Atom, Names}
    end;
pattern({nil, _}, Names) -> {[], Names};
pattern({cons, _, Head, Tail}, Names) ->
    {H, Names1} = pattern(Head, Names),
    {T, Names2} = pattern(Tail, Names1),
    {[H | T], Names2};
pattern({tuple, _, Elements}, Names) ->
    {Es, Names1} = lists:mapfoldl(fun pattern/2, Names, Elements),
    {list_to_tuple(Es), Names1};
pattern({map, _, Fields}, Names) ->
    {Pairs, Names1} = lists:mapfoldl(fun field/2, Names, Fields),
    {maps:from_list(Pairs), Names1};
pattern({op, _, '++', {string, _, Text}, Tail}, Names) ->
    {T, Names1} = pattern(Tail, Names),
    {Text ++ T, Names1};
pattern({match, Anno, _, _} = Match, Names) ->
    case together(Match) of
        {[], Pattern} -> pattern(Pattern, Names);
        {[Name | _], _} -> problem(Anno, "~ts is matched with a pattern: only a whole argument can be", [Name])
    end;
pattern(Other, Names) -> {constant(Other, "this pattern"), Names}.

bind(Name, Variable, Names) -> {Variable, Names#{Name => Variable}}.

field({map_field_exact, _, Key, Pattern}, Names) ->
    {P, Names1} = pattern(Pattern, Names),
    {{key(Key), P}, Names1}.

key({atom, _, Atom}) -> Atom;
key(Key) -> constant(Key, "a key that is no constant").

is_special(Atom) -> Atom =:= '_' orelse hd(atom_to_list(Atom) ++ ".") =:= $$.

%% Numbers, texts, binaries, and what of these can be computed.
constant(Expression, What) ->
    case erl_eval:partial_eval(Expression) of
        {Kind, _, Value} when Kind =:= integer; Kind =:= float; Kind =:= char; Kind =:= string -> Value;
        {bin, Anno, _} = Binary ->
            try erl_eval:expr(Binary, []) of
                {value, Value, _} -> Value
            catch
                _:_ -> problem(Anno, "a binary can only be matched or made whole", [])
            end;
        {op, _, '-', Number} -> -constant(Number, What);
        {op, _, '+', Number} -> constant(Number, What);
        _ -> problem(element(2, Expression), "~ts cannot be said as a match specification", [What])
    end.

guard({var, _, Name}, Names) -> maps:get(Name, Names);
guard({atom, _, Atom}, _) ->
    case is_special(Atom) of
        true -> {const, Atom};
        false -> Atom
    end;
guard({nil, _}, _) -> [];
guard({cons, _, Head, Tail}, Names) -> [guard(Head, Names) | guard(Tail, Names)];
guard({tuple, _, Elements}, Names) -> {list_to_tuple([guard(E, Names) || E <- Elements])};
guard({map, _, Fields}, Names) ->
    maps:from_list([{guard(Key, Names), guard(Value, Names)} || {map_field_assoc, _, Key, Value} <- Fields]);
guard({op, _, Operator, Argument}, Names) -> {Operator, guard(Argument, Names)};
guard({op, _, Operator, A, B}, Names) -> {Operator, guard(A, Names), guard(B, Names)};
guard({call, Anno, {remote, _, {atom, _, erlang}, Function}, Arguments}, Names) ->
    guard({call, Anno, Function, Arguments}, Names);
guard({call, Anno, {atom, _, self}, []}, _) -> problem(Anno, "self() is nobody where the question is asked", []);
guard({call, _, {atom, _, Name}, Arguments}, Names) -> list_to_tuple([Name | [guard(A, Names) || A <- Arguments]]);
guard(Other, _) -> constant(Other, "this guard").
