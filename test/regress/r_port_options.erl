%% What open_port takes and refuses: every option and value, of programs, drivers, descriptors and files; what programs see
%% of arguments and the environment; and which descriptors there may be. It took what is for programs alone for others
%% too, and refused characters in lists of lists.
-module(r_port_options).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = logger:set_primary_config(level, none), % of descriptors that are not open
    ok = file:write_file("r_port_options.tmp", "x"),
    [w({Name, Options}, opened(Name, Options)) || Name <- names(), Options <- option_lists()],
    ok = file:delete("r_port_options.tmp"),
    [w({fd, N, Options}, opened({fd, N, N}, Options))
     || N <- [-1, -(1 bsl 59), -(1 bsl 59) - 1, (1 bsl 59) - 1, 1 bsl 59, 1 bsl 64, 1 bsl 31, (1 bsl 31) - 1, 1 bsl 32,
              limit() - 1, limit(), a, 1.0], Options <- [[in], [out], []]],
    [w({name, F}, name_of(F)) || F <- [-1, 1 bsl 32, (1 bsl 32) + 5]],
    [w({args, T}, run(["-c", "for i; do printf '<%s>' \"$i\"; done", "sh", T], [])) || T <- texts()],
    [w({arg0, T}, run(["-c", "echo \"$0\""], [{arg0, T}])) || T <- texts()],
    [w({variable, T}, run(["-c", "env | grep valu"], [{env, [{T, "valu"}]}])) || T <- texts()],
    [w({value, T}, run(["-c", "env | grep VALU="], [{env, [{"VALU", T}]}])) || T <- texts()],
    [w({cd, T}, run(["-c", "pwd"], [{cd, T}])) || T <- ["/tmp", '/tmp', <<"/tmp">>, ["/", "tmp"], "/nowhere"]],
    w(cd_to_nowhere, run(["-c", "pwd"], [{cd, ""}]) =:= run(["-c", "pwd"], [])),
    [w({spawn, T}, run_named({spawn, T}, [])) || T <- ["echo a", 'echo a', <<"echo a">>, ["echo", " a"], [[]], '', ""]],
    [w({file, T}, run_named({spawn_executable, T}, [{args, ["a"]}]))
     || T <- ["/bin/echo", '/bin/echo', <<"/bin/echo">>, ["/bin", ["/", "echo"]], [[]], '', "", <<>>]],
    [w({changes, E}, run(["-c", "env | grep ^R_PORT | sort"], [{env, E}])) || E <- environments()],
    true = os:putenv(["R_", ["PORT"]], ["x", $y]),
    w(putenv, {os:getenv("R_PORT"), os:getenv([["R_PORT"]]), os:unsetenv(["R_PORT"]), os:getenv("R_PORT")}),
    w(many, many(30000)).

w(What, Answer) -> io:format("~0p ~0p~n", [What, Answer]).

opened(Name, Options) ->
    Answer = try open_port(Name, Options) of Port -> catch port_close(Port), ok catch error:Reason -> Reason end,
    flush(),
    Answer.

flush() -> receive _ -> flush() after 0 -> ok end.

names() ->
    [{spawn, "true"}, {spawn_executable, "/bin/true"}, {spawn_executable, "/nonexistent"}, {spawn_driver, "ram_file_drv"},
     {spawn, "tcp_inet"}, {fd, 500, 501}, {fd, -1, -1}, {spawn_driver, "nope"}, "r_port_options.tmp"].

option_lists() ->
    [[O] || O <- options()] ++
        [[D, O] || D <- [in, out], O <- [exit_status, {args, []}, {busy_limits_port, {1, 2}}, {packet, 2}, line]] ++
        [[exit_status, {cd, 1}], [{env, 1}, {cd, 1}], [{args, []}, foo], [{args, []}, {env, a}], [{packet, 2}, line],
         [{line, 4}, stream], [{packet, 2}, stream, line], [{args, []}, {cd, 1}], [{arg0, a}, {env, a}], [{line, 3} | x]].

