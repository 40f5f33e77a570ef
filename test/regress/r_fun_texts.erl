%% The text of a fun is a list of bytes: the names in it are UTF-8. The module of a local one is in no quotes.
-module(r_fun_texts).
-export([main/0]).

main() ->
    [io:format("~w ~w: ~w ~w~n", [atom_to_list(Module), atom_to_list(Name), erlang:fun_to_list(fun Module:Name/2),
                                  length(io_lib:format("~w", [fun Module:Name/2]))])
     || Module <- names(), Name <- [a, Module]],
    [io:format("~w: ~w~n", [Text, own_fun(list_to_atom(Text))]) || Text <- ["a", "A", "A b", "Elixir.A", [229], [197]]].

names() -> [list_to_atom(Text) || Text <- texts()].

texts() ->
    ["a", "A", "a b", [229], [197], [228, 229], [955], [1046], "a'b", "a\nb", "", [255], [26085, 26412], "a@b", "_a",
     "1a", [$a, 955], "end", "a\\b", [$x, 127], [128], [$a, 229], [247], [128512], [0]].

%% Up to the numbers, which the compiler gives.
own_fun(Module) ->
    Fun = {'fun', 1, {clauses, [{clause, 1, [], [], [{atom, 1, ok}]}]}},
    {ok, Module, Code} = compile:forms([{attribute, 1, module, Module}, {attribute, 1, export, [{f, 0}]},
                                        {function, 1, f, 0, [{clause, 1, [], [], [Fun]}]}]),
    {module, Module} = code:load_binary(Module, "none", Code),
    lists:sublist(erlang:fun_to_list(Module:f()), 5 + length(atom_to_list(Module)) + 6).
