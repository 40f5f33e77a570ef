%% The stock tools for Erlang itself: scanner, parser, evaluator, printer, compiler, qlc, leex, yecc, zip.
-module(stdlib_compile).
-include_lib("stdlib/include/qlc.hrl").
-include_lib("stdlib/include/ms_transform.hrl").
-export([main/0]).
-include("../t.hrl").

%% Not into the folder where the test runs.
listing() ->
    Folder = "/tmp/stdlib_compile_" ++ os:getpid(),
    ok = filelib:ensure_dir(Folder ++ "/x"),
    {ok, m, Forms} = compile:forms(module_forms("f(X) -> X + 1."), ['S', binary, {outdir, Folder}]),
    {ok, Names} = file:list_dir(Folder),
    ok = file:del_dir_r(Folder),
    {element(1, Forms), Names}.

main() ->
    t(scan, fun() -> [erl_scan:string(S) || S <- ["f(X) -> X + 1.", "\"abc", "16#ff $a 'q x' <<>> 1.5e3.", "% c\n x."]] end),
    t(parse, fun() -> [parse(S) || S <- ["f(X) when X > 1 -> {X, [1 | T]}.", "-record(r, {a = 1, b :: integer()}).", "f( -> 1."]] end),
    t(eval, fun() -> [eval(S) || S <- programs()] end),
    t(print, fun() -> [io:put_chars(erl_pp:form(element(2, parse(S)))) || S <- forms()], ok end),
    t(term, fun() -> {ok, Tokens, _} = erl_scan:string("{a, \"b\", <<1,2>>, #{x => [1.5]}}."), erl_parse:parse_term(Tokens) end),
    t(compile, fun compile_forms/0),
    t(compile_errors, fun compile_errors/0),
    t(compile_listing, fun listing/0),
    t(core, fun() -> {ok, m, Core} = compile:forms(module_forms("f(X) -> [X || X <- X]."), [to_core, binary]), core_pp:format(Core) end),
    t(beam_lib, fun chunks/0),
    t(lint, fun() -> erl_lint:module(module_forms("f(X) -> Y = 1, X.")) end),
    t(qlc, fun queries/0),
    t(match_specs, fun() -> ets:fun2ms(fun({A, B}) when A > 1, is_atom(B) -> {B, A} end) end),
    t(ms_run, fun() -> ets:match_spec_run([{1, a}, {2, b}], ets:match_spec_compile(ets:fun2ms(fun({A, B}) when A > 1 -> B end))) end),
    t(leex_yecc, fun leex_yecc/0),
    t(zip, fun zips/0),
    t(tar, fun tars/0),
    t(epp, fun preprocess/0),
    t(abstract, fun() -> {erl_parse:abstract({a, "s", [1.5 | b], <<3:5>>, #{k => v}}), erl_parse:normalise({cons, 1, {integer, 1, 1}, {nil, 1}})} end).

parse(S) ->
    {ok, Tokens, _} = erl_scan:string(S),
    erl_parse:parse_form(Tokens).

eval(S) ->
    {ok, Tokens, _} = erl_scan:string(S),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    try erl_eval:exprs(Exprs, []) of
        {value, V, Bindings} when is_function(V) -> {'fun', length(Bindings)};
        {value, V, Bindings} -> {V, length(Bindings)}
    catch C:E -> {C, E}
    end.

programs() ->
    ["A = 1, B = A + 2, {A, B}.", "F = fun(X) -> X * 2 end, [F(Y) || Y <- [1, 2, 3]].", "case {ok, 1} of {ok, N} when N > 0 -> N; _ -> none end.",
     "try error(x) catch error:R -> {caught, R} after ok end.", "<<A:4, B/bits>> = <<16#ab>>, {A, B}.", "#{a := X} = #{a => 1}, X.", "1 / 0.", "X = 1, X = 2.",
     "if true -> a end.", "receive after 0 -> timeout end.", "fun F(0) -> 1; F(N) -> N * F(N - 1) end(10).", "lists:map(fun(X) -> -X end, [1, 2]).", "[{X, Y} || X <- [1, 2], Y <- \"ab\"].",
     "<< <<X>> || <<X:4>> <= <<1, 2>> >>.", "begin catch throw(t) end.", "element(2, {a, b}).", "undefined_fun(1).", "maybe_not:f()."].

forms() ->
    ["f(X) when is_integer(X), X > 0; X =:= a -> case X of 1 -> one; _ -> [begin Y = X, Y end || X <- [1, 2, 3], X > 1] end.",
     "-spec f(integer()) -> {ok, [atom()]} | error.", "-type t(A) :: #{a := A, b => binary()}.",
     "g() -> try f(1) of ok -> <<1:8/little, \"x\">> catch throw:R:S -> {R, S} after done end, fun(A, B) -> A + B end."].

module_forms(Functions) ->
    Text = "-module(m).\n-export([f/1]).\n" ++ Functions ++ "\n",
    forms_of(Text, 1).

forms_of(Text, Line) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} -> {ok, Form} = erl_parse:parse_form(Tokens), [Form | forms_of_rest(Rest, Next)];
        _ -> []
    end.
forms_of_rest(Rest, Next) ->
    case string:trim(Rest) of "" -> []; _ -> forms_of(Rest, Next) end.

compile_forms() ->
    Source = "f(N) when N < 2 -> N;\nf(N) -> f(N - 1) + f(N - 2).",
    {ok, m, Code} = compile:forms(module_forms(Source), [deterministic]),
    {module, m} = code:load_binary(m, "m.erl", Code),
    {apply(m, f, [20]), erlang:md5(Code), [O || {_, O} <- m:module_info(exports)]}.

compile_errors() ->
    [compile:forms(module_forms(S), [return]) || S <- ["f(X) -> Y.", "f(X) -> g(X).", "f(X) -> case X of 1 -> A = 1; 2 -> ok end, A.", "f(X) -> 1 + a."]].

chunks() ->
    {ok, m, Code} = compile:forms(module_forms("f(X) -> {lists:reverse(X), \"lit\"}."), [debug_info, deterministic]),
    {ok, {m, Chunks}} = beam_lib:chunks(Code, [exports, imports, atoms, attributes, locals, labeled_exports]),
    {Chunks, beam_lib:md5(Code)}.

queries() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{N, N rem 4} || N <- lists:seq(1, 20)]),
    Q = qlc:q([{X, Y} || {X, Y} <- ets:table(T), Y =:= 1, X > 3]),
    J = qlc:q([{A, B} || {A, K1} <- [{a, 1}, {b, 2}], {K2, B} <- [{2, x}, {1, y}], K1 =:= K2]),
    R = {qlc:e(Q), lists:sort(qlc:e(J)), qlc:eval(qlc:sort(Q, {order, descending})), qlc:fold(fun({X, _}, S) -> X + S end, 0, Q),
         begin C = qlc:cursor(Q), N = qlc:next_answers(C, 2), qlc:delete_cursor(C), N end, qlc:e(qlc:q([X || X <- [3, 1, 3]], unique))},
    ets:delete(T), R.

leex_yecc() ->
    Dir = "/tmp/viv_test_" ++ os:getpid(),
    ok = filelib:ensure_dir(Dir ++ "/x"),
    ok = file:write_file(Dir ++ "/calc_lexer.xrl",
        "Definitions.\nD = [0-9]\nRules.\n{D}+ : {token, {number, TokenLine, list_to_integer(TokenChars)}}.\n"
        "[-+*/()] : {token, {list_to_atom(TokenChars), TokenLine}}.\n\\s+ : skip_token.\nErlang code.\n"),
    ok = file:write_file(Dir ++ "/calc_parser.yrl",
        "Nonterminals e.\nTerminals number '+' '-' '*' '/' '(' ')'.\nRootsymbol e.\nLeft 100 '+'.\nLeft 100 '-'.\nLeft 200 '*'.\nLeft 200 '/'.\n"
        "e -> e '+' e : '$1' + '$3'.\ne -> e '-' e : '$1' - '$3'.\ne -> e '*' e : '$1' * '$3'.\ne -> e '/' e : '$1' div '$3'.\n"
        "e -> '(' e ')' : '$2'.\ne -> number : element(3, '$1').\n"),
    {ok, Lexer} = leex:file(Dir ++ "/calc_lexer.xrl"),
    {ok, Parser} = yecc:file(Dir ++ "/calc_parser.yrl"),
    [begin {ok, M, B} = compile:file(F, [binary]), {module, M} = code:load_binary(M, F, B) end || F <- [Lexer, Parser]],
    Results = [case calc_lexer:string(S) of
                   {ok, Tokens, _} -> calc_parser:parse(Tokens);
                   Error -> Error
               end || S <- ["1 + 2 * 3", "(1 + 2) * 3 - 10 / 2", "1 +", "2 $ 3"]],
    file:del_dir_r(Dir),
    Results.

zips() ->
    Files = [{"a.txt", <<"hello">>}, {"d/b.bin", binary:copy(<<"0123456789">>, 100)}],
    {ok, {"z.zip", Zip}} = zip:create("z.zip", Files, [memory]),
    {ok, Back} = zip:unzip(Zip, [memory]),
    {ok, [_ | List]} = zip:list_dir(Zip),
    {Back =:= Files, [element(2, F) || F <- List], zip:unzip(<<"not a zip">>, [memory])}.

tars() ->
    File = "/tmp/viv_test_tar_" ++ os:getpid() ++ ".tar.gz",
    ok = erl_tar:create(File, [{"x", <<"one">>}, {"y/z", <<"two">>}], [compressed]),
    {ok, Names} = erl_tar:table(File, [compressed]),
    {ok, Files} = erl_tar:extract(File, [memory, compressed]),
    file:delete(File),
    {Names, Files}.

preprocess() ->
    File = "/tmp/viv_test_epp_" ++ os:getpid() ++ ".erl",
    ok = file:write_file(File, "-module(x).\n-define(A(X), {X, ??X, ?LINE}).\n-ifdef(B).\nf() -> b.\n-else.\nf() -> ?A(c).\n-endif.\n"),
    {ok, Forms} = epp:parse_file(File, []),
    {ok, More} = epp:parse_file(File, [], [{'B', true}]),
    file:delete(File),
    {tl(Forms), tl(More)}.
