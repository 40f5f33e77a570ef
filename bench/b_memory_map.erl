%% Reading the map of memory blocks of a loaded system, and how long busy processes are kept from running meanwhile, as
%% bench/gaps.erl measures it, with one core to spare. The stock runtime has no such map; its instrument:allocations/0,
%% which counts the blocks that have tags, is what to compare with (+Muatags true: on stock all have tags, here the map
%% is on). Each gap is the least of three.
-module(b_memory_map).
-export([group/0, benchmarks/0]).
-export([table/2]).

-define(ROUNDS, 3).

group() -> 'memory map'.

benchmarks() ->
    [{lists:concat(["memory map of ", Text, ": ", What, Part]), elapsed, fun() -> figure({Blocks, Do}, Key) end}
     || {Text, Blocks} <- sizes(is_viv()),
        {What, Do} <- [{"nothing", nothing}, {"read", read}, {"as a list", list}, {"sorted", sort}, {"summed", sum}],
        {Part, Key} <- [{", gap", gap}, {"", time}],
        case {Do, Key} of
            {nothing, time} -> false;
            _ -> Key =:= time orelse Do =:= nothing orelse Do =:= read orelse Do =:= list
        end].

%% Ten million take the stock runtime minutes for each row.
sizes(true) -> sizes(false) ++ [{"ten million", 10000000}];
sizes(false) -> [{"a million", 1000000}].

is_viv() -> string:find(erlang:system_info(system_version), "[vivarium]") =/= nomatch.

figure(Scenario, Key) ->
    case persistent_term:get({?MODULE, Scenario}, none) of
        none ->
            persistent_term:put({?MODULE, Scenario}, measure(Scenario)),
            figure(Scenario, Key);
        #{Key := Value} -> Value
    end.

measure({Blocks, Do}) ->
    have_blocks(Blocks),
    Rounds = [once(Do) || _ <- lists:seq(1, ?ROUNDS)],
    #{gap => lists:min([Gap || {Gap, _} <- Rounds]), time => lists:min([Time || {_, Time} <- Rounds])}.

once(Do) ->
    {Input, Work} = work(Do),
    Watchers = max(1, erlang:system_info(schedulers_online) - 1),
    #{largest := Gap, result := Time} = gaps:watched(Watchers, fun() -> element(1, timer:tc(Work, [Input])) end),
    {Gap, Time}.

work(nothing) -> {none, fun(_) -> timer:sleep(1000) end};
work(read) -> {none, fun(_) -> read_all() end};
work(list) -> {none, fun(_) -> {_, [_ | _]} = instrument:memory_data() end};
work(sort) -> {instrument:memory_data(), fun(Data) -> instrument:sort(Data) end};
work(sum) -> {instrument:memory_data(), fun(Data) -> instrument:sum_blocks(Data) end}.

read_all() ->
    case is_viv() of
        false -> {ok, _} = instrument:allocations();
        true -> {ok, _} = viv_memory_map:fold(fun(_, N) -> N + 1 end, 0)
    end.

%% The table is another process's, which keeps it for the next one that wants as many.
have_blocks(Blocks) ->
    case whereis(?MODULE) of
        undefined -> ok;
        Old -> Ref = monitor(process, Old), exit(Old, kill), receive {'DOWN', Ref, process, Old, _} -> ok end
    end,
    register(?MODULE, spawn(?MODULE, table, [Blocks, self()])),
    receive full -> ok end.

table(Blocks, Parent) ->
    Table = ets:new(table, []),
    fill(Table, Blocks),
    Parent ! full,
    receive after infinity -> Table end.

fill(_, 0) -> ok;
fill(Table, N) ->
    ets:insert(Table, {N, N}),
    fill(Table, N - 1).
