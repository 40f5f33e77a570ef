%% A file is sent where it stands among what is sent: nothing comes in between, and what is sent meanwhile follows it.
-module(r_tcp_files).
-export([main/0]).

-define(SIZE, 3000000).

main() ->
    Name = "/tmp/r_tcp_files." ++ os:getpid(),
    ok = prim_file:write_file(Name, binary:copy(<<"f">>, ?SIZE)),
    None = fun(_) -> ok end,
    Long = fun(C) -> prim_inet:send(C, binary:copy(<<"a">>, 2000000)) end,
    Short = fun(C) -> prim_inet:send(C, "bb") end,
    [w(Label, one(Name, O, Before, Meanwhile))
     || {Label, O, Before, Meanwhile} <-
            [{"alone", [], None, None},
             {"before", [], Long, None},
             {"behind", [], None, Short},
             {"between", [], Long, Short},
             {"delayed", [{delay_send, true}], Short, Short},
             {"packets", [{packet, 2}], Short, Short},
             {"many", [], Long, fun(C) -> [Short(C) || _ <- lists:seq(1, 200)], ok end},
             {"shut", [], None, fun(C) -> _ = Short(C), prim_inet:shutdown(C, write) end}]],
    ok = prim_file:delete(Name).

w(Label, X) -> io:format("~s ~0p~n", [Label, X]).

one(Name, O, Before, Meanwhile) ->
    {C, S} = pair([{high_watermark, 10000000} | O]),
    First = Before(C),
    Me = self(),
    Sender = spawn_link(fun() ->
                                receive go -> ok end,
                                {ok, File} = prim_file:open(Name, [read, raw, binary]),
                                Me ! {file, prim_file:sendfile(File, C, 0, 0, 0, [], [], [])},
                                receive stop -> ok end
                        end),
    true = erlang:port_connect(C, Sender),
    true = unlink(C),
    Sender ! go,
    timer:sleep(100), % it waits for who reads
    Next = Meanwhile(C),
    Read = read(S, <<>>),
    Told = receive {file, Result} -> Result after 5000 -> none end,
    Sender ! stop,
    [catch port_close(X) || X <- [C, S]],
    {First, Next, Told, Read}.

pair(O) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(L, [{mode, binary}, {active, false}, {recbuf, 4096}]),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 5),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(C, [{active, false}, {sndbuf, 4096} | O]),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:close(L),
    {C, S}.

read(S, Before) ->
    case prim_inet:recv(S, 0, 1000) of
        {ok, Data} -> read(S, <<Before/binary, Data/binary>>);
        Other -> {runs(Before), Other}
    end.

runs(<<>>) -> [];
runs(<<Byte, _/binary>> = Bytes) ->
    N = run(Bytes, Byte, 0),
    [{Byte, N} | runs(binary:part(Bytes, N, byte_size(Bytes) - N))].

run(Bytes, Byte, N) when N < byte_size(Bytes) ->
    case binary:at(Bytes, N) of
        Byte -> run(Bytes, Byte, N + 1);
        _ -> N
    end;
run(_, _, N) -> N.