options() ->
    [stream, binary, in, out, eof, exit_status, use_stdio, nouse_stdio, stderr_to_stdout, hide, overlapped_io, line, foo, 1,
     "x", {packet, 1}, {packet, 0}, {packet, 3}, {packet, a}, {packet, 1 bsl 64}, {line, 1}, {line, 0}, {line, a},
     {line, 1 bsl 64}, {parallelism, true}, {parallelism, a}, {stream, 1}, {in, true}, {eof, false}, {}, {a}, [],
     {env, [], x}] ++
        [{cd, T} || T <- ["/", "/tmp", "", "/nonexistent", <<"/">>, '/', 1, "a\0", [1.0], [400], [16#d800], [<<"/">>]]] ++
        [{env, E} || E <- [[], a, [a], [{"A"}], [{"A", "x", y}], <<"x">>, [{"A", "b"}], [{"A", false}], [{"", ""}],
                           [{"", false}], [{"A=B", "x"}], [{"=A", "x"}], [{"A", "x\0"}], [{"A\0", "x"}], [{'A', "x"}],
                           [{"A", b}], [{"A", ""}], [{<<"A">>, "x"}], [{"A", <<"x">>}], [{"A", true}], [{"A", [400]}],
                           [{"A", [-1]}], [{"A", [16#110000]}], [{"A", [1.0]}], [{"A", ["x"]}], [{["x"], "y"}],
                           [{"A", "x"} | b], [{"A", 1}]]] ++
        [{args, A} || A <- [[], ["a"], ["a", <<"b">>], [a], ["a" | b], a, "abc", [["a"], "b"], [""], [<<>>], ["a\0"],
                            [[228, 8364]], [<<255>>], [1], [[<<"a">>]], [[16#d800]], <<"x">>]] ++
        [{arg0, A} || A <- ["x", <<"y">>, z, "", 1, "a\0", <<>>, [400], ["x", ["y"]]]] ++
        [{busy_limits_port, L} || L <- limits()] ++ [{busy_limits_msgq, L} || L <- limits()].

limits() -> [{1, 2}, {2, 1}, {0, 1}, {-1, 1}, disabled, a, {1 bsl 64, 1}, {1, 1}, {1, 2, 3}, {(1 bsl 64) - 1, 1}].

%% Of descriptors, as programs find it that are started now.
limit() -> list_to_integer(string:trim(os:cmd("ulimit -n"))).

name_of(F) ->
    Port = open_port({fd, F, 500}, [out]),
    Name = erlang:port_info(Port, name),
    port_close(Port),
    Name.

texts() ->
    [a, '', "a", ["a"], ["a", "b"], ["a", 98, [[99]]], [[]], "", [<<"a">>], [$a, 0], ['b'], ["a" | b], ["a" | <<"b">>],
     [400, [401]], <<255>>, <<"a">>, 'a\0b', true, undefined, [false], 1].

environments() ->
    [[{"R_PORT", "1"}, {"R_PORT", "2"}], [{"R_PORT", "1"}, {"R_PORT", false}], [{"R_PORT", false}, {"R_PORT", "3"}],
     [{"R_PORT_A", "1"}, {"R_PORT", "2"}, {"R_PORT_B", "3"}, {"R_PORT_A", "4"}], [{"R_PORT", ""}], []].

run(Arguments, Options) -> run_named({spawn_executable, "/bin/sh"}, [{args, Arguments} | Options]).

run_named(Name, Options) ->
    try open_port(Name, [binary, exit_status | Options]) of
        Port -> told(Port, <<>>)
    catch
        error:Reason -> Reason
    end.

told(Port, Before) ->
    receive
        {Port, {data, Data}} -> told(Port, <<Before/binary, Data/binary>>);
        {Port, {exit_status, Status}} -> flush(), {Before, Status}
    after 10000 -> nothing
    end.

%% Each change once, the last of a name counts.
many(N) ->
    Changes = [{"V" ++ integer_to_list(I), "x"} || I <- lists:seq(1, N)],
    {Seen, 0} = run(["-c", "env | grep -c '^V[0-9]*=x$'"], [{env, Changes ++ Changes}]),
    Seen.
