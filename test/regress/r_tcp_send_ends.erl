%% Behind a shutdown that waits for what is queued nothing is sent any more: it fails, and what is queued is lost. A send
%% timeout of 0 is told, but closes nothing, whatever was asked for.
-module(r_tcp_send_ends).
-export([main/0]).

main() ->
    shut(),
    [out_of_time(Timeout, Closes) || Timeout <- [0, 1], Closes <- [false, true]].

shut() ->
    {C, S} = pair([{sndbuf, 4096}, {high_watermark, 100000000}]),
    ok = gen_tcp:send(C, binary:copy(<<1>>, 3000000)),
    io:format("~p~n", [gen_tcp:shutdown(C, write)]),
    io:format("~p~n", [[gen_tcp:send(C, "late") || _ <- [1, 2]]]),
    {Bytes, End} = received(S, 0),
    io:format("~p ~p~n", [Bytes < 3000000, End]).

out_of_time(Timeout, Closes) ->
    {C, S} = pair([{sndbuf, 4096}, {send_timeout, Timeout}, {send_timeout_close, Closes}]),
    Sent = [gen_tcp:send(C, binary:copy(<<1>>, 300000)) || _ <- [1, 2, 3]],
    {Bytes, End} = received(S, 0),
    io:format("~p ~p: ~p ~p ~p~n", [Timeout, Closes, Sent, Bytes =:= 900000, End]).

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [{active, false}, binary, {recbuf, 4096}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false}, binary | Options]),
    {ok, S} = gen_tcp:accept(L),
    {C, S}.

received(S, Bytes) ->
    case gen_tcp:recv(S, 0, if Bytes =:= 900000 -> 1000; true -> 60000 end) of
        {ok, More} -> received(S, Bytes + byte_size(More));
        Error -> {Bytes, Error}
    end.
