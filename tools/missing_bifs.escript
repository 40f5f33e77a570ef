#!/usr/bin/env escript
%% Lists the native functions of the stock runtime that src/bif/*/*.tab does not have, those that the stock libraries call
%% first. Run by the stock escript: tools/missing_bifs.escript [--all] [library ...]
%% Native are the functions that erlang:system_info(snifs) names; called, those in the import table of a .beam file of the
%% libraries (stdlib, kernel, compiler, erts, eunit, parsetools, syntax_tools and tools unless others are given).
-mode(compile).

main(["--all" | Libraries]) -> report(Libraries, all);
main(Libraries) -> report(Libraries, called).

report(Libraries, Which) ->
    Top = filename:dirname(filename:dirname(filename:absname(escript:script_name()))),
    Have = sets:from_list([{erlang, hibernate, 3}] ++ lists:append([table(F) || F <- filelib:wildcard(filename:join(Top, "src/bif/*/*.tab"))])),
    Missing = [MFA || MFA <- lists:sort(erlang:system_info(snifs)), not sets:is_element(MFA, Have)],
    Callers = callers(libraries(Libraries)),
    Called = [{MFA, maps:get(MFA, Callers)} || MFA <- Missing, is_map_key(MFA, Callers)],
    io:format("~b native functions, ~b missing, ~b of these called by the libraries~n",
              [length(erlang:system_info(snifs)), length(Missing), length(Called)]),
    [io:format("~p:~p/~b  <- ~0p~n", [M, F, A, lists:sublist(Modules, 6)]) || {{M, F, A}, Modules} <- Called],
    [io:format("~p:~p/~b~n", [M, F, A]) || Which =:= all, {M, F, A} = MFA <- Missing, not is_map_key(MFA, Callers)].

libraries([]) -> [stdlib, kernel, compiler, erts, eunit, parsetools, syntax_tools, tools];
libraries(Names) -> [list_to_atom(N) || N <- Names].

%% Lines are `module:name/arity c_function flags`; names may hold colons and slashes.
table(File) ->
    {ok, Text} = file:read_file(File),
    Lines = string:split(Text, "\n", all),
    lists:append([row(L) || L <- Lines]).

row(Line) ->
    case re:run(Line, "^(\\w+):(\\S+)/(\\d+)\\s", [{capture, all_but_first, list}]) of
        {match, [M, F, A]} -> [{list_to_atom(M), list_to_atom(string:trim(F, both, "'")), list_to_integer(A)}];
        nomatch -> []
    end.

callers(Libraries) ->
    Files = lists:append([filelib:wildcard(filename:join(code:lib_dir(L), "ebin/*.beam")) || L <- Libraries]),
    lists:foldl(fun imports/2, #{}, Files).

imports(File, Map) ->
    {ok, {Module, [{imports, Imports}]}} = beam_lib:chunks(File, [imports]),
    lists:foldl(fun(MFA, M) -> maps:update_with(MFA, fun(L) -> [Module | L] end, [Module], M) end, Map, Imports).
