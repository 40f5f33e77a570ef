%% Where process_info/2 shows a process that waits for a busy port: in the function that it has called.
-module(r_port_busy_place).
-export([main/0, write/2]).

main() ->
    [io:format("~p ~p~n", [Way, place(Way)]) || Way <- ['!', send_2, send_3, port_command_2, port_command_3]].

place(Way) ->
    Port = open_port({spawn_executable, "/bin/sleep"}, [{args, ["1000"]}]),
    {os_pid, Program} = erlang:port_info(Port, os_pid),
    {Writer, Monitor} = spawn_monitor(?MODULE, write, [Way, Port]),
    true = port_connect(Port, Writer),
    true = unlink(Port),
    Writer ! go,
    wait(Writer),
    Place = process_info(Writer, [current_function, current_location, current_stacktrace]),
    Self = process_info(self(), current_function),
    exit(Writer, kill),
    receive {'DOWN', Monitor, process, Writer, killed} -> ok end,
    _ = os:cmd("kill " ++ integer_to_list(Program)),
    catch port_close(Port),
    {Place, Self}.

wait(Writer) ->
    case process_info(Writer, status) of
        {status, suspended} -> ok;
        {status, _} -> timer:sleep(5), wait(Writer)
    end.

write(Way, Port) -> receive go -> write(Way, Port, binary:copy(<<0>>, 65536)) end.
write(Way, Port, Bytes) -> send(Way, Port, Bytes), write(Way, Port, Bytes).

send('!', Port, Bytes) -> Port ! {self(), {command, Bytes}}, ok;
send(send_2, Port, Bytes) -> erlang:send(Port, {self(), {command, Bytes}}), ok;
send(send_3, Port, Bytes) -> erlang:send(Port, {self(), {command, Bytes}}, []), ok;
send(port_command_2, Port, Bytes) -> port_command(Port, Bytes), ok;
send(port_command_3, Port, Bytes) -> port_command(Port, Bytes, []), ok.
