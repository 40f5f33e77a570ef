%% viv who, in the node: who holds something, and by what.
%%
%%   {module, #{old := boolean(), holders := [{Pid, Name, Reason}]}}    of the old code: viv_code:holders/2
%%   {pid, #{...}}      its name, state, place, links, monitors, who monitors it, the tables it owns
%%   {table, #{...}}    its name, owner, heir, size, and how it is protected
%%   {'end', done | stopped, #{}}, or {'end', {error, Text}, #{}}
-module(viv_see_who).
-export([run/2]).

-define(PATIENCE, 5000). % milliseconds for who is asked
-define(MOST, 200). % of each list that is told

run(#{what := What, name := Text}, Link) when is_binary(Text), byte_size(Text) < 1000 ->
    Self = self(),
    _ = spawn_link(fun() -> process_flag(sensitive, true), Self ! {self(), answer(What, Text)} end),
    receive
        stop -> viv_see_link:tell(Link, {'end', stopped, #{}});
        {_, {error, Why}} -> viv_see_link:tell(Link, {'end', {error, iolist_to_binary(Why)}, #{}});
        {_, Answer} ->
            _ = viv_see_link:tell(Link, {What, Answer}),
            viv_see_link:tell(Link, {'end', done, #{}})
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
                    All = maps:from_list([{tables, Tables}, {pid, Pid} | Infos]),
                    maps:map(fun(_, Value) when is_list(Value) -> some(Value); (_, Value) -> Value end, All)
            end
    end;
answer(table, Text) ->
    Found = [Table || Table <- ets:all(),
                      Text =:= iolist_to_binary(io_lib:format("~tw", [ets:info(Table, name)])) orelse
                          Text =:= iolist_to_binary(io_lib:format("~w", [Table]))],
    case [Info || Table <- lists:sublist(Found, ?MOST), Info <- [ets:info(Table)], is_list(Info)] of
        [] -> {error, [<<"no table has the name ">>, Text]};
        Infos ->
            #{tables => [maps:from_list([{owner_name, name(proplists:get_value(owner, Info))} | Info])
                         || Info <- Infos]}
    end.

some(List) -> lists:sublist(List, ?MOST).

atom_of(Text) ->
    try binary_to_existing_atom(Text) catch error:badarg -> none end.

pid_of(<<"<", _/binary>> = Text) ->
    try list_to_pid(binary_to_list(Text)) of
        Pid when node(Pid) =:= node() -> Pid;
        _ -> none
    catch error:badarg -> none
    end;
pid_of(Text) ->
    case atom_of(Text) of
        none -> none;
        Name ->
            case whereis(Name) of
                Pid when is_pid(Pid) -> Pid;
                _ -> none
            end
    end.

name(Pid) ->
    case erlang:process_info(Pid, registered_name) of
        {registered_name, Name} -> Name;
        _ -> none
    end.
