%% Patterns of calls as one writes Erlang, as what trace:function/4 takes.
%%
%%   m:f(X, {ok, Y}) when X > 100    calls with arguments that match
%%   m:f/2    m:f    m:_             a function, those of the name, all of the module
%%
%% Arguments are patterns of variables, literals, lists and tuples, which may have a name (A = {x, _}); the guard is one
%% of Erlang's. Each alternative of it (`;`) is a clause of the specification, so that one that fails does not stand in
%% the way of the next.
-module(viv_see_pattern).
-export([parse/1, expression/2, atoms/1, show/2]).
-export_type([pattern/0, mistake/0]).

-type pattern() :: {Module :: atom(), Function :: atom(), arity() | '_',
                    [{Head :: [term()] | '_', Conditions :: [term()]}]}.
-type mistake() :: {Column :: pos_integer(), Text :: binary()}.

-spec parse(string()) -> {ok, pattern()} | {error, mistake()}.
parse(Text) ->
    try
        {Pattern, _} = pattern(scan(Text)),
        {ok, Pattern}
    catch
        throw:{mistake, Column, Format, Arguments} ->
            {error, {Column, unicode:characters_to_binary(io_lib:format(Format, Arguments))}}
    end.

%% An expression as guards have them, over the variables of a pattern that is one.
-spec expression(string(), string()) -> {ok, term()} | {error, mistake()}.
expression(Text, Pattern) ->
    {_, Variables} = pattern(scan(Pattern)),
    try
        case erl_parse:parse_exprs(scan(Text)) of
            {ok, [Form]} -> {ok, condition(Form, Variables)};
            {ok, [_, Other | _]} -> mistake(element(2, Other), "one expression is enough", []);
            {error, Error} -> unparsed(Error, length(Text) + 1)
        end
    catch
        throw:{mistake, Column, Format, Arguments} ->
            {error, {Column, unicode:characters_to_binary(io_lib:format(Format, Arguments))}}
    end.

%% The text, and a mark under the place.
-spec show(string(), mistake()) -> iodata().
show(Text, {Column, Why}) ->
    [Text, $\n, lists:duplicate(Column - 1, $\s), "^ ", Why].

scan(Text) ->
    case erl_scan:string(Text, {1, 1}) of
        {ok, Tokens, {_, End}} -> Tokens ++ [{dot, {1, End}}];
        {error, {Location, Module, Why}, _} -> mistake(Location, "~ts", [Module:format_error(Why)])
    end.

-spec mistake(term(), string(), [term()]) -> no_return().
mistake({_, Column}, Format, Arguments) -> throw({mistake, Column, Format, Arguments});
mistake(Anno, Format, Arguments) -> mistake({1, column(Anno)}, Format, Arguments).

column(Anno) ->
    case erl_anno:column(Anno) of
        undefined -> 1;
        Column -> Column
    end.

location(Token) -> element(2, Token).

pattern([{atom, _, Module}, {':', _} | Rest]) -> function(Module, Rest);
pattern([{atom, _, _}, Other | _]) -> mistake(location(Other), "a module's name is followed by `:`", []);
pattern([{var, Where, '_'} | _]) -> mistake(Where, "the module has to be named", []);
pattern([Other | _]) -> mistake(location(Other), "a pattern begins with the name of a module", []).

