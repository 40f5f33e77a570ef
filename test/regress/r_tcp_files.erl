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
    [w(Label, one(Name, O, Before, Meanwhile, Bytes))
     || {Label, O, Before, Meanwhile, Bytes} <-
            [{"alone", [], None, None, ?SIZE},
             {"before", [], Long, None, ?SIZE + 2000000},
             {"behind", [], None, Short, ?SIZE + 2},
             {"between", [], Long, Short, ?SIZE + 2000002},
             {"delayed", [{delay_send, true}], Short, Short, ?SIZE + 4},
             {"packets", [{packet, 2}], Short, Short, ?SIZE + 8},
             {"many", [], Long, fun(C) -> [Short(C) || _ <- lists:seq(1, 200)], ok end, ?SIZE + 2000400},
             {"shut", [], None, fun(C) -> _ = Short(C), prim_inet:shutdown(C, write) end, infinity}]],
    ok = prim_file:delete(Name).

w(Label, X) -> io:format("~s ~0p~n", [Label, X]).

one(Name, O, Before, Meanwhile, Bytes) ->
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
    Read = read(S, Bytes, <<>>),
    Told = receive {file, Result} -> Result after 60000 -> none end,
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

%% So many bytes are sure to come.
read(S, Bytes, Before) ->
    case prim_inet:recv(S, 0, if byte_size(Before) < Bytes -> 60000; true -> 1000 end) of
        {ok, Data} -> read(S, Bytes, <<Before/binary, Data/binary>>);
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
