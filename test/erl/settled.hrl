%% settled/0: until what has been sent to a socket of this runtime has come to its port, however busy the machine is: a
%% packet that is sent behind it has come, and nobody runs, as far as one can see.
-include("quiet.hrl").
-compile({nowarn_unused_function, [settled/0]}).

settled() ->
    {Socket, Number} = settled_socket(),
    ok = inet:setopts(Socket, [{active, once}]),
    ok = gen_udp:send(Socket, {127, 0, 0, 1}, Number, "behind"),
    receive {udp, Socket, _, _, _} -> quiet() end.

settled_socket() ->
    case get(settled) of
        undefined ->
            {ok, Socket} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}, {active, false}]),
            {ok, Number} = inet:port(Socket),
            put(settled, {Socket, Number}),
            {Socket, Number};
        Kept -> Kept
    end.
