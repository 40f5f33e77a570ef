%% erl_prim_loader answers who asks it first of all, and finds the modules of kernel and stdlib.
-module(r_prim_loader).
-export([main/0]).

main() ->
    {ok, Code, File} = erl_prim_loader:get_file("lists.beam"),
    io:format("~p ~p~n", [is_binary(Code), [filename:basename(File), filename:basename(filename:dirname(File))]]),
    {ok, Path} = erl_prim_loader:get_path(),
    Names = [hd(string:split(lists:nth(2, lists:reverse(filename:split(D))), "-")) || D <- Path],
    io:format("~p ~p~n", [lists:member(filename:dirname(code:which(?MODULE)), Path),
                          [Name || Name <- Names, Name =:= "kernel" orelse Name =:= "stdlib"]]),
    io:format("~p~n", [[erl_prim_loader:get_file(Name) || Name <- ["no_such.beam", no_such, {none}]]]),
    io:format("~p~n", [is_pid(whereis(erl_prim_loader))]).
