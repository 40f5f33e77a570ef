%% enif_dynamic_resource_call takes an object's reference, and no binary that shows its bytes, which it took.
-module(r_nif_dynamic_binary).
-export([main/0, both/0]).
-nifs([both/0]).

both() -> erlang:nif_error(not_loaded).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), []),
    io:format("~p~n", [both()]).
