%% Runs a test program with the map of memory on, and says what it left behind.
%%
%% viv run -pa FOLDER memory_leaks MODULE [ARGUMENT ...]: calls main/0 or main/1 in a process of its own. When that has
%% ended, so do all processes that it left, and all others are collected. Then nothing may be there that a process asked
%% for that has ended, and nothing more than before that nobody asked for, but for the types in outlives().
%% The last line on standard error is `leaks: none`, or tells how many; status 1 where there are some.
-module(memory_leaks).
-export([main/1]).

%% What is held for all, and not by who asked for it.
outlives() ->
    #{atom_text => "names of atoms stay",
      atom_table => "as do their places",
      code => "who loads is not who holds",
      literal => "as code; persistent terms",
      literal_terms => "as code; persistent terms",
      export => "exports stay",
      module => "names of modules stay",
      fun_entry => "as code",
      persistent => "there are never fewer buckets",
      regex => "the runtime keeps what was compiled last",
      scheduler => "threads stay",
      nif => "a library holds it until it is unloaded"}.

%% Of what nobody asked for.
grows() ->
    #{process_table => "numbers are used again",
      port => "as those of ports; descriptors that are watched; names of drivers, and why one could not be loaded",
      magic => "where they are found by their texts",
      trace => "where figures of calls are found",
      process_misc => "where who wants to hear of nodes is found",
      misc => "the topology of the processors, as it is set"}.

%% So many blocks of nobody stay, of those that are there for a moment.
keeps() ->
    #{loader => 4, % src/alloc/workspace.h
      node => 2}. % where they are found, by their names and by their numbers

main([Name | Arguments]) ->
    Module = list_to_atom(Name),
    {module, _} = code:ensure_loaded(Module),
    Applications = applications(),
    _ = {is_programs(self(), []), trace_off()}, % loads what is called later
    true = viv_memory_map:start(0, true), % with the places where blocks are asked for
    Terms = persistent_term:get(),
    Processes = processes(),
    Before = nobodys(),
    {Pid, Ref} = spawn_monitor(fun() -> run(Module, Arguments) end),
    Reason = receive {'DOWN', Ref, process, Pid, How} -> How end,
    [application:stop(Application) || Application <- applications() -- Applications],
    [persistent_term:erase(Key) || {Key, _} <- persistent_term:get() -- Terms],
    case is_on() of
        true -> tell(Reason, leaks(Processes, Before, 60));
        false -> io:format(standard_error, "leaks: the program switched the map off~n", [])
    end.

run(Module, []) -> Module:main();
run(Module, Arguments) -> Module:main(Arguments).

applications() -> [Application || {Application, _, _} <- application:which_applications()].

is_on() -> element(1, viv_memory_map:figures()).

tell(Reason, Leaks) ->
    Reason =:= normal orelse io:format(standard_error, "the program ended with ~0tp~n", [Reason]),
    [io:format(standard_error, "~tp~n", [Leak]) || Leak <- lists:sublist(Leaks, 50)],
    io:format(standard_error, "leaks: ~w~n", [case Leaks of [] -> none; _ -> length(Leaks) end]),
    Leaks =:= [] orelse halt(1).

%% What is freed later has some seconds.
leaks(Processes, Before, Times) ->
    trace_off(),
    [exit(Pid, kill) || Pid <- processes() -- Processes, is_programs(Pid, Processes -- [self()])],
    [erlang:garbage_collect(Pid) || Pid <- processes()],
    case but(process, length(processes() -- Processes), of_the_dead()) ++ more(Before, nobodys()) of
        [] -> [];
        _ when Times > 0 -> timer:sleep(50), leaks(Processes, Before, Times - 1);
        Leaks -> Leaks
    end.

%% What was traced stays so otherwise: it is of no process.
trace_off() ->
    _ = {erlang:system_monitor(), erlang:system_profile()}, % they go with their process when they are asked for
    _ = erlang:trace(all, false, [all]),
    [erlang:trace_pattern(What, Match, Flags)
     || {What, Match, Flags} <- [{{'_', '_', '_'}, false, [local, meta, call_count, call_time]},
                                 {on_load, false, [local, meta, call_count, call_time]}, {send, true, []},
                                 {'receive', true, []}]].

%% Not a server of the system that came when it was first asked for: those descend from the ones that were there, or
%% belong to an application.
is_programs(Pid, Servers) ->
    not lists:member(Pid, Servers) andalso
        case process_info(Pid, [parent, dictionary]) of
            [{parent, Parent}, {dictionary, Dictionary}] when is_pid(Parent) ->
                proplists:get_value('$initial_call', Dictionary) =/= {application_master, init, 4} andalso
                    is_programs(Parent, Servers);
            _ -> true
        end.

%% The structure of a process that lives is its spawner's, who may have ended.
but(Type, N, Blocks) ->
    {Of, Others} = lists:partition(fun(Block) -> element(1, Block) =:= Type end, Blocks),
    lists:nthtail(min(N, length(Of)), Of) ++ Others.

%% [{Type, Bytes, Owner, Where}]
of_the_dead() ->
    Types = types(),
    Alive = maps:from_list([{Pid, true} || Pid <- processes()]),
    {ok, Blocks} = viv_memory_map:fold(
                     fun({T, _, Bytes, Owner, Site, _}, Acc) ->
                             Type = element(T + 1, Types),
                             case Owner =:= undefined orelse maps:is_key(Owner, Alive)
                                 orelse maps:is_key(Type, outlives()) of
                                 true -> Acc;
                                 false -> [{Type, Bytes, Owner, viv_memory_map:site(Site)} | Acc]
                             end
                     end, []),
    Blocks.

%% #{Type => Blocks} that nobody asked for.
nobodys() ->
    Types = types(),
    {ok, Sums} = viv_memory_map:fold(fun({T, _, _, undefined, _, _}, Sums) ->
                                             maps:update_with(element(T + 1, Types), fun(N) -> N + 1 end, 1, Sums);
                                        (_, Sums) -> Sums
                                     end, #{}),
    Sums.

more(Before, After) ->
    [{Type, maps:get(Type, Before, 0), N, undefined}
     || {Type, N} <- maps:to_list(After), N > max(maps:get(Type, Before, 0), maps:get(Type, keeps(), 0)),
        not maps:is_key(Type, outlives()), not maps:is_key(Type, grows())].

types() -> list_to_tuple([Type || {Type, _, _} <- viv_memory_map:types()]).
