%% A peer that sends byte by byte: who asks for more waits, is told that it took too long, and loses nothing by it; whole
%% packets come, whatever they are made of; and others are served meanwhile.
-module(r_slow_peer).
-export([main/0]).

main() ->
    [[io:format("~w ~w: ~0p~n", [Backend, What, Does(Backend)])
      || {What, Does} <- [{asked, fun asked/1}, {packets, fun packets/1}, {told, fun told/1}, {others, fun others/1},
                          {gone, fun gone/1}, {nobody_accepts, fun nobody_accepts/1}]]
     || Backend <- [[], [{inet_backend, socket}]]].

%% Both ends of a connection; the first is who receives.
pair(Backend, Options) ->
    {ok, L} = gen_tcp:listen(0, Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}} | Options]),
    {ok, Port} = inet:port(L),
    {ok, Slow} = gen_tcp:connect({127, 0, 0, 1}, Port, Backend ++ [binary, {active, false}, {nodelay, true}]),
    {ok, S} = gen_tcp:accept(L),
    gen_tcp:close(L),
    {S, Slow}.

slowly(Slow, Bytes) -> [begin ok = gen_tcp:send(Slow, [Byte]), timer:sleep(20) end || <<Byte>> <= Bytes].

asked(Backend) ->
    {S, Slow} = pair(Backend, []),
    slowly(Slow, <<"1234">>),
    Late = gen_tcp:recv(S, 10, 100),
    slowly(Slow, <<"567890">>),
    Whole = gen_tcp:recv(S, 10, 60000),
    spawn_link(fun() -> slowly(Slow, <<"abcdefghij">>) end),
    Slowly = gen_tcp:recv(S, 10, 60000),
    close(S, Slow),
    {Late, Whole, Slowly}.

packets(Backend) ->
    [begin
         {S, Slow} = pair(Backend, [{packet, Packet}]),
         spawn_link(fun() -> slowly(Slow, Bytes) end),
         Got = [gen_tcp:recv(S, 0, 60000) || _ <- lists:seq(1, Count)],
         close(S, Slow),
         {Packet, Got}
     end || {Packet, Bytes, Count} <- [{1, <<3, "abc", 1, "d">>, 2}, {2, <<0, 3, "abc">>, 1}, {4, <<0, 0, 0, 2, "ab">>, 1},
                                       {line, <<"one\ntwo\n">>, 2}, {asn1, <<16#30, 3, 2, 1, 5>>, 1},
                                       {http, <<"GET / HTTP/1.0\r\nA: b\r\n\r\n">>, 3}]].

%% Nothing is told before a packet is whole.
told(Backend) ->
    {S, Slow} = pair(Backend, [{packet, 2}]),
    inet:setopts(S, [{active, once}]),
    slowly(Slow, <<0, 4, "ab">>),
    Early = receive {tcp, S, _} = M -> M after 50 -> nothing end,
    slowly(Slow, <<"cd", 0>>),
    First = receive {tcp, S, Bytes} -> Bytes after 60000 -> nothing end,
    inet:setopts(S, [{active, once}]),
    slowly(Slow, <<1>>),
    Early2 = receive {tcp, S, _} = M2 -> M2 after 50 -> nothing end,
    slowly(Slow, <<"e">>),
    Second = receive {tcp, S, Bytes2} -> Bytes2 after 60000 -> nothing end,
    close(S, Slow),
    {Early, First, Early2, Second}.

%% One that takes its time holds up nobody.
others(Backend) ->
    {S, Slow} = pair(Backend, [{packet, 4}]),
    Self = self(),
    Waits = spawn_link(fun() -> Got = gen_tcp:recv(S, 0, 60000), Self ! {self(), Got} end),
    gen_tcp:send(Slow, <<0, 0, 0>>),
    Served = [begin
                  {A, B} = pair(Backend, []),
                  ok = gen_tcp:send(B, integer_to_binary(N)),
                  Got = gen_tcp:recv(A, 0, 60000),
                  close(A, B),
                  Got
              end || N <- lists:seq(1, 5)],
    slowly(Slow, <<2, "ok">>),
    Last = receive {Waits, Got} -> Got after 60000 -> nothing end,
    close(S, Slow),
    {Served, Last}.

%% In the middle of a packet.
gone(Backend) ->
    [begin
         {S, Slow} = pair(Backend, [{packet, 4} | Options]),
         slowly(Slow, <<0, 0, 0, 9, "half">>),
         ok = inet:setopts(Slow, [{linger, {true, 0}} || Resets]),
         gen_tcp:close(Slow),
         Got = gen_tcp:recv(S, 0, 60000),
         gen_tcp:close(S),
         {Resets, Options, Got}
     end || Resets <- [false, true], Options <- [[], [{show_econnreset, true}]]].

%% The system has taken the connection; whose it is to be is not decided, and then nobody's.
nobody_accepts(Backend) ->
    {ok, L} = gen_tcp:listen(0, Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, Backend ++ [binary, {active, false}]),
    Sent = gen_tcp:send(C, "hello?"),
    Late = gen_tcp:recv(C, 0, 50),
    gen_tcp:close(L),
    Ends = gen_tcp:recv(C, 0, 60000),
    gen_tcp:close(C),
    {Sent, Late, Ends}.

close(A, B) -> gen_tcp:close(A), gen_tcp:close(B).
