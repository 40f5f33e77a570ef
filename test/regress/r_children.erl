%% Programs behind ports that are killed, stopped, leave a child of their own behind, read nothing, close what they read
%% from, and write more than anybody has asked for.
-module(r_children).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [io:format("~s: ~w~n", [Signal, killed(Signal)]) || Signal <- ["KILL", "TERM", "SEGV", "HUP"]],
    [io:format("~w: ~w~n", [What, Does()])
     || {What, Does} <- [{stopped, fun stopped/0}, {leaves_a_child, fun leaves_a_child/0}, {reads_nothing, fun reads_nothing/0},
                         {reads_no_more, fun reads_no_more/0}, {writes_much, fun writes_much/0}, {many, fun many/0}]].

open(Command, Options) -> open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Command]}, binary | Options]).

signal(Name, Pid) -> os:cmd("kill -" ++ Name ++ " " ++ integer_to_list(Pid)).

killed(Name) ->
    {Port, Pid} = sleeper(),
    signal(Name, Pid),
    {next(Port), next(Port), erlang:port_info(Port)}.

%% One that runs: a signal that comes before a program is there may be lost on the way to it.
sleeper() ->
    Port = open("echo ready; exec sleep 1000", [exit_status]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    {data, 6} = next(Port),
    {Port, Pid}.

next(Port) ->
    receive {Port, {data, Bytes}} -> {data, byte_size(Bytes)}; {Port, What} -> What; {'EXIT', Port, Reason} -> {exit, Reason}
    after 60000 -> nothing
    end.

%% It takes no more, nobody else waits for it, and when it goes on nothing is lost.
stopped() ->
    Port = open("exec cat", []),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    true = port_command(Port, "x"),
    {data, 1} = next(Port),
    signal("STOP", Pid),
    Told = tell_until_busy(Port, 0),
    Waits = spawn_link(fun() -> port_command(Port, "last") end),
    Other = os:cmd("echo others"),
    signal("CONT", Pid),
    All = receive_bytes(Port, Told + 4),
    End = receive {'EXIT', Waits, Reason} -> Reason after 60000 -> waits end,
    port_close(Port),
    {Told > 65536, Other, All =:= Told + 4, End}.

tell_until_busy(Port, Told) ->
    case port_command(Port, binary:copy(<<"x">>, 10000), [nosuspend]) of
        true -> tell_until_busy(Port, Told + 10000);
        false -> Told
    end.

receive_bytes(_, Left) when Left =< 0 -> -Left;
receive_bytes(Port, All) -> receive_bytes(Port, All, 0).
receive_bytes(_, All, Got) when Got >= All -> Got;
receive_bytes(Port, All, Got) ->
    receive {Port, {data, Bytes}} -> receive_bytes(Port, All, Got + byte_size(Bytes)) after 60000 -> {only, Got} end.

%% The status comes when the program ends; the end of what it writes when its child does.
leaves_a_child() ->
    Port = open("sleep 1000 & echo $!; exit 3", [exit_status, eof]),
    Pid = receive {Port, {data, Digits}} -> binary_to_integer(string:trim(Digits)) after 60000 -> nothing end,
    Status = receive {Port, {exit_status, S}} -> S after 1000 -> none_yet end,
    signal("KILL", Pid),
    Rest = lists:sort([next(Port)] ++ [next(Port) || Status =:= none_yet]),
    catch port_close(Port),
    {Status, Rest}.

%% What is queued is written, or lost with who would have read it.
reads_nothing() ->
    {Port, Pid} = sleeper(),
    Told = tell_until_busy(Port, 0),
    Busy = port_command(Port, "x", [nosuspend]),
    {queue_size, Queued} = erlang:port_info(Port, queue_size),
    signal("KILL", Pid),
    {Told > 65536, Busy, Queued > 0, until_exit(Port)}.

%% What is seen first, its end or that nobody reads, is nobody's promise.
until_exit(Port) ->
    case next(Port) of
        {exit_status, 137} -> until_exit(Port);
        {exit, Reason} -> lists:member(Reason, [epipe, normal]);
        Other -> Other
    end.

reads_no_more() ->
    Port = open("exec 0<&-; echo ready; exec sleep 1000", []),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    {data, 6} = next(Port),
    Told = catch port_command(Port, "x"),
    End = next(Port),
    signal("KILL", Pid),
    {Told, End, erlang:port_info(Port)}.

%% Nobody looks at it for a while.
writes_much() ->
    Port = open("head -c 5000000 /dev/zero; exit 9", [exit_status]),
    Got = receive_bytes(Port, 5000000),
    {Got, next(Port), next(Port)}.

many() ->
    Ports = [open("cat >/dev/null; exit " ++ integer_to_list(N), [exit_status]) || N <- lists:seq(1, 30)],
    Pids = [begin {os_pid, Pid} = erlang:port_info(Port, os_pid), Pid end || Port <- Ports],
    os:cmd("kill -KILL " ++ lists:join(" ", [integer_to_list(Pid) || Pid <- Pids])),
    lists:usort([{next(Port), next(Port)} || Port <- Ports]).
