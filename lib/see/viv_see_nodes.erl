%% viv nodes: which nodes of this user have a local socket.
-module(viv_see_nodes).
-export([run/1, help/0, options/0]).

help() ->
    "usage: viv nodes\n\n"
    "Lists the running nodes of this user that have a local socket: process number, name, OTP release. Each number is\n"
    "a TARGET for the other commands. One that has not answered in three seconds starts, ends or is\n"
    "stopped. Sockets that were left behind are removed.\n".

options() -> #{}.

run([]) ->
    [viv_see_out:put(line(Pid, Facts)) || {Pid, Facts} <- viv_see_target:local()];
run([Word | _]) -> throw({usage, ["unexpected argument ", Word]}).

line(Pid, late) -> io_lib:format("~-8w does not answer~n", [Pid]);
line(Pid, #{node := Node, otp := Otp}) -> io_lib:format("~-8w ~ts  OTP ~ts~n", [Pid, Node, Otp]).
