%% Who waits for a connection may ask how it went by the call that began it (gen_tcp with the backend socket does):
%% then nobody waits any more, and a close tells nothing.
-module(r_socket_connect_again).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => {127, 0, 0, 1}, port => 0}),
    {ok, A} = socket:sockname(L),
    again("refused", A, 3),
    again("refused", A, 1),
    ok = socket:listen(L),
    again("connected", A, 3),
    again("connected", A, 2).

again(Label, A, Times) ->
    {ok, C} = socket:open(inet, stream, tcp),
    Calls = [{begin_connect(C, A), states(C), told()} || _ <- lists:seq(1, Times)],
    io:format("~s ~p~n", [Label, {Calls, by_one(C), states(C), socket:close(C), told()}]).

begin_connect(C, A) ->
    case socket:connect(C, A, nowait) of
        {select, _} -> select;
        Answer -> Answer
    end.

by_one(C) -> try socket:connect(C) catch Class:Reason -> {Class, Reason} end.
states(C) -> maps:with([rstates, wstates, num_writers], socket:info(C)).
told() -> settled(), rest().
rest() -> receive {'$socket', _, Tag, _} -> [Tag | rest()] after 50 -> [] end.
