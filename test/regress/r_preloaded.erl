%% The stock loader of files spawns helpers that call functions of modules which the stock runtime has from the start. Asking
%% the stock code server for those waited for the loader, which waited for the helper: io:format stopped for ever when
%% io_lib first met an error and loaded several modules at once.
-module(r_preloaded).
-export([main/0]).

main() ->
    io:format("~w~n", [code:ensure_modules_loaded([dict, gb_trees, sofs])]),
    io:format("~p~n", [element(1, element(2, catch io:format("~z", [1])))]),
    io:format("~w~n", [erlang:module_loaded(sofs)]).
