%% viv completion, in the node: names that begin so, for who completes them in his shell.
%%
%%   {names, [Name]}     1000 at most, in order
-module(viv_see_names).
-export([run/2]).

-define(MOST, 1000).

run(#{of_kind := Of, prefix := Prefix}, Link) when is_binary(Prefix), byte_size(Prefix) < 1000 ->
    Names = [Name || Atom <- all(Of), Name <- [atom_to_binary(Atom)],
                     string:prefix(Name, Prefix) =/= nomatch, is_plain(Name)],
    viv_see_link:tell(Link, {names, lists:sublist(lists:usort(Names), ?MOST)}).

all(modules) -> erlang:loaded();
all(processes) -> [Name || Name <- erlang:registered(), is_pid(whereis(Name))];
all(tables) -> [Table || Table <- ets:all(), is_atom(Table)];
all(holders) -> all(processes) ++ all(tables).

%% A word that means nothing else to a shell.
is_plain(Name) -> re:run(Name, <<"^[\\w.@-]+$">>, [{capture, none}, unicode, ucp]) =:= match.
