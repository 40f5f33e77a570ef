%% viv completion, in the node: names that begin so, for who completes them in his shell.
%%
%%   {names, [Name]}     1000 at most, in order
%%
%% Of a function: what its arguments are called where it was written, for who tells them apart by that.
%%
%%   {heads, [Name]}     `_` is an argument without a name; [] where neither the module nor its source tells
-module(viv_see_names).
-export([run/2]).

-define(MOST, 1000).

run(#{of_kind := Of, prefix := Prefix}, Link) when is_binary(Prefix), byte_size(Prefix) < 1000 ->
    Names = [Name || Atom <- all(Of), Name <- [atom_to_binary(Atom)],
                     string:prefix(Name, Prefix) =/= nomatch, is_plain(Name)],
    viv_see_link:tell(Link, {names, lists:sublist(lists:usort(Names), ?MOST)});
run(#{of_kind := heads, function := {Module, Name, Arity}}, Link) ->
    Heads = try heads(binary_to_existing_atom(Module), binary_to_existing_atom(Name), Arity)
            catch error:_ -> []
            end,
    viv_see_link:tell(Link, {heads, Heads}).

heads(Module, Name, Arity) ->
    Clauses = hd([Clauses || {function, _, N, A, Clauses} <- forms(Module), N =:= Name, A =:= Arity]),
    {Names, _} = lists:mapfoldl(fun(At, Before) ->
                                        Head = head([lists:nth(At, Heads) || {clause, _, Heads, _, _} <- Clauses]),
                                        case lists:member(Head, Before) of
                                            true -> {'_', Before};
                                            false -> {Head, [Head | Before]}
                                        end
                                end, [], lists:seq(1, Arity)),
    [atom_to_binary(Head) || Head <- Names].

%% The first name that a clause has for it.
head([{var, _, Name} | _]) when Name =/= '_' -> Name;
head([{match, _, Left, Right} | Others]) -> head([Left, Right | Others]);
head([_ | Others]) -> head(Others);
head([]) -> '_'.

forms(Module) ->
    {Module, Code, _} = code:get_object_code(Module),
    case beam_lib:chunks(Code, [abstract_code]) of
        {ok, {Module, [{abstract_code, {raw_abstract_v1, Forms}}]}} -> Forms;
        _ ->
            {ok, Forms} = epp:parse_file(proplists:get_value(source, Module:module_info(compile)), []),
            Forms
    end.

all(modules) -> erlang:loaded();
all(processes) -> [Name || Name <- erlang:registered(), is_pid(whereis(Name))];
all(ports) -> [Name || Name <- erlang:registered(), is_port(whereis(Name))];
all(tables) -> [Table || Table <- ets:all(), is_atom(Table)];
all(holders) -> all(processes) ++ all(tables).

%% A word that means nothing else to a shell.
is_plain(Name) -> re:run(Name, <<"^[\\w.@-]+$">>, [{capture, none}, unicode, ucp]) =:= match.
