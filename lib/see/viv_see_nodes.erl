%% viv nodes: which nodes of this user have a local socket.
-module(viv_see_nodes).
-export([run/1, help/0, options/0]).

help() ->
    "usage: viv nodes\n\n"
    "Lists the running nodes of this user that have a local socket: process number, name, OTP release. Each number is\n"
    "a TARGET for the other commands. Sockets that were left behind are removed.\n".

options() -> #{}.

run([]) ->
    [io:format("~-8w ~ts  OTP ~ts~n", [Pid, Node, Otp])
     || {Pid, #{node := Node, otp := Otp}} <- viv_see_target:local()];
run([Word | _]) -> throw({usage, ["unexpected argument ", Word]}).
