%% Who cancels a select waits until what was taken has been sent; but not for the destructor of an object that only the
%% message held, as that may wait for a lock of who cancels. Both waited for ever.
-module(r_select_destructor_waits).
-export([main/0, cancel_meanwhile/1]).
-nifs([cancel_meanwhile/1]).

cancel_meanwhile(_Gone) -> erlang:nif_error(not_loaded).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), []),
    {Gone, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Gone, normal} -> ok end,
    io:format("~p~n", [cancel_meanwhile(Gone)]).
