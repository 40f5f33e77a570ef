%% What stands before the data that are sent: from OTP 26 on a term, which the answer has. Before, it is data.
-module(r_tcp_references).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    process_flag(trap_exit, true),
    [both(D) || D <- refused() ++ terms()],
    w(fresh("abc")),
    w(fresh(with(make_ref()))),
    [options(O) || O <- [17, 18, 19, 47, 48]],
    [w(one_by_one(P)) || P <- [raw, 1, 2, 4, line, http]],
    waiting(),
    ok.

refused() -> ["abc", "a", "", <<0, 0>>, <<0, 0, "abc">>, <<0, 1>>, <<0, 1, 131>>, [<<0, 3, 1, 2, 3>>, "data"]].
terms() ->
    [[<<0, 3, 131, 97, 5>>, D] || D <- ["", "data", [<<"d">>, "ata"]]] ++
        [[<<0>>, <<3, 131>>, [<<97>>, <<5>>], "data"], [<<0, 4, 131, 97, 5, 6>>, "data"]] ++
        [with(T) || T <- [make_ref(), hello, lists:seq(1, 1000), <<0:8000>>, #{a => b}, 1 bsl 100]].
with(T) ->
    Bytes = term_to_binary(T),
    [<<(byte_size(Bytes)):16>>, Bytes, binary:copy(<<"data">>, 50)].

w(X) -> io:format("~0tp~n", [clean(X)]).
clean(X) when is_port(X) -> port;
clean({'EXIT', {Reason, [_ | _]}}) -> {'EXIT', Reason};
clean(X) when is_reference(X) -> reference;
clean(X) when is_binary(X), byte_size(X) > 50 -> {X =:= binary:copy(binary:part(X, 0, 4), byte_size(X) div 4),
                                                   byte_size(X)};
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive {'EXIT', _, normal} -> rest(); X -> [X | rest()] after 20 -> [] end.
%% What was sent is there, or does not come.
received(S) -> settled(), prim_inet:recv(S, 0, 200).

pair() ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 5),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:close(L),
    [ok = prim_inet:setopts(X, [{mode, binary}]) || X <- [C, S]],
    {C, S}.

both(Data) ->
    {C, S} = pair(),
    w({catch port_command(C, Data), fl(), catch prim_inet:getstatus(C), catch prim_inet:recv(S, 0, 200)}),
    w({catch port_command(S, Data, [force]), fl(), catch prim_inet:recv(C, 0, 200), packets(C, S, Data)}),
    [catch port_close(X) || X <- [C, S]].

%% The length that is sent is that of the data alone.
packets(C, S, Data) ->
    [begin
         Set = [catch prim_inet:setopts(X, [{packet, P}]) || X <- [C, S]],
         {P, Set, catch port_command(C, Data), catch received(S), fl()}
     end || P <- [1, 2, 4, 0]].

fresh(Data) ->
    {ok, S} = prim_inet:open(tcp, inet, stream),
    [catch port_command(S, Data), fl(), prim_inet:send(S, "abc"), fl()].

options(O) ->
    {C, _} = pair(),
    Get = fun() -> catch erlang:port_control(C, 8 + 16#03f1a300, [O]) end,
    w({O, Get(), [{catch erlang:port_control(C, 7 + 16#03f1a300, [O, <<V:32>>]), Get()} || V <- [1, 0, 7]]}).

%% Without read_ahead (from OTP 27 on) no packet but the one that is wanted leaves the system.
one_by_one(P) ->
    {C, S} = pair(),
    _ = erlang:port_control(S, 7 + 16#03f1a300, [47, <<0:32>>]),
    ok = prim_inet:setopts(S, [{packet, P}]),
    ok = prim_inet:setopts(C, [{packet, case P of http -> raw; _ -> P end}]),
    [ok = prim_inet:send(C, Data) || Data <- ["abc\n", "GET / HTTP/1.0\r\n", "de", binary:copy(<<"x">>, 200), "\n"]],
    settled(),
    Packets = [prim_inet:recv(S, 0, 200) || _ <- "abc"],
    ok = prim_inet:setopts(S, [{packet, raw}]),
    {P, Packets, prim_inet:recv(S, 0, 50)}.

%% Who waits for the queue is answered with what is his.
waiting() ->
    {C, S} = pair(),
    ok = prim_inet:setopts(C, [{high_watermark, 100}, {low_watermark, 50}, {sndbuf, 4096}]),
    Big = binary:copy(<<"data">>, 400000),
    w([port_command(C, [<<0, 3, 131, 97, 5>>, Big]), fl()]),
    w([port_command(C, [<<0, 3, 131, 97, 6>>, Big], [force]), fl()]),
    Me = self(),
    [spawn_link(fun() -> Me ! {N, prim_inet:send(C, Big)} end) || N <- [1, 2]],
    w([catch port_command(C, [<<0, 3, 131, 97, 7>>, Big], [nosuspend]), fl()]),
    _ = receive_all(S),
    w(lists:sort(fl())),
    w(port_command(C, [<<0, 3, 131, 97, 5>>, Big])),
    true = port_close(S),
    w(fl()).

receive_all(S) ->
    case prim_inet:recv(S, 0, 5000) of
        {ok, _} -> receive_all(S);
        Other -> Other
    end.
