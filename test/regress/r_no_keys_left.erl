%% A library takes all keys of thread-specific data that there are, then makes its first thread: for that the runtime
%% wanted keys of its own, and ended.
-module(r_no_keys_left).
-export([main/0, thread_without_keys/0]).
-nifs([thread_without_keys/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    io:format("~p~n", [[{thread_without_keys(), receive M -> M after 60000 -> none end} || _ <- [1, 2]]]).

thread_without_keys() -> erlang:nif_error(not_loaded).
