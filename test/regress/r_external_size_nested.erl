%% The size of a term's external form, for terms of all widths and depths: as many bytes as there are.
-module(r_external_size_nested).
-export([main/0]).

main() ->
    Leaves = [a, [], 0, 255, 256, -1, 1 bsl 40, 1 bsl 70, -1 bsl 2100, 1.5, 1.0e300, "string", [1000, 2],
              [1 | 2], {}, #{}, <<"binary">>, <<5:3>>, binary:copy(<<1>>, 1000), list_to_atom([1234]), fun lists:map/2,
              list_to_atom(lists:duplicate(200, $x))],
    [sizes(Leaf) || Leaf <- Leaves],
    sizes(Leaves),
    sizes([lists:seq(1, N) || N <- lists:seq(1, 20)]),
    %% pids and references are as large everywhere
    io:format("~w~n", [[{T, erlang:external_size(known(T)) =:= bytes(known(T))} || T <- [pid, reference]]]),
    ok.

known(pid) -> [{self(), [self() | self()]}];
known(reference) -> #{make_ref() => {make_ref(), make_ref()}}.

sizes(Leaf) -> io:format("~w~n", [[size_of(Around(Leaf)) || Around <- around()]]).

size_of(Term) ->
    Size = erlang:external_size(Term),
    {Size, Size =:= bytes(Term), erlang:external_size([Term, Term, Term, Term, Term, Term, Term, Term, Term, Term]),
     erlang:external_size(Term, [{minor_version, 0}])}.

bytes(Term) -> byte_size(term_to_binary(Term)).

around() ->
    [fun(T) -> T end, fun(T) -> {T} end, fun(T) -> [T] end, fun(T) -> [T | T] end, fun(T) -> #{T => T, a => [T]} end,
     fun(T) -> lists:foldl(fun(_, In) -> {In} end, T, lists:seq(1, 10)) end,
     fun(T) -> lists:foldl(fun(N, In) -> #{N => In, T => N} end, T, lists:seq(1, 10)) end,
     fun(T) -> lists:foldl(fun(_, In) -> [In, T] end, T, lists:seq(1, 10)) end,
     fun(T) -> lists:duplicate(7, T) end, fun(T) -> lists:duplicate(8, T) end, fun(T) -> lists:duplicate(9, T) end,
     fun(T) -> erlang:make_tuple(8, T) end, fun(T) -> erlang:make_tuple(9, T) end,
     fun(T) -> erlang:make_tuple(256, T) end,
     fun(T) -> maps:from_list([{N, T} || N <- lists:seq(1, 8)]) end,
     fun(T) -> maps:from_list([{{N, T}, N} || N <- lists:seq(1, 40)]) end,
     fun(T) -> erlang:make_tuple(8, erlang:make_tuple(8, erlang:make_tuple(8, {T}))) end].
