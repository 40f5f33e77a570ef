%% Of a map that is on from the start: its sums, those that are counted, erlang:memory/0's and the system's are one.
%% A line `What holds` for each that does; docs/MEMORY.md explains the rest.
-module(memory_sums).
-export([main/0, main/1]).

%% Who reads has room: his heaps do not change while he does.
main() ->
    {Pid, Ref} = spawn_opt(fun measure/0, [monitor, {min_heap_size, 4000000}]),
    receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end.

measure() ->
    compare("all code at rest"), % loads what it needs
    compare("at rest"),
    Holder = spawn(fun() -> Held = hold_all(), receive stop -> Held end end),
    timer:sleep(1000),
    compare("all kinds held"),
    exit(Holder, kill),
    timer:sleep(1000),
    compare("all kinds gone"),
    system("with the map", 5 / 16). % a cell for each 16 bytes of address space: four bytes, and one of the maxima

%% As main/0, but that it is off.
main(["off"]) -> system("without the map", 0).

hold_all() ->
    T = ets:new(t, [bag, public, {read_concurrency, true}]),
    O = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    [ets:insert(Table, {N, lists:seq(1, N rem 50)}) || N <- lists:seq(1, 5000), Table <- [T, O]],
    Me = self(),
    Pids = [spawn_link(fun() -> put(kept, N), Me ! {N, binary:copy(<<1>>, N)}, receive stop -> ok end end)
            || N <- lists:seq(1, 1000)],
    [erlang:send_after(100000, Pid, {late, Pid}) || Pid <- Pids],
    [monitor(process, Pid) || Pid <- Pids],
    [persistent_term:put({?MODULE, N}, {N}) || N <- lists:seq(1, 1000)],
    {T, O, Pids, counters:new(1000, []), ets:match_spec_compile([{{'$1'}, [], ['$1']}]),
     binary:compile_pattern([<<"a">>, <<"bc">>]), trace:session_create(?MODULE, self(), []),
     [list_to_atom("memory_sums_" ++ integer_to_list(N)) || N <- lists:seq(1, 5000)]}.

compare(When) ->
    Types = list_to_tuple([Type || {Type, _, _} <- viv_memory_map:types()]),
    {Counted, Given, Memory, Mapped} = at_rest(Types, 200),
    Wrong = [{Type, Sum, maps:get(Type, Mapped, {0, 0})}
             || {Type, Sum} <- Counted, not agree(Type, Sum, maps:get(Type, Mapped, {0, 0}))],
    tell([When, ": the map is what is counted"], Wrong),
    tell([When, ": erlang:memory/0 is what is counted"], [Item || {Item, Is, Should} <- classes(Given, Memory),
                                                                 Is =/= Should]),
    tell([When, ": little more was given than asked for"],
         [Type || {{Type, {Asked, Blocks}}, {Type, Bytes, Blocks}} <- lists:zip(Counted, Given),
                  Bytes < Asked orelse Bytes > Asked * 1.25 + 16 * Blocks + 65536]),
    tell([When, ": nothing was missed"], [F || {true, _, _, _, Shift, Missed, _} = F <- [viv_memory_map:figures()],
                                             Shift + Missed > 0]).

%% What came before the flags had been read is in no map.
agree(misc, {Bytes, Blocks}, {MappedBytes, MappedBlocks}) ->
    Bytes - MappedBytes >= 0 andalso Bytes - MappedBytes < 1000 andalso Blocks - MappedBlocks =< 4;
agree(_, Sum, Mapped) -> Sum =:= Mapped.

%% All of them at once: when nothing came or went between a look before and one after.
at_rest(Types, Times) ->
    Before = {counted(), viv_memory_map:sums()},
    Memory = erlang:memory(),
    {ok, Mapped} = viv_memory_map:fold(fun({T, _, Bytes, _, _, 0}, Sums) -> add(element(T + 1, Types), Bytes, Sums) end,
                                       #{}),
    case {counted(), viv_memory_map:sums()} of
        Before -> {element(1, Before), element(2, Before), Memory, Mapped};
        _ when Times > 0 -> timer:sleep(20), at_rest(Types, Times - 1);
        After -> error({never_at_rest, [D || {A, B} = D <- lists:zip(element(1, Before), element(1, After)), A =/= B]})
    end.

counted() -> [{Type, {Bytes, Blocks}} || {Type, {Bytes, _, _}, {Blocks, _, _}} <- viv_memory_map:status(types)].

add(Type, Bytes, Sums) ->
    {Sum, Blocks} = maps:get(Type, Sums, {0, 0}),
    Sums#{Type => {Sum + Bytes, Blocks + 1}}.

%% system is all that is not of processes; atom_used is of the names themselves.
classes(Given, Memory) ->
    Sums = [{Class, Bytes} || {{Type, Class, _}, {Type, Bytes, _}} <- lists:zip(viv_memory_map:types(), Given)],
    Of = fun(Wanted) -> lists:sum([Bytes || {Class, Bytes} <- Sums, Class =:= Wanted]) end,
    Total = lists:sum([Bytes || {_, Bytes} <- Sums]),
    [{Item, Bytes, case Item of
                       total -> Total;
                       processes_used -> Of(processes);
                       system -> Total - Of(processes);
                       _ -> Of(Item)
                   end} || {Item, Bytes} <- Memory, Item =/= atom_used].

%% What the system gave the program grows by what is counted, and the twentieth part of it, and what the map takes.
system(How, Share) ->
    {RssBefore, Before} = {resident(), erlang:memory(total)},
    Held = [binary:copy(<<1>>, 500 + N rem 7000) || N <- lists:seq(1, 60000)],
    Grown = erlang:memory(total) - Before,
    Resident = resident() - RssBefore,
    tell([How, ": the program has grown by what is counted"],
         [{Grown, Resident} || Resident < Grown * 0.95 orelse Resident > Grown * (1.05 + Share) + (8 bsl 20)]),
    60000 = length(Held).

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    4096 * binary_to_integer(lists:nth(2, binary:split(Text, <<" ">>, [global]))).

tell(What, []) -> io:format("~s holds~n", [What]);
tell(What, Wrong) -> io:format("~s: ~0p~n", [What, Wrong]).