function(Module, [{atom, _, Name} | Rest]) -> arguments(Module, Name, Rest);
function(Module, [{var, _, '_'}, {dot, _}]) -> {{Module, '_', '_', [{'_', []}]}, #{}};
function(_, [{var, _, '_'}, Other | _]) -> mistake(location(Other), "nothing comes behind `_`, all functions", []);
function(_, [Other | _]) -> mistake(location(Other), "here stands the name of a function, or `_` for all", []).

arguments(Module, Name, [{dot, _}]) -> {{Module, Name, '_', [{'_', []}]}, #{}};
arguments(Module, Name, [{'/', _}, {integer, _, Arity}, {dot, _}]) when Arity < 256 ->
    {{Module, Name, Arity, [{'_', []}]}, #{}};
arguments(Module, Name, [{'/', _}, {var, _, '_'}, {dot, _}]) ->
    {{Module, Name, '_', [{'_', []}]}, #{}};
arguments(_, _, [{'/', _}, {integer, _, Arity}, Other | _]) when Arity < 256 ->
    mistake(location(Other), "nothing comes behind the arity", []);
arguments(_, _, [{'/', _}, Other | _]) -> mistake(location(Other), "here stands an arity, 0 to 255", []);
arguments(Module, Name, [{'(', Where} | _] = Tokens) -> clause(Module, Name, Where, Tokens);
arguments(_, _, [Other | _]) -> mistake(location(Other), "here stand arguments in parentheses, or an arity: /2", []).

%% What stands between the parentheses, and the guard, as Erlang's own parser reads it: as a fun's.
clause(Module, Name, Where, Tokens) ->
    {Own, [{dot, End}]} = lists:split(length(Tokens) - 1, Tokens),
    Fun = [{'fun', Where} | Own] ++ [{'->', End}, {atom, End, ok}, {'end', End}, {dot, End}],
    case erl_parse:parse_exprs(Fun) of
        {ok, [{'fun', _, {clauses, [{clause, _, Arguments, Guards, _}]}}]} ->
            {Head, Variables} = heads(Arguments, #{}),
            Clauses = [{Head, conditions(Guard, Variables)} || Guard <- alternatives(Guards)],
            {{Module, Name, length(Head), Clauses}, Variables};
        {ok, _} -> mistake(Where, "this is no call", []);
        {error, Error} -> unparsed(Error, column(End))
    end.

%% Where it ends there are tokens that nobody has written.
unparsed({Location, Parser, Why}, End) ->
    case erl_anno:column(erl_anno:new(Location)) of
        Column when Column >= End; Column =:= undefined -> mistake({1, End}, "it ends too early", []);
        _ -> mistake(Location, "~ts", [Parser:format_error(Why)])
    end.

alternatives([]) -> [[]];
alternatives(Guards) -> Guards.

%% --- arguments ------------------------------------------------------------------------------------------------------

heads(Forms, Variables) -> lists:mapfoldl(fun head/2, Variables, Forms).

head({var, _, '_'}, Variables) -> {'_', Variables};
head({var, _, Name}, Variables) when is_map_key(Name, Variables) -> {map_get(Name, Variables), Variables};
head({var, _, Name}, Variables) ->
    Variable = list_to_atom("$" ++ integer_to_list(map_size(Variables) + 1)),
    {Variable, Variables#{Name => Variable}};
head({nil, _}, Variables) -> {[], Variables};
head({cons, _, First, Rest}, Variables) ->
    {Head, More} = head(First, Variables),
    {Tail, All} = head(Rest, More),
    {[Head | Tail], All};
head({tuple, _, Elements}, Variables) ->
    {Heads, All} = heads(Elements, Variables),
    {list_to_tuple(Heads), All};
head({atom, Where, Atom}, Variables) ->
    is_plain(Atom) orelse mistake(Where, "~tw cannot be matched: it means something else there", [Atom]),
    {Atom, Variables};
head({match, _, {var, _, '_'}, Form}, Variables) -> head(Form, Variables);
head({match, _, {var, _, Name}, Form}, Variables) when Name =/= '_', not is_map_key(Name, Variables) ->
    {Head, More} = head(named(Form), Variables),
    is_map_key(Name, More) andalso mistake(element(2, Form), "~ts is in its own pattern", [Name]),
    {Head, More#{Name => Head}};
head({match, Where, Form, {var, _, _} = Var}, Variables) when element(1, Form) =/= var ->
    head({match, Where, Var, Form}, Variables);
head({match, Where, _, _}, _) -> mistake(Where, "beside a pattern only a new variable can stand", []);
head(Form, Variables) -> {literal(Form), Variables}.

%% What has a name as a whole is built of its parts where the name is used, as specifications have no such names: so
%% each part needs one. Erlang has no variable that is a tuple.
named({var, Where, '_'}) -> {var, Where, {erl_anno:location(Where)}};
named({cons, Where, First, Rest}) -> {cons, Where, named(First), named(Rest)};
named({tuple, Where, Elements}) -> {tuple, Where, [named(Element) || Element <- Elements]};
named({match, Where, Left, Right}) -> {match, Where, named(Left), named(Right)};
named(Form) -> Form.

literal(Form) ->
    try erl_parse:normalise(Form) of
        Map when is_map(Map) -> mistake(element(2, Form), "maps cannot be matched here: ask for parts in a guard", []);
        Term -> Term
    catch
        error:_ -> mistake(element(2, Form), "this cannot be matched: variables, literals, lists and tuples can", [])
    end.

%% Not `_`, nor `$1`, nor `$_`.
is_plain('_') -> false;
is_plain(Atom) -> hd(atom_to_list(Atom) ++ " ") =/= $$.

%% --- guards ---------------------------------------------------------------------------------------------------------

conditions(Guard, Variables) -> [condition(Test, Variables) || Test <- Guard].

condition({var, Where, '_'}, _) -> mistake(Where, "`_` has no value", []);
condition({var, Where, Name}, Variables) ->
    case Variables of
        #{Name := Head} -> built(Head);
        #{} -> mistake(Where, "~ts is none of the arguments", [Name])
    end;
condition({op, Where, Operator, Left, Right}, Variables) ->
    is_operator(Operator, 2) orelse mistake(Where, "~ts cannot stand in a guard", [Operator]),
    {Operator, condition(Left, Variables), condition(Right, Variables)};
condition({op, Where, Operator, Operand}, Variables) ->
    is_operator(Operator, 1) orelse mistake(Where, "~ts cannot stand in a guard", [Operator]),
    {Operator, condition(Operand, Variables)};
condition({call, Where, {atom, _, Name}, Arguments}, Variables) ->
    Arity = length(Arguments),
    erl_internal:guard_bif(Name, Arity) orelse mistake(Where, "~tw/~w cannot stand in a guard", [Name, Arity]),
    is_function_of_specifications(Name, Arity) orelse
        mistake(Where, "~tw/~w cannot be asked of calls: match specifications have it not", [Name, Arity]),
    list_to_tuple([Name | [condition(Argument, Variables) || Argument <- Arguments]]);
condition({tuple, _, Elements}, Variables) ->
    {list_to_tuple([condition(Element, Variables) || Element <- Elements])};
condition({cons, _, First, Rest}, Variables) -> [condition(First, Variables) | condition(Rest, Variables)];
condition({nil, _}, _) -> [];
condition(Form, _) ->
    try
        {const, erl_parse:normalise(Form)}
    catch
        error:_ -> mistake(element(2, Form), "this cannot stand in a guard", [])
    end.

built([Head | Tail]) -> [built(Head) | built(Tail)];
built(Tuple) when is_tuple(Tuple) -> {list_to_tuple([built(Element) || Element <- tuple_to_list(Tuple)])};
built(Variable) when is_atom(Variable) ->
    case is_plain(Variable) of
        true -> {const, Variable};
        false -> Variable
    end;
built([]) -> [];
built(Term) -> {const, Term}.

%% Erlang's guards have these, and the list of erts' "Match Specifications in Erlang" (BoolFunction and GuardFunction)
%% has not.
is_function_of_specifications(Name, 1) ->
    not lists:member(Name, [ceil, floor, is_bitstring, is_boolean, tuple_size]);
is_function_of_specifications(Name, 2) -> not lists:member(Name, [is_function, is_record]);
is_function_of_specifications(_, _) -> true.

is_operator('andalso', 2) -> true;
is_operator('orelse', 2) -> true;
is_operator(Operator, Arity) ->
    erl_internal:arith_op(Operator, Arity) orelse erl_internal:bool_op(Operator, Arity) orelse
        erl_internal:comp_op(Operator, Arity).

%% --- atoms ----------------------------------------------------------------------------------------------------------

%% Those that stand in it: a node that has not got them has no such calls.
-spec atoms(term()) -> [atom()].
atoms(Term) -> lists:usort(atoms(Term, [])).

atoms(Atom, Found) when is_atom(Atom) -> [Atom | Found];
atoms([Head | Tail], Found) -> atoms(Tail, atoms(Head, Found));
atoms(Tuple, Found) when is_tuple(Tuple) -> atoms(tuple_to_list(Tuple), Found);
atoms(Map, Found) when is_map(Map) -> atoms(maps:to_list(Map), Found);
atoms(_, Found) -> Found.
