%% Modules whose files are damaged, chunk by chunk: what is refused, and what is taken, as by the stock runtime. Only
%% where that one looks at memory outside of the file, or ends itself, there is nothing to compare.
-module(r_damaged_files).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    Chunks = chunks(),
    Names = [N || {N, _} <- Chunks, N =/= "StrT", N =/= "Dbgi", N =/= "Docs"],
    show(whole, Chunks),
    [show({removed, N}, lists:keydelete(N, 1, Chunks)) || N <- Names],
    [show({empty, N}, with(Chunks, N, <<>>)) || N <- Names],
    [show({cut, N, L}, with(Chunks, N, binary:part(D, 0, L)))
     || {N, D} <- Chunks, lists:member(N, Names), L <- lengths(byte_size(D))],
    [show({longer, N}, with(Chunks, N, <<D/binary, 0, 0, 0, 0>>)) || {N, D} <- Chunks],
    [show({number, N, At, New}, with(Chunks, N, set(D, At, New)))
     || {N, Offsets} <- numbers(), {_, D} <- [lists:keyfind(N, 1, Chunks)], At <- Offsets, New <- others(D, At)],
    [show({attributes, A}, with(Chunks, "Attr", A)) || A <- attributes()],
    [show({opcode, O}, with(Chunks, "Code", opcode(O, element(2, lists:keyfind("Code", 1, Chunks)))))
     || O <- [0, 185, 200, 255]],
    two_of_a_name(Chunks),
    Whole = file(Chunks),
    [load(What, Change(Whole)) || {What, Change} <- whole()],
    parts().

lengths(Size) ->
    [L || L <- lists:usort([1, 3, 4, 5, 7, 8, 9, 12, 16, 20, Size div 2, Size - 4, Size - 1]), L > 0, L < Size].

%% Counts, and what a file may say too much of.
numbers() ->
    [{"AtU8", [0]}, {"Code", [0, 4]}, {"ImpT", [0]}, {"ExpT", [0]}, {"FunT", [0]}, {"Line", [0]}].

others(D, At) ->
    <<_:At/binary, V:32, _/binary>> = D,
    [X || X <- lists:usort([0, V + 1, V - 1, 1000, 1000000, 16#7fffffff]), X =/= V, X >= 0].

set(D, At, New) ->
    <<Before:At/binary, _:32, After/binary>> = D,
    <<Before/binary, New:32, After/binary>>.

attributes() ->
    [<<0>>, <<131>>, <<131, 97, 1>>, <<130, 97, 1>>, <<131, 80, 0, 0, 0, 200, 1, 2, 3>>,
     term_to_binary([{a, [1]}]), term_to_binary(lists:duplicate(1000, $a), [compressed]),
     <<(term_to_binary([{a, [1]}]))/binary, 0>>, binary:part(term_to_binary([{a, [1]}]), 0, 8)].

opcode(O, <<Head:20/binary, _, Rest/binary>>) -> <<Head/binary, O, Rest/binary>>.

%% The last one counts.
two_of_a_name(Chunks) ->
    Other = {"Attr", term_to_binary([{vsn, [9]}])},
    [io:format("~p ~p ~p~n", [load_only(file(C)), catch_call(), gone()])
     || C <- [Chunks ++ [Other], [Other | Chunks], Chunks ++ [{"Attr", <<>>}], Chunks ++ [{"AtU8", <<>>}],
              [{"AtU8", <<>>} | Chunks], Chunks ++ [{"CInf", <<1>>}], Chunks ++ [{"LitT", <<1, 2, 3>>}],
              [{"LitT", <<1, 2, 3>>} | Chunks], Chunks ++ [{"XxXx", <<1, 2, 3>>}]]].

catch_call() -> try damaged:module_info(attributes) catch error:undef -> undef end.

whole() ->
    [{cut, fun(W) -> binary:part(W, 0, byte_size(W) - 3) end},
     {header, fun(W) -> binary:part(W, 0, 12) end},
     {half_a_header, fun(W) -> binary:part(W, 0, 8) end},
     {nothing, fun(_) -> <<>> end},
     {no_form, fun(<<_:4/binary, R/binary>>) -> <<"FORX", R/binary>> end},
     {no_beam, fun(<<A:8/binary, _:4/binary, R/binary>>) -> <<A/binary, "BEAN", R/binary>> end},
     {said_smaller, fun(<<A:4/binary, S:32, R/binary>>) -> <<A/binary, (S - 10):32, R/binary>> end},
     {said_larger, fun(<<A:4/binary, S:32, R/binary>>) -> <<A/binary, (S + 10):32, R/binary>> end},
     {junk_behind, fun(W) -> <<W/binary, "junk">> end}].

parts() ->
    [io:format("~p ~p~n", [Chunks, erts_internal:beamfile_chunk(file(Chunks), "Meta")])
     || Chunks <- [[{"Meta", <<>>}], [{"Meta", <<>>}, {"Meta", <<1>>}], [{"Meta", <<1>>}, {"Meta", <<>>}],
                   [{"Meta", <<1>>}, {"Meta", <<2>>}], [{"Abcd", <<1>>}, {"Meta", <<5>>}], [{"Abcd", <<1>>}]]].

with(Chunks, N, D) -> lists:keyreplace(N, 1, Chunks, {N, D}).

file(Chunks) ->
    Body = << <<(list_to_binary(N))/binary, (byte_size(D)):32, D/binary, 0:(8 * (-byte_size(D) band 3))>>
              || {N, D} <- Chunks >>,
    <<"FOR1", (byte_size(Body) + 4):32, "BEAM", Body/binary>>.

show(What, Chunks) -> load(What, file(Chunks)).

load(What, Code) ->
    io:format("~0p ~0p~n", [What, load_only(Code)]),
    gone().

load_only(Code) -> try erlang:load_module(damaged, Code) catch C:R -> {C, R} end.

gone() ->
    erlang:delete_module(damaged),
    code:purge(damaged).

chunks() ->
    {ok, damaged, Code} = compile:forms([form(F) || F <- forms()], [deterministic]),
    {ok, damaged, Chunks} = beam_lib:all_chunks(Code),
    Chunks.

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

forms() ->
    ["-module(damaged).", "-export([a/1, b/2, c/1, d/0, f/1]).", "-vsn(1).",
     "a(X) -> {X, \"literal\", [1, {2.5, <<\"bin\">>}], 123456789012345678901234567890}.",
     "b(X, Y) -> F = fun(Z) -> {X, Y, Z} end, lists:map(F, Y), l(F(1)).",
     "c(#{a := X}) when X > 1.5 -> receive {X, Y} -> Y after 10 -> X + 1 end;"
     "c(X) when is_map(X); X =:= z -> case X of a -> 1; b -> 2; z -> try b(X, X) catch _:_ -> 3 end; _ -> X ! X end.",
     "d() -> <<\"string table\", 1:3>>.",
     "l({A, B, C}) -> [A, B | C];"
     "l(X) -> erlang:error({bad, X}).",
     "f(X) when X < 100 -> f(X + 1) + length(element(2, X))."].
