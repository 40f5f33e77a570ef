%% viv who, in the node: who holds something, and by what.
%%
%%   {module, #{old := boolean(), holders := [{Pid, Name, Reason}]}}    of the old code: viv_code:holders/2
%%   {pid, #{...}}      its name, state, place, links, monitors, who monitors it, the tables it owns
%%   {port, #{...}}     its name, owner, program, links, what waits in it, and who waits until it takes more
%%   {table, #{...}}    its name, owner, heir, size, and how it is protected
%%   {binaries, #{...}} who holds large binaries; {binary, #{holders := [#{...}]}}: one of them: viv_see_binaries
%%   {late, Milliseconds}     it takes so long already
%%   {'end', done | stopped, #{}}, or {'end', {error, Text}, #{}}
-module(viv_see_who).
-export([run/2]).

-define(PATIENCE, 5000). % milliseconds for who is asked
-define(LATE, 10000).
-define(MOST, 200). % of each list that is told

run(#{what := What, name := Text}, Link) when is_binary(Text), byte_size(Text) < 1000 ->
    find(What, fun() -> answer(What, Text) end, Link);
run(#{what := binaries, rows := Rows}, Link) when Rows > 0, Rows =< ?MOST ->
    find(binaries, fun() -> viv_see_binaries:all(Rows) end, Link).

find(What, Fun, Link) ->
    Self = self(),
    Finder = spawn_link(fun() -> process_flag(sensitive, true), Self ! {self(), Fun()} end),
    wait(What, Finder, Link, erlang:monotonic_time(millisecond)).

wait(What, Finder, Link, Start) ->
    receive
        stop -> viv_see_link:tell(Link, {'end', stopped, #{}});
        {Finder, {error, Why}} -> viv_see_link:tell(Link, {'end', {error, iolist_to_binary(Why)}, #{}});
        {Finder, Answer} ->
            _ = viv_see_link:tell(Link, {What, Answer}),
            viv_see_link:tell(Link, {'end', done, #{}})
    after ?LATE ->
        Took = erlang:monotonic_time(millisecond) - Start,
        _ = viv_see_link:tell(Link, {late, Took}) =:= closed andalso exit(shutdown),
        wait(What, Finder, Link, Start)
    end.

answer(module, Text) ->
    case atom_of(Text) of
        none -> {error, [<<"the node has no atom `">>, Text, $`]};
        Module ->
            Old = erlang:check_old_code(Module),
            Loaded = erlang:module_loaded(Module),
            Holders = [{Pid, name(Pid), Reason} || Old orelse Loaded,
                                                   {Pid, Reason} <- viv_code:holders(Module, ?PATIENCE)],
            if
                Old; Loaded; Holders =/= [] -> #{old => Old, count => length(Holders), holders => some(Holders)};
                true -> {error, [<<"no module `">>, Text, <<"` is loaded">>]}
            end
    end;
answer(pid, Text) ->
    case pid_of(Text) of
        none -> {error, [Text, <<" is no process of the node, nor the name of one">>]};
        Pid ->
            Items = [registered_name, status, current_function, memory, message_queue_len, links, monitors,
                     monitored_by, group_leader, trap_exit],
            case erlang:process_info(Pid, Items) of
                undefined -> {error, [Text, <<" has ended">>]};
                Infos ->
                    Tables = [{Table, ets:info(Table, name)} || Table <- ets:all(), ets:info(Table, owner) =:= Pid],
                    cut(maps:from_list([{tables, Tables}, {pid, Pid} | waits_for(Pid, Infos) ++ Infos]))
            end
    end;
answer(port, Text) ->
    Port = port_of(Text),
    Items = [name, connected, os_pid, links, monitored_by, registered_name, input, output, queue_size, memory],
    case [Info || is_port(Port), Item <- Items, {_, _} = Info <- [erlang:port_info(Port, Item)]] of
        [] -> {error, [Text, <<" is no port of the node, nor the name of one">>]};
        Infos ->
            Facts = maps:from_list(Infos),
            cut(Facts#{port => Port, waiting => waiting(Port), name => text_of(maps:get(name, Facts, ""))})
    end;
answer(binary, Text) ->
    Holder = case pid_of(Text) of
                 none -> none;
                 Pid -> viv_see_binaries:process(Pid, ?MOST)
             end,
    Tables = [Map || Table <- some(tables_of(Text)), Map <- [viv_see_binaries:table(Table)], is_map(Map)],
    case [Holder || is_map(Holder)] ++ Tables of
        [] when Holder =:= too_many -> {error, [Text, <<" holds, and shows, more than a million of them">>]};
        [] -> {error, [Text, <<" is neither a process of the node nor a table, nor the name of one">>]};
        Holders -> #{holders => Holders}
    end;
answer(table, Text) ->
    case [Info || Table <- some(tables_of(Text)), Info <- [ets:info(Table)], is_list(Info)] of
        [] -> {error, [<<"no table has the name ">>, Text]};
        Infos ->
            #{tables => [maps:from_list([{owner_name, name(proplists:get_value(owner, Info))} | Info])
                         || Info <- Infos]}
    end.

cut(Facts) -> maps:map(fun(_, Value) when is_list(Value) -> some(Value); (_, Value) -> Value end, Facts).

%% Who waits until it takes more.
waiting(Port) ->
    case erlang:port_info(Port, viv_waiting) of
        {viv_waiting, Pids} -> [Pid || Pid <- lists:reverse(Pids), is_process_alive(Pid)];
        undefined -> []
    end.

%% Bytes, in what encoding nobody says.
text_of(Bytes) ->
    case unicode:characters_to_binary(list_to_binary(some(Bytes))) of
        Text when is_binary(Text) -> Text;
        _ -> unicode:characters_to_binary(some(Bytes), latin1)
    end.

%% A port that is busy suspends who writes to it. To ask them takes as long as one of them is in its driver.
waits_for(Pid, Infos) ->
    case lists:keyfind(status, 1, Infos) of
        {status, suspended} -> asked(fun() -> [Port || Port <- erlang:ports(), lists:member(Pid, waiting(Port))] end);
        _ -> []
    end.

asked(Ports) ->
    {Asks, Ref} = spawn_monitor(fun() -> process_flag(sensitive, true), exit({waits_for, Ports()}) end),
    receive {'DOWN', Ref, process, Asks, {waits_for, Found}} -> [{waits_for, Port} || Port <- Found]
    after ?PATIENCE ->
        demonitor(Ref, [flush]),
        exit(Asks, kill),
        [{waits_for, no_answer}]
    end.

some(List) -> lists:sublist(List, ?MOST).

%% That have the name, or this tid.
tables_of(Text) ->
    [Table || Table <- ets:all(),
              Text =:= unicode:characters_to_binary(io_lib:format("~tw", [ets:info(Table, name)])) orelse
                  Text =:= iolist_to_binary(io_lib:format("~w", [Table]))].

atom_of(Text) ->
    try binary_to_existing_atom(Text) catch error:badarg -> none end.

pid_of(<<"<", _/binary>> = Text) -> here(fun list_to_pid/1, Text);
pid_of(Text) -> known_as(Text, fun is_pid/1).

port_of(<<"#Port", _/binary>> = Text) -> here(fun list_to_port/1, Text);
port_of(Text) -> known_as(Text, fun is_port/1).

here(Read, Text) ->
    try Read(binary_to_list(Text)) of
        Identifier when node(Identifier) =:= node() -> Identifier;
        _ -> none
    catch error:badarg -> none
    end.

known_as(Text, Kind) ->
    case [Known || Name <- names_of(Text), Known <- [whereis(Name)], Kind(Known)] of
        [Known | _] -> Known;
        [] -> none
    end.

%% Names that are no words are told in quotes. No atom is made of what a client says.
names_of(<<"'", _/binary>> = Shown) ->
    [Name || Name <- registered(), unicode:characters_to_binary(io_lib:format("~tw", [Name])) =:= Shown];
names_of(Text) -> [Name || Name <- [atom_of(Text)], Name =/= none].

name(Pid) ->
    case erlang:process_info(Pid, registered_name) of
        {registered_name, Name} -> Name;
        _ -> none
    end.
