%% Large modules, drawn at random: sizes, numbers and distances beside the limits of the file format and of loaders.
%% `erl -eval 'gen_modules:write("DIR", Seed, Modules).'` writes DIR/N.beam for N from 1 on, and DIR/N.calls: how its
%% functions are to be called. main/0, in the folder of this module, loads them and prints what the loader says and what
%% the functions answer.
-module(gen_modules).
-export([write/3, write_one/3, main/0]).

write(Dir, Seed, Count) -> lists:foreach(fun(N) -> write_one(Dir, Seed, N) end, lists:seq(1, Count)).

write_one(Dir, Seed, N) ->
    rand:seed(exsss, Seed * 1000 + N),
    Shapes = [{modules_source, S} || S <- modules_source:shapes()] ++ [{modules_asm, S} || S <- modules_asm:shapes()],
    {By, Shape} = lists:nth(1 + (Seed * 7 + N) rem length(Shapes), Shapes),
    {What, Beam, Calls} = made(By, Shape),
    ok = file:write_file(filename:join(Dir, integer_to_list(N) ++ ".beam"), Beam),
    ok = file:write_file(filename:join(Dir, integer_to_list(N) ++ ".calls"),
                         term_to_binary({What, Calls}, [compressed])).

made(modules_asm, Shape) -> modules_asm:shape(Shape);
made(modules_source, Shape) ->
    {Options, Parts, Calls} = modules_source:shape(Shape),
    Forms = [{attribute, 1, file, {"large.erl", 1}}, {attribute, 1, module, large} | forms(Parts)],
    case compile:forms(Forms, [export_all, nowarn_export_all, return, deterministic | Options]) of
        {ok, large, Beam, _} -> {Shape, Beam, Calls};
        {error, Errors, _} -> error({Shape, Errors})
    end.

%% Of texts, {line, L} among them, and functions {answers, Name, Term}.
forms([{answers, _, _} | _] = Functions) -> [answers(F, T) || {answers, F, T} <- Functions];
forms(Parts) -> parsed(tokens(lists:flatten(Parts), 1, [])).

answers(F, Term) -> {function, 1, F, 1, [{clause, 1, [{var, 1, '_'}], [], [erl_parse:abstract(Term, 1)]}]}.

tokens([], _, Done) -> lists:append(lists:reverse(Done));
tokens([{line, Line} | Rest], _, Done) -> tokens(Rest, Line, Done);
tokens(Parts, Line, Done) ->
    {Text, Rest} = lists:splitwith(fun is_integer/1, Parts),
    {ok, Tokens, Next} = erl_scan:string(Text, Line),
    tokens(Rest, Next, [Tokens | Done]).

parsed([]) -> [];
parsed(Tokens) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(T) -> element(1, T) =/= dot end, Tokens),
    {ok, Parsed} = erl_parse:parse_form(named(Form ++ [Dot])),
    [Parsed | parsed(Rest)].

named([{'?', Line}, {var, _, 'MODULE'} | Rest]) -> [{atom, Line, large} | named(Rest)];
named([T | Rest]) -> [T | named(Rest)];
named([]) -> [].

main() ->
    logger:set_primary_config(level, none),
    Dir = filename:dirname(code:which(?MODULE)),
    run(Dir, 1).

run(Dir, N) ->
    case file:read_file(filename:join(Dir, integer_to_list(N) ++ ".beam")) of
        {ok, Beam} ->
            {ok, Calls} = file:read_file(filename:join(Dir, integer_to_list(N) ++ ".calls")),
            show(N, Beam, binary_to_term(Calls)),
            run(Dir, N + 1);
        {error, enoent} -> N > 1 orelse io:format("there are no modules~n")
    end.

show(N, Beam, {Shape, Calls}) ->
    io:format("~b ~0P ~p~n", [N, Shape, 60, Loaded = load(Beam)]),
    [io:format("~b ~ts(~p) -> ~ts~n", [N, name(F), erlang:phash2(Args), call(F, Args)])
     || {module, _} <- [Loaded], {F, Args} <- Calls],
    code:delete(large),
    code:purge(large).

load(Beam) -> try code:load_binary(large, "large.beam", Beam) catch C:R -> {C, R} end.

name(F) -> string:slice(atom_to_list(F), 0, 20).

%% The order of the exports depends on those of earlier modules of that name.
call(module_info, [exports]) -> shown(lists:sort(large:module_info(exports)));
call(F, Args) ->
    Result = try {ok, apply(large, F, Args)} catch C:R:S -> {C, R, [place(P) || P <- lists:sublist(S, 3)]} end,
    shown(plain(Result)).

place({M, F, A, Info}) -> {M, F, A, proplists:get_value(file, Info), proplists:get_value(line, Info)}.

%% Without what differs from one node to the next.
plain(F) when is_function(F) -> {erlang:fun_info(F, module), erlang:fun_info(F, arity), erlang:fun_info(F, env)};
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain(M) when is_map(M) -> {map, plain(lists:sort(maps:to_list(M)))}; % large ones have an order of their own
plain(T) -> T.

shown(Term) ->
    case erlang:external_size(Term) of
        Size when Size < 300 -> io_lib:format("~0tp", [Term]);
        Size -> io_lib:format("~b bytes, hash ~b", [Size, erlang:phash2(Term)])
    end.
