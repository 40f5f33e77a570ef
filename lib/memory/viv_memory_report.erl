%% instrument:report/1,2: the memory of the running system as one HTML page, which needs nothing else to be read.
%%
%% The page is lib/memory/report.html, with all of lib/memory/report/ in it; it is part of the program. Into it
%% go, where it says @@BLOCKS@@, the blocks of a snapshot, deflated and in base64 (viv_memory_report_blocks), and, where
%% it says @@FACTS@@, all else that it tells, as JSON (viv_memory_report_facts).
%%
%% The page takes the file's place when it is whole (viv_memory_file).
-module(viv_memory_report).
-export([write/2]).

-type options() :: #{since => viv_memory:snapshot()}.

%% False: the map is off, or was stopped meanwhile.
-spec write(file:name_all(), options()) -> ok | false | {error, file:posix() | badarg}.
write(File, Options) ->
    Since = since(File, Options),
    Began = erlang:system_time(millisecond),
    case viv_memory_report_blocks:take() of
        false -> false;
        Taken -> viv_memory_file:replace(File, fun(Device) -> page(Device, Began, Taken, Since) end)
    end.

since(_, Options) when Options =:= #{} -> none;
since(_, #{since := #{taken := _, kind := _, total := _, types := _, processes := _, functions := _} = Since} = Options)
  when map_size(Options) =:= 1 -> Since;
since(File, Options) -> erlang:raise(error, badarg, [{instrument, report, [File, Options], []}]).

page(Device, Began, Taken, Since) ->
    [Head, Middle, End] = viv_page:parts('memory/report.html', [<<"@@BLOCKS@@">>, <<"@@FACTS@@">>]),
    Put = fun(Data) -> file:write(Device, Data) end,
    in_order([fun() -> Put(Head) end,
              fun() -> viv_memory_report_blocks:write(Taken, Put) end,
              fun() -> Put([Middle, viv_memory_report_facts:json(Began, Taken, Since), End]) end]).

in_order([Step | Steps]) ->
    case Step() of
        ok -> in_order(Steps);
        Error -> Error
    end;
in_order([]) -> ok.
