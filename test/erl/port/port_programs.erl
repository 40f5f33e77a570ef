%% Programs of the system behind ports: what is started and how, what comes, and how it ends.
-module(port_programs).
-export([main/0]).
-include("../heard.hrl").

main() ->
    ok = logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    Folder = filename:absname("port_programs_" ++ os:getpid()),
    ok = file:make_dir(Folder),
    try all(Folder)
    after
        [file:delete(File) || File <- filelib:wildcard(Folder ++ "/*")],
        file:del_dir(Folder)
    end.

all(Folder) ->
    [show(Name, Options) || {Name, Options} <- shells() ++ files() ++ refused()],
    [io:format("~w~n", [come(open_port({spawn, "echo " ++ [Character]}, [binary]))]) || Character <- [16#20ac, 16#fc]],
    folders(Folder),
    not_a_program(Folder),
    io:format("~p~n", [os:cmd("echo one; echo two 1>&2; cat")]),
    io:format("~p~n", [[sets:size(sets:from_list([os:cmd("echo " ++ integer_to_list(N)) || N <- lists:seq(1, 50)]))]]).

shells() ->
    [{{spawn, Command}, Options}
     || {Command, Options} <- [{"true", [exit_status]}, {"true", [exit_status, eof]}, {"true", [eof]}, {"true", []},
                               {"exit 7", [exit_status]}, {"false", [exit_status]},
                               {"kill -9 $$", [exit_status]}, {"sh -c 'kill -15 $$'", [exit_status]},
                               {"sh -c 'sleep 0.1 & exit 4'", [exit_status]},
                               {"sh -c 'exec 1>&-; sleep 0.1; exit 5'", [exit_status]},
                               {"sh -c 'exec 1>&-; sleep 0.1; exit 5'", [exit_status, eof]},
                               {"printf abc", [binary]}, {"printf abc", [stream]}, {"printf abc", [in, binary]},
                               {"printf 0123456789abcdef", [{line, 5}]}, {"printf 'ab\\ncd'", [{line, 5}, binary]},
                               {"printf 'ab\\ncd\\n'", [{line, 2}, binary, eof]},
                               {"printf '\\n\\n'", [{line, 2}]}, {"printf '%01000d' 5", [line]},
                               {"printf 'abcde\\ncd\\n'", [{line, 5}, binary, eof]},
                               {"printf '\\003abc\\000\\001d\\005xy'", [{packet, 1}, binary, eof]},
                               {"printf '\\000\\003abc\\000\\001d\\000'", [{packet, 2}, binary]},
                               {"printf '\\000\\000\\000\\003abc'", [{packet, 4}]},
                               {"sh -c 'echo a; sleep 0.1; echo b >&2'", [stderr_to_stdout, stream, binary, eof]},
                               {"sh -c 'echo $0 $A $HOME'", [{env, [{"A", "B"}, {"HOME", false}]}]},
                               {"sh -c 'echo $A'", [{env, [{"A", "1"}, {"A", "2"}]}]},
                               {"sh -c 'echo x >&4' 4>&1", [nouse_stdio, exit_status]},
                               {"sh -c 'ls /proc/self/fd | wc -l'", []},
                               {"grep -E 'Sig(Blk|Cgt)' /proc/self/status", [binary]},
                               {"echo hi", [overlapped_io, hide, {parallelism, true}, use_stdio, in, out]},
                               {"echo hi", [{busy_limits_port, {10, 20}}, {busy_limits_msgq, disabled}]},
                               {"echo hi", [{busy_limits_port, {30, 20}}]},
                               {<<"echo bin">>, []}, {echo, []}, {"  ", []}]].

files() ->
    [{{spawn_executable, "/bin/sh"}, [{args, ["-c", "echo $0 $1", "x", "yy"]}, {arg0, "foo"}]},
     {{spawn_executable, "/bin/sh"}, [{args, ["-c", <<"exit 3">>]}, exit_status]},
     {{spawn_executable, "/bin/cat"}, [{arg0, "foo"}, {args, ["/proc/self/cmdline"]}, exit_status, binary]},
     {{spawn_executable, "/bin/cat"}, [{args, ["/proc/self/cmdline"]}, exit_status, binary]},
     {{spawn_executable, <<"/bin/echo">>}, [{args, ["a b", <<"c">>, ""]}]},
     {{spawn_executable, "/bin"}, [exit_status]}].

refused() ->
    [{{spawn_executable, "cat"}, []}, {{spawn_executable, "/no/such"}, []}, {{spawn_executable, "/etc/passwd"}, []},
     {{spawn_executable, ""}, []}, {{spawn, ""}, []}, {{spawn, [1, a]}, []}, {{spawn, [97, 0, 98]}, []},
     {{spawn, 1}, []}, {{spawn, {}}, []}, {{spawn_driver, "no_such"}, []}, {{fd, 0}, []}, {{fd, a, 1}, []},
     {{fd, 0, -1}, []}, {{foo, "x"}, []}, {{spawn}, []}, {1, []}, {{spawn, "true"}, a}, {{spawn, "true"}, [in | out]}]
        ++ [{{spawn, "true"}, [Option]}
            || Option <- [foo, {packet, 0}, {packet, 3}, {packet, x}, {line, 0}, {line, -1}, {line, x}, {args, ["a"]},
                          {arg0, "a"}, {env, a}, {env, [a]}, {env, [{"A", 1}]}, {env, [{a, "1"}]}, {env, [{"A", a}]},
                          {env, [{"A", "1"} | x]}, {cd, 1}, {parallelism, 1}, {busy_limits_port, 1},
                          {busy_limits_msgq, {a, 1}}, {1, 2, 3}, 1]].

show(Name, Options) ->
    Answer = try open_port(Name, Options) of
                 Port -> come(Port, awaited(Options))
             catch
                 error:Reason:Stack -> {M, F, _, Info} = hd(Stack), {Reason, M, F, Info}
             end,
    io:format("~p ~p~n  ~p~n", [Name, Options, Answer]).

%% A port stays behind the end of its output where that is asked for, else it ends.
awaited(Options) ->
    case lists:member(eof, Options) of
        true -> [eof | [exit_status || lists:member(exit_status, Options)]];
        false -> [its_end]
    end.

come(Port) -> come(Port, [its_end]).
come(Port, Awaited) ->
    receive
        {Port, {exit_status, Status}} -> [{exit_status, Status} | come(Port, Awaited -- [exit_status])];
        {Port, What} -> [What | come(Port, Awaited -- [What])];
        {'EXIT', Port, Reason} -> [{exit, Reason}]
    after patience(length(Awaited), 500) ->
        Info = erlang:port_info(Port, connected),
        catch port_close(Port),
        [{stays, Info =:= {connected, self()}}]
    end.

folders(Folder) ->
    [begin
         P = open_port({spawn, "pwd"}, [{cd, Cd}, exit_status]),
         Got = [case What of
                    {data, D} -> {data, D =:= Folder ++ "\n"};
                    _ -> What
                end || What <- come(P)],
         io:format("cd ~p~n", [Got])
     end || Cd <- [Folder, list_to_binary(Folder), filename:basename(Folder), Folder ++ "/none"]].

not_a_program(Folder) ->
    File = filename:join(Folder, "garbage"),
    ok = file:write_file(File, <<"garbage\0\1">>),
    io:format("~p~n", [try open_port({spawn_executable, File}, []) catch error:Reason -> Reason end]),
    ok = file:change_mode(File, 8#755),
    io:format("~p~n", [come(open_port({spawn_executable, File}, [exit_status]))]).
