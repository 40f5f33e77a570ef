%% Who gives up waiting for a socket finds no message of it later: what is on its way then is in the queue already.
-module(r_select_cancelled).
-export([main/0]).

-define(ROUNDS, 1500).

main() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => {127, 0, 0, 1}, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    Writer = spawn_link(fun() -> write(S) end),
    io:format("~p~n", [lists:sum([late(N, C, Writer) || N <- lists:seq(1, ?ROUNDS)])]).

write(S) -> receive go -> ok = socket:send(S, <<"x">>), write(S) end.

%% The message is sent by the thread that waits while this one calls.
late(N, C, Writer) ->
    {select, {select_info, _, Reference} = Info} = socket:recv(C, 0, nowait),
    Writer ! go,
    spin((N * 7919) rem 60000),
    ok = socket:cancel(C, Info),
    Late = receive {'$socket', C, select, Reference} -> 1 after 1 -> 0 end,
    {ok, <<"x">>} = socket:recv(C, 1),
    Late.

spin(0) -> ok;
spin(N) -> spin(N - 1).
