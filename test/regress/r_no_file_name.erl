%% Code that was compiled from forms without a file attribute: its lines are of Module.erl.
-module(r_no_file_name).
-export([main/0]).

main() ->
    Call = {call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, error}}, [{atom, 1, a}]},
    Forms = [{attribute, 1, module, r_made}, {attribute, 1, export, [{f, 0}]},
             {function, 7, f, 0, [{clause, 7, [], [], [Call]}]}, {eof, 8}],
    {ok, r_made, Code} = compile:forms(Forms, []),
    {module, r_made} = code:load_binary(r_made, "r_made.beam", Code),
    io:format("~p~n", [try r_made:f() catch error:a:S -> hd(S) end]).
