%% A select with a message of its own that fails leaves the message and its environment as they are. They were emptied.
%% (Stock lets one wait for a descriptor that is closed, and only says that it is bad.)
-module(r_select_env_kept).
-export([main/0, fails_and_takes/2]).
-nifs([fails_and_takes/2]).

fails_and_takes(_Fd, _Mode) -> erlang:nif_error(not_loaded).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), []),
    erlang:system_flag(system_logger, self()),
    [io:format("~p ~p ~p~n", [Fd, Mode, fails_and_takes(Fd, Mode)]) || Fd <- [5000, 1 bsl 30, -1], Mode <- [1, 2, 3]].
