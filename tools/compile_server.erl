%% Compiles what it is told to (orders.erl): {Id, Files, Options}. Who has many files keeps nobody else waiting.
-module(compile_server).
-export([start/0]).

start() ->
    orders:serve(fun(Id, [Files, Options]) -> spawn(fun() -> orders:tell(Id, compile(Files, Options)) end) end).

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
