#!/usr/bin/env escript
%% Counts what the instruction selection should be good at: the forms of single instructions and of pairs that follow
%% each other, over all modules of the stock libraries. Usage: histogram.escript [LIBRARY ...] (default: stdlib kernel
%% compiler). Prints `count form` lines, most frequent first: singles, then pairs.
-mode(compile).

main([]) -> main(["stdlib", "kernel", "compiler"]);
main(Libs) ->
    Singles = ets:new(singles, []),
    Pairs = ets:new(pairs, []),
    [count_file(F, Singles, Pairs) || L <- Libs, F <- filelib:wildcard(code:lib_dir(list_to_atom(L)) ++ "/ebin/*.beam")],
    print("single", Singles, 250),
    print("pair", Pairs, 250).

count_file(File, Singles, Pairs) ->
    {beam_file, _, _, _, _, Functions} = beam_disasm:file(File),
    [count_code([form(I) || I <- Code, keep(I)], Singles, Pairs) || {function, _, _, _, Code} <- Functions].

keep({line, _}) -> false;
keep(_) -> true.

count_code([A, B | Rest], Singles, Pairs) ->
    bump(Singles, A),
    A =:= label orelse B =:= label orelse bump(Pairs, {A, B}),
    count_code([B | Rest], Singles, Pairs);
count_code([A], Singles, _) -> bump(Singles, A);
count_code([], _, _) -> ok.

bump(Table, Key) -> ets:update_counter(Table, Key, 1, {Key, 0}).

form({label, _}) -> label;
form({func_info, _, _, _}) -> func_info;
form({call_ext, N, {extfunc, M, F, A}}) -> {call_ext, kind(N), bif(M, F, A)};
form({gc_bif, Name, _, _, Args, D}) -> {gc_bif, Name, kinds(Args), kind(D)};
form({bif, Name, _, Args, D}) -> {bif, Name, kinds(Args), kind(D)};
form({test, Name, _, Args}) -> {test, Name, kinds(Args)};
form({test, Name, _, _, Args, D}) -> {test, Name, kinds(Args), kind(D)};
form(T) when is_tuple(T) -> list_to_tuple([element(1, T) | [kind(E) || E <- tl(tuple_to_list(T))]]);
form(A) -> A.

bif(M, F, A) -> case erlang:is_builtin(M, F, A) of true -> bif; false -> ext end.

kinds(L) when is_list(L), length(L) =< 6 -> [kind(E) || E <- L];
kinds(_) -> list.

kind({x, _}) -> x;
kind({y, _}) -> y;
kind({fr, _}) -> fr;
kind({tr, R, _}) -> kind(R);
kind({f, 0}) -> p;
kind({f, _}) -> f;
kind({integer, N}) when N >= -16#8000, N < 16#8000 -> i;
kind({integer, _}) -> big;
kind({atom, _}) -> a;
kind(nil) -> n;
kind({literal, _}) -> q;
kind({list, _}) -> list;
kind(N) when is_integer(N) -> u;
kind(_) -> o.

print(Title, Table, Most) ->
    Sorted = lists:reverse(lists:keysort(2, ets:tab2list(Table))),
    Total = lists:sum([N || {_, N} <- Sorted]),
    io:format("~s total ~b~n", [Title, Total]),
    [io:format("~8b ~4.1f% ~w~n", [N, 100 * N / Total, K]) || {K, N} <- lists:sublist(Sorted, Most)].
