%% Who holds memory: sums of the map of blocks by process, place, type; what grew between two snapshots; and what one
%% process, table or name holds.
%%
%% The map tells who asked for a block, while it was on; holders/1 tells who holds what now, and needs no map. Blocks
%% that were sampled count for as many as they stand for: then sums are estimates, and said to be.
-module(viv_memory).
-export([top/2, snapshot/0, diff/2, holders/1]).
-export([application/1]). % for viv_memory_report_facts
-export_type([snapshot/0, sum/0]).

-type by() :: process | name | function | type | class | application.
-type sum() :: {Bytes :: non_neg_integer(), Blocks :: non_neg_integer()}.
-type place() :: {module(), atom(), arity(), Line :: non_neg_integer()} | undefined.
%% taken: in milliseconds since 1970. missed: what no record could be had for.
-type snapshot() :: #{taken := integer(), kind := exact | estimated, missed := sum(), total := sum(),
                      types := #{atom() => sum()}, processes := #{pid() | undefined => sum()},
                      functions := #{place() => sum()}}.

%% The N largest, largest first. By name: registered names, and of processes that have none their pids. By function and
%% application: only where the map tells places (instrument:start(#{sites => true})), else all is `undefined`.
%% False: the map is off.
-spec top(by(), non_neg_integer()) -> {exact | estimated, [{What :: term(), Bytes :: non_neg_integer(),
                                                             Blocks :: non_neg_integer()}]} | false.
top(By, N) when is_integer(N), N >= 0 ->
    case lists:member(By, [process, name, function, type, class, application]) of
        true -> largest(By, N);
        false -> error(badarg, [By, N])
    end;
top(By, N) -> error(badarg, [By, N]).

largest(By, N) ->
    case summed(By) of
        false -> false;
        {_, Sums, Kind} ->
            Named = rounded(renamed(By, Sums)),
            {Kind, lists:sublist(by_size([{What, Bytes, Blocks} || {What, {Bytes, Blocks}} <- maps:to_list(Named)]), N)}
    end.

by_size(Sums) -> lists:sort(fun({A, B, C}, {D, E, F}) -> {E, F, A} =< {B, C, D} end, Sums).

%% {Total, Sums, exact | estimated} of one map, by what a block's descriptor has.
summed(By) ->
    Key = key(By),
    case viv_memory_map:fold(fun(Block, {Total, Sums, Kind}) ->
                                     {add(all, Block, Total), add(element(Key, Block), Block, Sums), kind(Block, Kind)}
                             end, {#{}, #{}, exact}) of
        {ok, Result} -> Result;
        false -> false
    end.

key(type) -> 1;
key(class) -> 1;
key(process) -> 4;
key(name) -> 4;
key(_) -> 5.

kind({_, _, _, _, _, 0}, Kind) -> Kind;
kind(_, _) -> estimated.

add(Key, {_, _, Bytes, _, _, Shift}, Sums) ->
    Weight = viv_memory_map:weight(Bytes, Shift),
    case Sums of
        #{Key := {B, N}} -> Sums#{Key := {B + Bytes * Weight, N + Weight}};
        _ -> Sums#{Key => {Bytes * Weight, Weight}}
    end.

rounded(Sums) -> maps:map(fun(_, {Bytes, Blocks}) -> {round(Bytes), round(Blocks)} end, Sums).

%% Sums of what stands for several keys are added.
renamed(process, Sums) -> Sums;
renamed(By, Sums) ->
    Name = namer(By),
    maps:fold(fun(Key, {Bytes, Blocks}, Named) ->
                      What = Name(Key),
                      {B, N} = maps:get(What, Named, {0, 0}),
                      Named#{What => {B + Bytes, N + Blocks}}
              end, #{}, Sums).

namer(name) -> fun registered/1;
namer(function) -> fun viv_memory_map:site/1;
namer(application) -> fun(Site) -> application(viv_memory_map:site(Site)) end;
namer(Type) ->
    Names = list_to_tuple([about_type(Type, Row) || Row <- viv_memory_map:types()]),
    fun(Number) -> element(Number + 1, Names) end.

about_type(type, {Name, _, _}) -> Name;
about_type(class, {_, Class, _}) -> Class.

registered(undefined) -> undefined;
registered(Pid) ->
    case process_info(Pid, registered_name) of
        {registered_name, Name} -> Name;
        _ -> Pid
    end.

%% By where the module was compiled, .../App-Vsn/src/M.erl, as that asks nobody. The runtime's own are `vivarium`.
application(undefined) -> undefined;
application({Module, _, _, _}) ->
    try proplists:get_value(source, Module:module_info(compile)) of
        undefined -> runtimes_own(Module);
        Source -> application_of(Module, lists:reverse(filename:split(Source)))
    catch
        error:_ -> runtimes_own(Module)
    end.

application_of(_, [_, Folder, App | _]) when Folder =:= "src"; Folder =:= "ebin" ->
    list_to_atom(hd(string:split(App, "-", trailing)));
application_of(Module, [_ | Path]) ->
    case lists:dropwhile(fun(Folder) -> Folder =/= "src" end, Path) of
        ["src", App | _] -> list_to_atom(hd(string:split(App, "-", trailing)));
        _ -> runtimes_own(Module)
    end;
application_of(Module, _) -> runtimes_own(Module).

runtimes_own(Module) ->
    case viv_code:held(Module) of
        none -> undefined;
        _ -> vivarium
    end.

%% False: the map is off.
-spec snapshot() -> snapshot() | false.
snapshot() ->
    Taken = erlang:system_time(millisecond),
    Empty = {#{}, #{}, #{}, #{}, exact},
    case viv_memory_map:fold(fun in_all/2, Empty) of
        false -> false;
        {ok, {Total, Types, Processes, Sites, Kind}} ->
            {_, _, _, _, _, MissedBlocks, MissedBytes} = viv_memory_map:figures(),
            #{taken => Taken, kind => Kind, missed => {MissedBytes, MissedBlocks},
              total => maps:get(all, rounded(Total), {0, 0}), types => rounded(renamed(type, Types)),
              processes => rounded(Processes), functions => rounded(renamed(function, Sites))}
    end.

in_all({Type, _, _, Pid, Site, _} = Block, {Total, Types, Processes, Sites, Kind}) ->
    {add(all, Block, Total), add(Type, Block, Types), add(Pid, Block, Processes), add(Site, Block, Sites),
     kind(Block, Kind)}.

%% What is there more or less in B than in A, which is older: most first.
-spec diff(snapshot(), snapshot()) ->
          #{milliseconds := integer(), kind := exact | estimated, total := {integer(), integer()},
            types | processes | functions := [{What :: term(), Bytes :: integer(), Blocks :: integer()}]}.
diff(#{taken := From, kind := Before, total := TotalA} = A, #{taken := To, kind := After, total := TotalB} = B) ->
    Parts = maps:from_list([{Part, changes(map_get(Part, A), map_get(Part, B))}
                            || Part <- [types, processes, functions]]),
    Parts#{milliseconds => To - From, kind => worse(Before, After), total => minus(TotalB, TotalA)};
diff(A, B) -> error(badarg, [A, B]).

worse(exact, exact) -> exact;
worse(_, _) -> estimated.

minus({B1, N1}, {B2, N2}) -> {B1 - B2, N1 - N2}.

changes(A, B) ->
    All = maps:keys(maps:merge(A, B)),
    Changes = [{What, minus(maps:get(What, B, {0, 0}), maps:get(What, A, {0, 0}))} || What <- All],
    by_size([{What, Bytes, Blocks} || {What, {Bytes, Blocks}} <- Changes, {Bytes, Blocks} =/= {0, 0}]).

%% What a process, a table, or whatever has the name holds; `undefined` when there is no such thing. Sizes are bytes.
-spec holders(pid() | ets:tid() | atom()) -> #{atom() => term()} | undefined.
holders(Pid) when is_pid(Pid) -> viv_memory_of:process(Pid);
holders(Name) when is_atom(Name) -> viv_memory_of:name(Name);
holders(Table) when is_reference(Table) -> viv_memory_of:table(Table);
holders(What) -> error(badarg, [What]).
