%% Who waits for a connection is told that his time is up, and nobody else: numbers of those who wait come again.
-module(r_accept_times).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, []),
    Me = self(),
    Other = spawn(fun() -> Me ! {first, self(), async_accept(L, -1)}, receive M -> Me ! {other, self(), M} end end),
    First = receive {first, Other, Number} -> Number end,
    before(L, First),
    First = async_accept(L, 50),
    io:format("~p~n", [receive
                           {inet_async, L, First, Result} -> Result;
                           {other, Other, _} -> other
                       after 60000 -> none
                       end]).

before(L, First) ->
    Number = async_accept(L, 0),
    receive {inet_async, L, Number, {error, timeout}} -> ok end,
    case (Number + 1) band 16#ffff of
        First -> ok;
        _ -> before(L, First)
    end.

async_accept(L, Timeout) ->
    {ok, Number} = prim_inet:async_accept(L, Timeout),
    Number.
