%% Atoms are found while others are made, and the table of their names grows under those who look.
-module(r_atoms_found_while_made).
-export([main/0]).

main() ->
    Old = [name("old", I) || I <- lists:seq(1, 200)],
    Atoms = [binary_to_atom(N) || N <- Old],
    Self = self(),
    Makers = [spawn_link(fun() -> make(["made", integer_to_list(M), "_"]), Self ! {done, self()} end) || M <- lists:seq(1, 3)],
    Finders = [spawn_link(fun() -> Self ! {found, self(), find(Old, Atoms, 0)} end) || _ <- lists:seq(1, 3)],
    [receive {done, P} -> ok end || P <- Makers],
    [P ! stop || P <- Finders],
    io:format("~p~n", [[receive {found, P, Wrong} -> Wrong end || P <- Finders]]),
    Same = [binary_to_atom(name("common_", I)) || I <- lists:seq(1, 5000)],
    io:format("~p~n", [[binary_to_existing_atom(atom_to_binary(A)) || A <- Same] =:= Same]),
    io:format("~p~n", [catch_missing(<<"nobody has made this one">>)]).

name(Prefix, I) -> iolist_to_binary([Prefix, integer_to_list(I)]).

%% Every maker makes the common ones too.
make(Prefix) ->
    [{binary_to_atom(name(Prefix, I)), binary_to_atom(name("common_", I))} || I <- lists:seq(1, 5000)], ok.

%% How many were not found, or another atom.
find(Names, Atoms, Wrong) ->
    Found = [try binary_to_existing_atom(N) catch error:badarg -> missing end || N <- Names],
    receive
        stop -> Wrong
    after 0 -> find(Names, Atoms, Wrong + length([A || {A, B} <- lists:zip(Atoms, Found), A =/= B]))
    end.

catch_missing(Text) -> try binary_to_existing_atom(Text) catch error:badarg -> badarg end.
