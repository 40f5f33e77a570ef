%% What erlang:send/2,3 and `!` return to who had to wait for a busy port.
-module(r_send_waits).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [What, waited(Send)]) || {What, Send} <- [
        {bang, fun(Port, Message) -> (Port ! Message) =:= Message end},
        {send_2, fun(Port, Message) -> erlang:send(Port, Message) =:= Message end},
        {send_3, fun(Port, Message) -> erlang:send(Port, Message, []) end},
        {send_3_noconnect, fun(Port, Message) -> erlang:send(Port, Message, [noconnect]) end},
        {send_3_nosuspend, fun(Port, Message) -> erlang:send(Port, Message, [nosuspend]) end}]].

%% The program reads nothing until it is let go on: what is written fills the pipe, then the port is busy.
waited(Send) ->
    Port = open_port({spawn, "sh -c 'sleep 1; cat >/dev/null'"}, [binary]),
    Self = self(),
    Bytes = binary:copy(<<"x">>, 1 bsl 20),
    true = port_command(Port, Bytes),
    spawn_link(fun() -> Self ! {answer, Send(Port, {Self, {command, <<"y">>}})} end),
    receive {answer, Answer} -> catch port_close(Port), Answer end.
