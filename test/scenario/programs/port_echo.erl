%% Speaks by its standard input and output through a port, as programs behind ports do.
-module(port_echo).
-export([main/0, main/1]).
-include("../../erl/gone.hrl").

main() -> main(["echo"]).

main(["echo"]) -> echo(open_port({fd, 0, 1}, [binary, eof]));
main(["packets"]) -> echo(open_port({fd, 0, 1}, [binary, eof, {packet, 2}]));
main(["lines"]) -> echo(open_port({fd, 0, 1}, [{line, 10}, eof]));
%% What comes where nothing does.
main(["silence"]) ->
    process_flag(trap_exit, true),
    Port = open_port({fd, 0, 1}, [binary, eof]),
    Told = receive Any -> Any after 500 -> nothing end,
    port_command(Port, io_lib:format("~p~n", [Told])),
    port_close(Port),
    gone(Port);
%% More than any pipe takes, while a process counts: it is not held up by who does not read.
main(["flood"]) ->
    Port = open_port({fd, 0, 1}, [binary, out]),
    Counter = spawn_link(fun() -> count(0) end),
    [port_command(Port, binary:copy(<<"x">>, 100000)) || _ <- lists:seq(1, 20)],
    Counter ! {stop, self()},
    receive {counted, N} -> port_command(Port, io_lib:format("~n~p~n", [N > 10])) end,
    port_close(Port),
    gone(Port).

count(N) ->
    receive
        {stop, From} -> From ! {counted, N}
    after 1 -> count(N + 1)
    end.

echo(Port) ->
    receive
        {Port, {data, {End, Line}}} ->
            port_command(Port, io_lib:format("~p ~s~n", [End, Line])),
            echo(Port);
        {Port, {data, Data}} ->
            port_command(Port, Data),
            echo(Port);
        {Port, eof} ->
            port_close(Port),
            gone(Port)
    end.
