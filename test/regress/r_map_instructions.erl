%% Maps taken apart and updated by literal keys, which native code does in place: small and large maps, keys that words
%% compare and keys that they do not, what is missing, what does not change, and heaps that are full at any of it.
-module(r_map_instructions).
-export([main/0]).

main() ->
    Small = #{a => 1, b => 2, c => 3, 4 => d, 5.0 => e, "f" => f, <<"g">> => g, 0.0 => z},
    Large = maps:merge(Small, maps:from_list([{N, N} || N <- lists:seq(100, 140)])),
    Edge = maps:merge(Small, maps:from_list([{N, N} || N <- lists:seq(100, 123)])),
    Maps = [#{}, #{a => 1}, Small, Large, Edge, no_map, [], {a, 1}],
    [io:format("~w ~w~n", [F, [outcome(fun() -> call(F, M) end) || M <- Maps]]) || F <- lists:seq(1, 17)],
    [io:format("~w~n", [same(M)]) || M <- [Small, Large]],
    io:format("~w~n", [erlang:phash2(many(3000, Small, []))]),
    io:format("~w~n", [erlang:phash2(many(3000, Large, []))]),
    io:format("~w~n", [[erlang:phash2(deep(N, Small)) || N <- lists:seq(1, 60)]]).

call(1, #{a := A}) -> A;
call(2, #{a := A, b := B}) -> {A, B};
call(3, #{a := A, b := B, c := C, 4 := D}) -> {A, B, C, D};
call(4, #{5.0 := A, "f" := B}) -> {A, B};
call(5, #{a := A, "f" := B, <<"g">> := C}) -> {A, B, C};
call(6, #{a := _, b := _}) -> both;
call(7, #{a := _, "f" := _, 0.0 := Z}) -> Z;
call(8, M) when is_map_key(a, M), is_map_key(missing, M) -> yes;
call(9, M) when map_get(a, M) =:= 1 -> yes;
call(10, M) -> M#{a := 2};
call(11, M) -> M#{a := 2, c := {M}};
call(12, M) -> M#{a := 2, missing := 3};
call(13, M) -> M#{a => 2, c => [M]};
call(14, M) -> M#{"f" := 2, 0.0 := y};
call(15, M) -> M#{"f" => 2, new => y};
call(16, M) -> M#{b => 1, a => 2};
call(17, M) ->
    %% The register of the map is taken by the first value.
    case M of
        #{a := X, b := Y} when X < Y -> {less, X, Y};
        #{c := X} -> {X, maps:size(M)};
        _ -> nothing
    end;
call(_, _) -> no.

outcome(F) ->
    try erlang:phash2(F())
    catch Class:Reason -> {Class, erlang:phash2(Reason)}
    end.

%% What does not change is not made again.
same(M = #{a := A, b := B}) ->
    {erts_debug:same(M, M#{a := A}), erts_debug:same(M, M#{a := A, b := B}), erts_debug:same(M, M#{a := 2}),
     M#{a := A, b := B} =:= M}.

many(0, M, Made) -> [M | Made];
many(N, M = #{a := A, b := B}, Made) when N rem 3 =:= 0 -> many(N - 1, M#{a := [N | B], b := {A}, 4 => N}, [N | Made]);
many(N, M = #{c := C}, Made) when N rem 3 =:= 1 -> many(N - 1, M#{c => {N, hash(C)}, b := N}, [M | Made]);
many(N, M, Made) -> many(N - 1, M#{a := N, new => N}, lists:sublist(Made, 20)).

hash(T) -> erlang:phash2(T).

%% Not in tail position: what is live stands on the stack.
deep(0, M) -> M;
deep(N, M = #{a := A, b := B}) ->
    Rest = deep(N - 1, M#{a := B, b := [A]}),
    #{a := X, c := C} = Rest,
    Rest#{a := [X | C], c := N, b := A, 4 := B}.
