%% A library takes its limit from a member that it never writes (ets_cache of p1_cache_tab 1.0.30: how many tables there
%% may be). On stock that is never 0, as no block begins so; here one in fifty starts of the library had the limit 0.
-module(r_nif_alloc_begins).
-export([main/0, zeros/1]).
-nifs([zeros/1]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    io:format("~p~n", [[{Size, zeros(Size)} || Size <- [8, 16, 24, 100, 1000, 5000, 100000]]]).

zeros(_) -> erlang:nif_error(not_loaded).
