%% A library that takes the word 0 for no term, as it may: the integer 0 that it makes or gets from a list or a map is
%% none of these. (The word 0 was the integer 0: Debian's fast_yaml took `0` for a text.)
-module(r_nif_zero).
-export([main/0, made/2, read_back/1, built/0, returned/0, returned_dirty/0, raised/0, sent/0, scheduled/1,
         scheduled/2]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_nif_zero"), 0),
    io:format("~p~n", [made([0 | 0], #{0 => 0})]),
    io:format("~p~n", [read_back(0)]),
    io:format("~p~n", [built()]),
    io:format("~p~n", [returned() + returned_dirty() =:= 0]),
    io:format("~p~n", [try raised() catch error:Reason -> {error, Reason} end]),
    io:format("~p~n", [sent()]),
    io:format("~p~n", [[receive M -> {M =:= 0, M + 1} after 60000 -> none end || _ <- [1, 2]]]),
    io:format("~p~n", [{scheduled(0), scheduled(0, dirty)}]).

made(_, _) -> erlang:nif_error(not_loaded).
read_back(_) -> erlang:nif_error(not_loaded).
built() -> erlang:nif_error(not_loaded).
returned() -> erlang:nif_error(not_loaded).
returned_dirty() -> erlang:nif_error(not_loaded).
raised() -> erlang:nif_error(not_loaded).
sent() -> erlang:nif_error(not_loaded).
scheduled(_) -> erlang:nif_error(not_loaded).
scheduled(_, _) -> erlang:nif_error(not_loaded).
