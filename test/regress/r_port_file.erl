%% open_port of a name alone opens a file: what may be named, how it is opened, read and written; and the names of ports
%% are bytes.
-module(r_port_file).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Folder = filename:join(filename:dirname(code:which(?MODULE)), "files" ++ os:getpid()),
    ok = filelib:ensure_dir(filename:join(Folder, "x")),
    {ok, Before} = file:get_cwd(),
    ok = file:set_cwd(Folder),
    try cases() after
        file:set_cwd(Before),
        [ok = file:delete(F) || F <- filelib:wildcard(filename:join(Folder, "*"))],
        ok = file:del_dir(Folder)
    end,
    Port = open_port({spawn, "cat - " ++ [195, 169]}, []),
    io:format("~w~n", [length(element(2, erlang:port_info(Port, name)))]).

cases() ->
    write("hello\nworld\n"),
    [show(O, read("file", O)) || O <- [[in], [in, eof], [in, binary], [in, stream], [in, {line, 3}], [in, hide], []]],
    show(atom, read(file, [in])),
    write([<<3:16>>, "abc", <<2:16>>, "de"]),
    show(packet, read("file", [in, {packet, 2}])),
    write("x"),
    [show(N, read(N, [in])) || N <- ["no/such", [$f, 0], lists:duplicate(5000, $a), <<"file">>, {file}, 1, [], '', [256],
                                     [$f | ile], ["file"], 1.0]],
    [show(O, read("file", [in, O])) || O <- [{args, ["a"]}, {arg0, "x"}, exit_status, {cd, "/nonexistent"},
                                             {env, [{"A", "b"}]}, use_stdio, nouse_stdio, {parallelism, true},
                                             {busy_limits_port, {1, 2}}]],
    show(out, written(["abc", ["de", <<"f">>]], [out])),
    {ok, Info} = file:read_file_info("out"),
    show(is_a_file, element(3, Info)),
    show(shortened, written(["z"], [out])),
    show(packets, written(["zz"], [out, {packet, 2}])),
    show(not_shortened, written([], [in, out])),
    ok = file:delete("out"),
    show(made, written([], [])),
    show(folder, read(".", [out])),
    show(read_only, read_only()),
    show(full, begin P = open_port("/dev/full", [out]), port_command(P, "x"), ended(P) end).

write(Bytes) -> ok = file:write_file("file", Bytes).

show(What, Result) -> io:format("~p: ~p~n", [What, Result]).

read(Name, Options) ->
    try open_port(Name, Options) of
        Port -> {name(Port, Name), ended(Port)}
    catch error:Why -> Why
    end.

%% One that has ended already has none any more.
name(Port, Name) ->
    case erlang:port_info(Port, name) of
        {name, Is} -> Is;
        undefined when is_atom(Name) -> atom_to_list(Name);
        undefined -> Name
    end.

%% What it says until it has ended, or says eof.
ended(Port) ->
    receive
        {'EXIT', Port, Why} -> [Why];
        {Port, eof} -> port_close(Port), [eof | ended(Port)];
        {Port, What} -> [What | ended(Port)]
    after 20000 -> late
    end.

written(Parts, Options) ->
    Port = open_port("out", Options),
    [true = port_command(Port, Part) || Part <- Parts],
    catch port_close(Port),
    ended(Port),
    file:read_file("out").

read_only() ->
    Port = open_port("file", [in, eof]),
    receive {Port, eof} -> ok end,
    true = port_command(Port, "x"),
    [Why || Why <- ended(Port), is_atom(Why)].
