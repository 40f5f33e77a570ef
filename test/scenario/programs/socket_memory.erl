%% More memory is asked for, by a packet's length or by a number, than there is: that one operation fails, and all
%% goes on.
-module(socket_memory).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {packet, raw}]),
    {ok, Port} = inet:port(L),
    [says(Case, packet(Case, L, Port)) || Case <- [passive, true, once, 5]],
    {ok, A} = socket:open(inet, dgram, udp),
    ok = socket:bind(A, #{family => inet, addr => loopback, port => 0}),
    {ok, Address} = socket:sockname(A),
    Most = 1 bsl 34,
    says(recv, socket:recv(A, Most, 0)),
    says(recvfrom, socket:recvfrom(A, Most, [], 0)),
    says(recvmsg, socket:recvmsg(A, Most, 0, [], 0)),
    says(recvmsg_control, socket:recvmsg(A, 0, Most, [], 0)),
    ok = socket:setopt(A, {otp, sndctrlbuf}, Most),
    Control = #{level => ip, type => tos, data => <<4:32/native>>},
    says(sendmsg, socket:sendmsg(A, #{addr => Address, iov => [<<"x">>], ctrl => [Control]})),
    says(getopt, socket:getopt_native(A, {1, 3}, 16#7fffffff)),
    ok = socket:setopt(A, {otp, rcvbuf}, Most),
    ok = socket:sendto(A, <<"here">>, Address),
    says(rcvbuf, socket:recv(A, 0, 0)),
    says(there, socket:recv(A, 4, 60000)),
    says(exchanged, exchange(L, Port)).

says(What, Answer) -> io:format("~p ~0p~n", [What, Answer]).

pair(L, Port) ->
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L),
    {C, S}.

%% Its header comes, and then one byte.
packet(Active, L, Port) ->
    {C, S} = pair(L, Port),
    ok = inet:setopts(S, [{packet, 4}]),
    ok = gen_tcp:send(C, <<16#7fffff00:32>>),
    _ = spawn_link(fun() -> timer:sleep(100), gen_tcp:send(C, "x") end),
    Answer = case Active of
        passive -> gen_tcp:recv(S, 0, 60000);
        _ -> ok = inet:setopts(S, [{active, Active}]), told(S)
    end,
    [gen_tcp:close(X) || X <- [C, S]],
    Answer.

told(S) -> receive {Tag, S} -> [Tag]; {Tag, S, Reason} -> [{Tag, Reason} | told(S)] after 20000 -> [] end.

exchange(L, Port) ->
    {C, S} = pair(L, Port),
    ok = gen_tcp:send(C, <<"hello">>),
    gen_tcp:recv(S, 5, 60000).
