%% Where machine code runs there is no listing of it: what writes listings of instructions writes empty ones.
-module(r_no_listing).
-export([main/0]).

main() ->
    io:format("~p~n", [[erts_debug:disassemble(What)
                        || What <- [{lists, reverse, 1}, {?MODULE, main, 0}, {lists, none, 7}, {erlang, self, 0},
                                    {erlang, self}, 0, -1, 1 bsl 70, 1.0, what]]]),
    Names = erts_debug:instructions(),
    io:format("~p ~p~n", [length(Names) > 100, [Name || Name <- Names, not io_lib:latin1_char_list(Name)]]),
    file:set_cwd("/"),
    io:format("~p~n", [erts_debug:dis_to_file(maps, "/dev/null")]).
