%% Compiles what it is told to, in one runtime: starting `erlc` takes longer than to compile a test.
%%
%% A line of standard input is {Id, Files, Options}. and a line of standard output {Id, Answer}, as soon as the files
%% are compiled; nobody waits for others. Answer is "", or what is wrong.
-module(compile_server).
-export([start/0]).

start() ->
    ok = io:setopts([{encoding, unicode}, binary]),
    serve().

serve() ->
    case io:read("") of
        {ok, {Id, Files, Options}} ->
            spawn(fun() -> io:format("{~w,~ts}.~n", [Id, io_lib:write_string(compile(Files, Options))]) end),
            serve();
        eof ->
            halt()
    end.

compile(Files, Options) ->
    lists:flatten([problems(File, compile:file(File, [return | Options])) || File <- Files]).

problems(_, {ok, _, _}) -> "";
problems(File, {error, Errors, _}) -> [problem(File, Error) || {_, InFile} <- Errors, Error <- InFile].

problem(File, {Location, Module, Error}) ->
    io_lib:format("~ts:~ts: ~ts~n", [File, place(Location), Module:format_error(Error)]);
problem(File, {Module, Error}) ->
    io_lib:format("~ts: ~ts~n", [File, Module:format_error(Error)]).

place({Line, Column}) -> io_lib:format("~w:~w", [Line, Column]);
place(Line) -> io_lib:format("~w", [Line]).
