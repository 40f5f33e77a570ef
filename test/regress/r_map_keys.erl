%% Maps that code makes by literal keys share the tuple of these, as on the stock runtime: of each such expression one
%% map takes the room of its values alone. They stay what they are when the code goes.
-module(r_map_keys).
-export([main/0]).

main() ->
    io:format("~p~n", [[sizes(List) || List <- lists()]]),
    [io:format("~p~n", [Map]) || Map <- [atoms(1), numbers(2), mixed(3), nested(4), thirty_two(5), empty(), same(6)]],
    io:format("~p~n", [[maps:get(Key, mixed(7)) || Key <- maps:keys(mixed(0))]]),
    io:format("~p~n", [in_another(atoms(8))]),
    io:format("~p~n", [fetched(numbers(9))]),
    io:format("~p~n", [put_to(numbers(9))]),
    purged().

lists() -> [[F(N) || N <- lists:seq(1, 100)] || F <- [fun atoms/1, fun numbers/1, fun nested/1, fun thirty_two/1]].
sizes(List) -> {erts_debug:size(List), erts_debug:flat_size(List)}.

atoms(N) -> #{d => N, b => N, c => {N}, a => [N]}.
numbers(N) -> #{1 => N, 3 => N + 1, 2 => N + 2, -1 => N + 3}.
mixed(N) -> #{1 => N, 1.0 => N + 1, a => N + 2, "text" => N + 3, <<"binary">> => N + 4, {a, b} => N + 5,
              #{c => d} => N + 6, 1 bsl 70 => N + 7, [] => N + 8, 0.0 => N + 9}.
nested(N) -> #{a => #{a => N, b => #{a => N}}, b => N}.
empty() -> #{}.
same(N) -> #{a => N, b => N, a => N + 1}.
thirty_two(N) ->
    #{1 => N, 2 => N, 3 => N, 4 => N, 5 => N, 6 => N, 7 => N, 8 => N, 9 => N, 10 => N, 11 => N, 12 => N, 13 => N,
      14 => N, 15 => N, 16 => N, 17 => N, 18 => N, 19 => N, 20 => N, 21 => N, 22 => N, 23 => N, 24 => N, 25 => N,
      26 => N, 27 => N, 28 => N, 29 => N, 30 => N, 31 => N, 32 => N}.

%% Keys in any order, some to one label, the map's own register among those that take a value.
fetched(#{3 := A, -1 := B, 1 := C, 2 := D} = M) -> {A, B, C, D, fetched_one(M), fetched_or(M), fetched_over(M)}.
fetched_one(#{2 := A}) -> A.
fetched_or(#{1 := A, 7 := B}) -> {A, B};
fetched_or(#{2 := A, 1 := B, 3 := C}) -> {A, B, C}.
fetched_over(M0) ->
    #{3 := M, 2 := A} = M0,
    {M, A}.

put_to(M) ->
    [M#{2 => x, 1 => y}, M#{1 := y, 3 := x, -1 := z}, M#{3 => a, 3 => b}, M#{5 => a, 1 => b},
     try M#{6 := a, 1 := b} catch error:Reason -> Reason end].

in_another(Map) ->
    {Pid, Monitor} = spawn_monitor(fun() -> receive {From, M} -> From ! {self(), M#{e => 1}, M} end end),
    Pid ! {self(), Map},
    receive {Pid, A, B} -> receive {'DOWN', Monitor, _, _, Reason} -> {A, B, B =:= Map, Reason} end end.

purged() ->
    Pairs = [{map_field_assoc, 1, {atom, 1, Key}, {var, 1, 'N'}} || Key <- [z, y, x]],
    Forms = [{attribute, 1, module, r_map_keys_gone}, {attribute, 1, export, [{make, 1}]},
             {function, 1, make, 1, [{clause, 1, [{var, 1, 'N'}], [], [{map, 1, Pairs}]}]}],
    {ok, Module, Code} = compile:forms(Forms),
    {module, Module} = code:load_binary(Module, "", Code),
    Maps = [Module:make(N) || N <- lists:seq(1, 3)],
    true = code:delete(Module),
    code:purge(Module),
    true = erlang:garbage_collect(),
    io:format("~p ~p~n", [Maps, [maps:to_list(M#{y := 0, w => 1}) || M <- Maps]]).
