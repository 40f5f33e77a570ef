%% A library makes more keys of data in threads than the system has of its own (1024): enif_tsd_key_create failed.
-module(r_nif_keys).
-export([main/0, try_keys/0]).
-nifs([try_keys/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    io:format("~p~n", [[try_keys() || _ <- [1, 2]]]).

try_keys() -> erlang:nif_error(not_loaded).
