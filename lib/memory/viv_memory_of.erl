%% What one process, table or name holds: viv_memory:holders/1.
%%
%% A binary lies outside of the heaps and tables that refer to it, and may have many such holders: each is charged with
%% all of it, and Holders says how many references there are.
-module(viv_memory_of).
-export([process/1, table/1, name/1]).

-define(WORD, 8).

%% total: what is the process's alone; binaries, tables, timers and code are told beside it.
%% signals: how many have come that it did not look at yet.
process(Pid) ->
    Items = [viv_memory_parts, message_queue_len, binary, garbage_collection_info, registered_name],
    case node(Pid) =:= node() andalso process_info(Pid, Items) of
        false -> error(badarg, [Pid]);
        undefined -> undefined;
        Infos -> parts(Pid, maps:from_list(Infos))
    end.

parts(Pid, #{viv_memory_parts := {Structure, Heap, OldHeap, Fragments, Dictionary, Messages, Links, Registers, Signals},
             message_queue_len := Length, binary := Binaries, garbage_collection_info := Figures,
             registered_name := Name}) ->
    #{what => process, name => Name,
      total => Structure + Heap + OldHeap + Fragments + Dictionary + Messages + Links + Registers,
      structure => Structure + Registers, heap => Heap, heap_used => used(heap_size, Figures), old_heap => OldHeap,
      old_heap_used => used(old_heap_size, Figures), stack => used(stack_size, Figures), fragments => Fragments,
      dictionary => Dictionary, messages => {Length, Messages}, links_and_monitors => Links, signals => Signals,
      binaries => binaries(Binaries), binary_bytes => binary_bytes(Binaries), tables => tables_of(Pid),
      timers => asked_for(Pid, timer)}.

used(Item, Figures) -> ?WORD * proplists:get_value(Item, Figures, 0).

%% [{Id, Bytes, Holders}], the largest first; each once.
binaries(Binaries) ->
    lists:reverse(lists:keysort(2, lists:usort(Binaries))).

binary_bytes(Binaries) -> lists:sum([Bytes || {_, Bytes, _} <- lists:usort(Binaries)]).

%% [{Table, Name, Bytes}], the largest first.
tables_of(Pid) ->
    Owned = [{Table, Name, ?WORD * Words}
             || Table <- ets:all(), ets:info(Table, owner) =:= Pid,
                Name <- [ets:info(Table, name)], Words <- [ets:info(Table, memory)],
                is_integer(Words), Name =/= undefined],
    lists:reverse(lists:keysort(3, Owned)).

%% {Bytes, Blocks} of a type that the map says a process asked for; undefined when it is off.
asked_for(Pid, Type) ->
    Number = number(Type, viv_memory_map:types(), 0),
    Add = fun({T, _, Bytes, Owner, _, Shift}, {Sum, Count}) when T =:= Number, Owner =:= Pid ->
                  Weight = viv_memory_map:weight(Bytes, Shift),
                  {Sum + Bytes * Weight, Count + Weight};
             (_, Sums) -> Sums
          end,
    case viv_memory_map:fold(Add, {0, 0}) of
        {ok, {Bytes, Blocks}} -> {round(Bytes), round(Blocks)};
        false -> undefined
    end.

number(Type, [{Type, _, _} | _], Number) -> Number;
number(Type, [_ | Types], Number) -> number(Type, Types, Number + 1).

table(Table) ->
    try ets:info(Table) of
        undefined -> undefined;
        Info ->
            #{what => table, name => proplists:get_value(name, Info), owner => proplists:get_value(owner, Info),
              objects => proplists:get_value(size, Info), total => ?WORD * proplists:get_value(memory, Info)}
    catch
        error:badarg -> error(badarg, [Table])
    end.

%% All that goes by the name: the atom itself, a module's code, a process, a table.
name(Name) ->
    Found = [{code, code(Name)}, {process, registered(whereis(Name))}, {table, named_table(Name)}],
    maps:from_list([{what, name}, {atom, byte_size(atom_to_binary(Name))} | [F || {_, What} = F <- Found,
                                                                             What =/= undefined]]).

%% Of the code that is current, and of the old that some process may still run.
code(Module) ->
    case viv_memory_map:module(Module) of
        [] -> undefined;
        Versions -> maps:from_list([{Which, #{code => Code, literals => Literals}}
                                    || {Which, Code, Literals} <- Versions])
    end.

registered(Pid) when is_pid(Pid) -> process(Pid);
registered(_) -> undefined.

named_table(Name) ->
    case ets:whereis(Name) of
        undefined -> undefined;
        Table -> table(Table)
    end.
