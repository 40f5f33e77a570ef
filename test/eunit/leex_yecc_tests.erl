%% A scanner and a parser are generated, compiled, loaded and used.
-module(leex_yecc_tests).
-include_lib("eunit/include/eunit.hrl").

scanner() ->
    "Definitions.\n"
    "D = [0-9]\n"
    "Rules.\n"
    "{D}+ : {token, {number, TokenLine, list_to_integer(TokenChars)}}.\n"
    "{D}+\\.{D}+ : {token, {number, TokenLine, list_to_float(TokenChars)}}.\n"
    "[a-z][a-z0-9_]* : {token, {name, TokenLine, list_to_atom(TokenChars)}}.\n"
    "[-+*/()=;] : {token, {list_to_atom(TokenChars), TokenLine}}.\n"
    "#[^\\n]* : skip_token.\n"
    "[\\s\\t\\n]+ : skip_token.\n"
    "@ : {error, \"no such thing\"}.\n"
    "\\. : {end_token, {stop, TokenLine}}.\n"
    "Erlang code.\n".

parser() ->
    "Nonterminals all statement expression.\n"
    "Terminals number name '+' '-' '*' '/' '(' ')' '=' ';'.\n"
    "Rootsymbol all.\n"
    "Left 100 '+'. Left 100 '-'. Left 200 '*'. Left 200 '/'. Unary 300 '~'.\n"
    "all -> statement : ['$1'].\n"
    "all -> statement ';' all : ['$1' | '$3'].\n"
    "statement -> name '=' expression : {set, value('$1'), '$3'}.\n"
    "statement -> expression : '$1'.\n"
    "expression -> expression '+' expression : {add, '$1', '$3'}.\n"
    "expression -> expression '-' expression : {subtract, '$1', '$3'}.\n"
    "expression -> expression '*' expression : {multiply, '$1', '$3'}.\n"
    "expression -> expression '/' expression : {divide, '$1', '$3'}.\n"
    "expression -> '-' expression : {negate, '$2'}.\n"
    "expression -> '(' expression ')' : '$2'.\n"
    "expression -> number : value('$1').\n"
    "expression -> name : value('$1').\n"
    "Erlang code.\n"
    "value({_, _, Value}) -> Value.\n".

all_test_() -> {timeout, 300, {setup, fun make/0, fun clean/1, fun tests/1}}.

make() ->
    Folder = "/tmp/leex_yecc_tests_" ++ os:getpid(),
    ok = filelib:ensure_dir(Folder ++ "/x"),
    ok = file:write_file(Folder ++ "/ly_scanner.xrl", scanner()),
    ok = file:write_file(Folder ++ "/ly_parser.yrl", re:replace(parser(), " Unary 300 '~'.", "", [{return, list}])),
    {ok, Scanner} = leex:file(Folder ++ "/ly_scanner.xrl"),
    {ok, Parser} = yecc:file(Folder ++ "/ly_parser.yrl"),
    [begin
         {ok, Module, Code} = compile:file(File, [binary, report]),
         {module, Module} = code:load_binary(Module, File, Code)
     end || File <- [Scanner, Parser]],
    Folder.

clean(Folder) -> ok = file:del_dir_r(Folder).

parse(Text) ->
    {ok, Tokens, _} = ly_scanner:string(Text),
    ly_parser:parse(Tokens).

tests(_) ->
    [?_assertEqual({ok, [{number, 1, 12}, {'+', 1}, {name, 2, a_1}], 2}, ly_scanner:string("12 +# remark\na_1")),
     ?_assertEqual({ok, [{number, 1, 1.5}], 1}, ly_scanner:string("1.5")),
     ?_assertMatch({error, {1, ly_scanner, {illegal, "?"}}, 1}, ly_scanner:string("a ?")),
     ?_assertMatch({error, {2, ly_scanner, {user, "no such thing"}}, 2}, ly_scanner:string("a\n@")),
     ?_assertMatch({done, {ok, [{name, 1, a}, {stop, 1}], 1}, " b"}, ly_scanner:tokens([], "a. b", 1)),
     ?_assertMatch({more, _}, ly_scanner:tokens([], "a", 1)),
     ?_assertEqual({ok, [{add, 1, {multiply, 2, 3}}]}, parse("1 + 2 * 3")),
     ?_assertEqual({ok, [{subtract, {subtract, 1, 2}, 3}]}, parse("1 - 2 - 3")),
     ?_assertEqual({ok, [{set, x, {multiply, {add, 1, y}, {negate, 2.5}}}, x]}, parse("x = (1 + y) * -2.5; x")),
     ?_assertMatch({error, {1, ly_parser, _}}, parse("1 +")),
     ?_assertEqual("syntax error before: ')'", begin
                                                   {error, {_, M, What}} = parse("(1 + )"),
                                                   lists:flatten(M:format_error(What))
                                               end),
     ?_assertEqual({ok, [lists:foldl(fun(N, A) -> {add, A, N} end, 0, lists:seq(1, 2000))]},
                   parse(lists:flatten(lists:join("+", [integer_to_list(N) || N <- lists:seq(0, 2000)]))))].
