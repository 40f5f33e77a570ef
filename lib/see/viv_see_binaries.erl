%% viv who TARGET binary, in the node: who holds large binaries, which lie outside of the heaps that refer to them.
%%
%%   all(Rows) -> #{memory := Bytes, processes, tables, ports, persistent := {Count, Share},
%%                  holders := [{Kind, Id, About, Share, References, Largest, Held}]}
%%               Held: {...} | no_answer | too_many | none
%%   process(Pid, Rows) -> #{...} | too_many | undefined
%%   table(Table) -> #{...} | undefined
%%
%% A share: the bytes of each binary, divided by how many references it has, for each reference. So the shares of all
%% holders add up to what there is; what none of these has is on its way in messages, a literal, or a native library's.
%%
%% Whoever rests is looked at where he stands (src/process/binaries.h), in two steps: all for their share, and those
%% that are told of for what they can reach. Processes that run are asked; for the second step of all five seconds
%% together. One alone is waited for until it answers, or ends.
-module(viv_see_binaries).
-export([all/1, process/2, table/1]).

-define(PATIENCE, 5000). % milliseconds for all who are asked

-spec all(1..200) -> map().
all(Rows) ->
    {Processes, Best1} = shares(process, erlang:processes() -- [self()], Rows, gb_sets:empty()),
    {Tables, Best2} = shares(table, [Tid || Table <- ets:all(), Tid <- [tid(Table)], Tid =/= undefined], Rows, Best1),
    {Ports, Best3} = shares(port, erlang:ports(), Rows, Best2),
    {Persistent, References, _} = viv_see:persistent_binaries(),
    Best = lists:reverse(gb_sets:to_list(Best3)),
    #{memory => erlang:memory(binary), processes => Processes, tables => Tables, ports => Ports,
      persistent => {References, Persistent}, holders => holders(Best, until())}.

%% {{HowMany, Share}, Best}
shares(Kind, Ids, Rows, Best) ->
    viv_see_pace:fold(fun(Id, _, {{Count, Sum}, Found}) ->
                              case share(Kind, Id) of
                                  {Share, References, _} = All when References > 0 ->
                                      {{Count + 1, Sum + Share},
                                       viv_see_pace:better({Share, Kind, Id, All}, Rows, Found)};
                                  _ -> {{Count + 1, Sum}, Found}
                              end
                      end, {{0, 0}, Best}, Ids).

share(process, Pid) -> viv_see:binaries(Pid);
share(port, Port) ->
    case erlang:port_info(Port, viv_binaries) of
        {viv_binaries, Share} -> Share;
        undefined -> undefined
    end;
share(table, Tid) -> share_of_table(Tid, start, {0, 0, 0}, viv_see_pace:begin_work()).

share_of_table(Tid, Position, {Share, References, Largest} = Before, Debt) ->
    case viv_see:table_binaries(Tid, Position) of
        undefined -> Before;
        {Next, {More, Others, Large}} ->
            Sum = {Share + More, References + Others, max(Largest, Large)},
            case Next of
                done -> Sum;
                _ -> share_of_table(Tid, Next, Sum, viv_see_pace:rest(Debt))
            end
    end.

tid(Table) when is_atom(Table) -> ets:whereis(Table);
tid(Table) -> Table.

%% --- those that are told of -----------------------------------------------------------------------------------------

holders(Best, Until) ->
    [{Kind, Id, About, Share, References, Largest, held(Kind, Id, Until)}
     || {_, Kind, Id, {Share, References, Largest}} <- Best, About <- about(Kind, Id)].

about(process, Pid) ->
    [{name(Pid), initial(Pid), Current} || {_, Current} <- [erlang:process_info(Pid, current_function)]];
about(table, Tid) -> [{Name, Owner} || Name <- [ets:info(Tid, name)], Owner <- [ets:info(Tid, owner)], is_pid(Owner)];
about(port, Port) ->
    [{unicode:characters_to_binary(lists:sublist(Name, 100)), Owner}
     || {_, Name} <- [erlang:port_info(Port, name)], {_, Owner} <- [erlang:port_info(Port, connected)]].

name(Pid) ->
    case erlang:process_info(Pid, registered_name) of
        {_, Name} when is_atom(Name) -> Name;
        _ -> none
    end.

initial(Pid) ->
    case erlang:process_info(Pid, initial_call) of
        {_, Initial} -> viv_see_top:initial(Initial, Pid);
        undefined -> none
    end.

held(process, Pid, Until) ->
    case ask(Pid, 0, Until) of
        {Held, Count, Shown, Garbage, Messages, Alone, _, []} -> {Held, Count, Shown, Garbage, Messages, Alone};
        undefined -> none;
        system_limit -> too_many;
        no_answer -> no_answer
    end;
held(_, _, _) -> none.

until() -> erlang:monotonic_time(millisecond) + ?PATIENCE.

ask(Pid, Rows, Until) ->
    Id = make_ref(),
    case viv_see:ask_binaries(Pid, Id, Rows) of
        asked ->
            receive {binaries, Id, Answer} -> Answer
            after left(Until) -> no_answer
            end;
        Answer -> Answer
    end.

left(infinity) -> infinity;
left(Until) -> max(0, Until - erlang:monotonic_time(millisecond)).

%% --- one ------------------------------------------------------------------------------------------------------------

-spec process(pid(), 0..200) -> map() | too_many | undefined.
process(Pid, Rows) ->
    case {ask(Pid, Rows, infinity), about(process, Pid)} of
        {{Held, Count, Shown, Garbage, Messages, Alone, Heap, Binaries}, [About]} ->
            #{kind => process, id => Pid, about => About, held => Held, count => Count, shown => Shown,
              garbage => Garbage, messages => Messages, alone => Alone, heap => Heap, binaries => Binaries};
        {system_limit, _} -> too_many;
        _ -> undefined
    end.

-spec table(ets:table()) -> map() | undefined.
table(Table) ->
    case {about(table, Table), tid(Table)} of
        {[{Name, Owner}], Tid} when Name =/= undefined, Tid =/= undefined ->
            {Share, References, Largest} = share(table, Tid),
            #{kind => table, id => Table, about => {Name, Owner}, share => Share, references => References,
              largest => Largest, objects => ets:info(Table, size), owner_name => name(Owner)};
        _ -> undefined
    end.
