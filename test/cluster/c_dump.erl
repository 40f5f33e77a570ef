%% Other nodes in a crash dump, and in what system_info(dist) says: who is connected and how, and the ties over each
%% connection. The node that leaves the dump is of the runtime in question, those that it is connected to are of both.
-module(c_dump).
-export([main/0, ties/2, watched/1]).

-import(cluster, [start/1, start/2, call/4]).

main() ->
    File = filename:join(os:getenv("HOME"), "nodes.dump"),
    C = start(c, #{env => [{"ERL_CRASH_DUMP", File}, {"ERL_CRASH_DUMP_SECONDS", "60"}]}),
    B = start(b),
    D = start(d, #{args => ["-hidden"]}),
    [true = call(C, net_kernel, connect_node, [Node]) || Node <- [B, D]],
    false = call(C, net_kernel, connect_node, ['nobody@localhost']),
    Names = call(C, ?MODULE, ties, [B, D]),
    said("system_info(dist)", [Line || Line <- lines(call(C, erlang, system_info, [dist])), not is_tie(Line)], Names),
    catch call(C, erlang, halt, ["a slogan"]),
    said("dump", section(File), Names),
    %% A node without a name has no section but one.
    said("no name", lines(call(start(e, #{name => false}), erlang, system_info, [dist])), []).

%% A process that has ties of each kind to one of B; what its and that one's pids are printed as. By C.
ties(B, D) ->
    Here = self(),
    There = spawn(B, ?MODULE, watched, [Here]),
    Linker = spawn(fun() ->
        receive {go, _} -> ok end,
        link(There), monitor(process, There), monitor(process, {net_kernel, B}), monitor_node(D, true),
        Here ! tied,
        receive never -> ok end
    end),
    register(linker, Linker),
    There ! {go, Linker},
    Linker ! {go, There},
    [receive What -> ok end || What <- [tied, watched]],
    [{"LINKER", pid_to_list(Linker)}, {"THERE", pid_to_list(There)}].

%% By B. Its answer comes behind what it has asked for.
watched(Here) ->
    receive {go, Linker} -> ok end,
    monitor(process, Linker),
    monitor(process, {linker, node(Linker)}),
    Here ! watched,
    receive never -> ok end.

is_tie(Line) -> string:prefix(Line, "Remote") =/= nomatch.

lines(Text) -> string:lexemes(unicode:characters_to_list(Text), "\n").

%% The dump is whole when its last line is there.
section(File) ->
    case file:read_file(File) of
        {ok, Dump} when binary_part(Dump, byte_size(Dump), -5) =:= <<"=end\n">> ->
            [_, Rest] = string:split(Dump, "\n=node:"),
            [Section, _] = string:split(Rest, "\n=loaded_modules"),
            lines(["=node:", Section]);
        _ -> timer:sleep(50), section(File)
    end.

%% Sorted within each node: the order of ties is nobody's business, nor what numbers stand for names. Stock tells the
%% creation of a node only while some term carries it, viv of each that is connected.
said(What, Lines, Names) ->
    io:format("~ts~n", [What]),
    Plain = [plain(Line, Names) || Line <- Lines],
    [io:format("  ~ts~n", [Line]) || Line <- lists:append(lists:sort(by_node(Plain)))].

by_node([]) -> [];
by_node([First | Lines]) ->
    {Own, Rest} = lists:splitwith(fun(Line) -> hd(Line) =/= $= end, Lines),
    Told = [Line || Line <- Own, not is_of_the_agent(Line), not is_creation(Line)],
    [[First | lists:sort(Told)] | by_node(Rest)].

is_creation(Line) -> string:prefix(Line, "Creation") =/= nomatch.

%% Ties with others than the two: of kernel's own processes.
is_of_the_agent(Line) ->
    is_tie(Line) andalso string:find(Line, "LINKER") =:= nomatch andalso string:find(Line, "THERE") =:= nomatch.

plain(Line, Names) ->
    lists:foldl(fun({Pattern, New}, L) -> re:replace(L, Pattern, New, [global, {return, list}]) end, Line,
                [{re_quoted(Text), Name} || {Name, Text} <- Names]
                ++ [{"^(=[a-z_]+):[0-9]+$", "\\1:N"}, {"#Port<[0-9.]+>", "PORT"}]).

re_quoted(Text) -> re:replace(Text, "[.<>]", "\\\\&", [global, {return, list}]).
