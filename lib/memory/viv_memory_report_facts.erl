%% What a page of memory tells beside the blocks, as JSON:
%%   node, os_pid, runtime   whose memory
%%   began, ended            of the snapshot, in milliseconds since 1970
%%   kind, sampled, missed   exact or estimated; one drawn in so many bytes, or 0; [Bytes, Blocks] without record
%%   blocks                  how many there are
%%   types                   [Name, Class, Description] by number
%%   processes               [Pid, Name | null] by number; 0: none
%%   places                  [Function, Line, Application | null] by number; 0: unknown
%%   since                   null, or of the snapshot before: taken, kind, total, and [Number, Bytes, Blocks] of each of
%%                           types, processes, places
-module(viv_memory_report_facts).
-export([json/3]).

-spec json(integer(), viv_memory_report_blocks:taken(), viv_memory:snapshot() | none) -> iodata().
json(Began, #{count := Count, kind := Kind, processes := Processes, places := Places}, Since) ->
    {_, _, _, _, Shift, MissedBlocks, MissedBytes} = viv_memory_map:figures(),
    AllProcesses = with_earlier(Processes, processes, Since),
    AllPlaces = with_earlier(Places, functions, Since),
    viv_json:encode(
      #{node => node(), os_pid => {text, os:getpid()},
        runtime => {text, string:trim(erlang:system_info(system_version))},
        began => Began, ended => erlang:system_time(millisecond), kind => Kind, sampled => sampled(Shift),
        missed => [MissedBytes, MissedBlocks], blocks => Count,
        types => [[Name, Class, {text, Description}] || {Name, Class, Description} <- viv_memory_map:types()],
        processes => processes(AllProcesses), places => [place(Place) || Place <- AllPlaces],
        since => since(Since, AllProcesses, AllPlaces)}).

sampled(0) -> 0;
sampled(Shift) -> 1 bsl Shift.

%% [undefined | Now] and what was there only earlier.
with_earlier(Now, _, none) -> [undefined | Now];
with_earlier(Now, Part, Since) ->
    Known = maps:from_keys([undefined | Now], []),
    [undefined | Now] ++ [What || What <- maps:keys(map_get(Part, Since)), not is_map_key(What, Known)].

%% Registered names are asked for all at once: nobody is asked what it is called.
processes(Pids) ->
    Names = maps:from_list([{whereis(Name), Name} || Name <- registered()]),
    [process(Pid, maps:get(Pid, Names, null)) || Pid <- Pids].

process(undefined, _) -> [<<"none">>, null];
process(Pid, null) -> [{text, pid_to_list(Pid)}, null];
process(Pid, Name) -> [{text, pid_to_list(Pid)}, atom_to_binary(Name)].

place(undefined) -> [<<"unknown">>, 0, null];
place({Module, Function, Arity, Line} = Place) ->
    Text = io_lib:format("~tw:~tw/~w", [Module, Function, Arity]),
    [{text, Text}, Line, application(viv_memory:application(Place))].

application(undefined) -> null;
application(Application) -> atom_to_binary(Application).

since(none, _, _) -> null;
since(#{taken := Taken, kind := Kind, total := {Bytes, Blocks}, types := Types, processes := Processes,
        functions := Functions}, AllProcesses, AllPlaces) ->
    #{taken => Taken, kind => Kind, total => [Bytes, Blocks],
      types => sums(Types, [Name || {Name, _, _} <- viv_memory_map:types()]),
      processes => sums(Processes, AllProcesses), places => sums(Functions, AllPlaces)}.

sums(Sums, All) ->
    Numbers = maps:from_list(lists:zip(All, lists:seq(0, length(All) - 1))),
    [[map_get(What, Numbers), Bytes, Blocks] || {What, {Bytes, Blocks}} <- maps:to_list(Sums)].
