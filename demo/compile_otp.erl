%% Compiles Erlang sources in parallel with the stock compiler and compares each result with a reference, chunk by
%% chunk. Runs on viv and on the stock runtime alike; demo/compile calls it.
-module(compile_otp).
-export([main/1]).

%% List: a file with a source path in each line. Out: where the .beam files go. Reference: where those to compare with
%% are. The options are those that erlc passes on, in its order, so that even the chunks that hold options and paths are
%% equal. Include: a folder in which each application stands without its version. Mode `live` shows progress in one
%% line.
main([List, Out, Reference, Include, Version, Mode]) ->
    {ok, Text} = file:read_file(List),
    Sources = [binary_to_list(Line) || Line <- binary:split(Text, <<"\n">>, [global, trim_all])],
    Workers = erlang:system_info(schedulers_online),
    Job = fun(Source) -> compile_and_compare(Source, Out, Reference, options(Include, Version)) end,
    Start = erlang:monotonic_time(millisecond),
    io:format("compiling ~b files with ~b workers~n", [length(Sources), Workers]),
    Results = run(Sources, Workers, Job, Mode),
    summary(Results, erlang:monotonic_time(millisecond) - Start).

options(Include, Version) ->
    {ok, Folder} = file:get_cwd(),
    Includes = [filename:join(Folder, I) || I <- [Include, Include ++ "/kernel/include", Include ++ "/stdlib/include"]],
    [binary, return_errors, {cwd, Folder}, {d, 'COMPILER_VSN', Version}] ++ [{i, I} || I <- Includes] ++ [debug_info].

%% One process for each file, `Workers` of them at a time.
run(Sources, Workers, Job, Mode) ->
    {Now, Later} = lists:split(min(Workers, length(Sources)), Sources),
    Running = maps:from_list([start(Source, Job) || Source <- Now]),
    collect(Running, Later, Job, {Mode, length(Sources), erlang:monotonic_time(millisecond)}, []).

start(Source, Job) ->
    {_, Monitor} = spawn_monitor(fun() -> exit({result, Job(Source)}) end),
    {Monitor, Source}.

collect(Running, [], _, Progress, Results) when map_size(Running) =:= 0 ->
    progress_end(Progress),
    lists:reverse(Results);
collect(Running, Later, Job, Progress, Results) ->
    receive
        {'DOWN', Monitor, process, _, Reason} when is_map_key(Monitor, Running) ->
            {Source, Rest} = maps:take(Monitor, Running),
            Result = case Reason of
                         {result, R} -> R;
                         _ -> {failed, Reason}
                     end,
            All = [{Source, Result} | Results],
            progress(Progress, All),
            case Later of
                [] -> collect(Rest, [], Job, Progress, All);
                [Next | More] ->
                    {NewMonitor, Next} = start(Next, Job),
                    collect(Rest#{NewMonitor => Next}, More, Job, Progress, All)
            end
    end.

progress({Mode, Count, Start}, [{Source, _} | _] = Results) ->
    Done = length(Results),
    Seconds = (erlang:monotonic_time(millisecond) - Start) / 1000,
    Bar = lists:duplicate(Done * 30 div Count, $#) ++ lists:duplicate(30 - Done * 30 div Count, $.),
    Line = io_lib:format("[~s] ~b/~b ~.1f s ~-30s", [Bar, Done, Count, Seconds, filename:basename(Source)]),
    case Mode of
        "live" -> io:put_chars(["\r", Line]);
        _ when Done rem 20 =:= 0 -> io:put_chars([Line, "\n"]);
        _ -> ok
    end.

progress_end({"live", _, _}) -> io:nl();
progress_end(_) -> ok.

summary(Results, Milliseconds) ->
    Equal = [Source || {Source, {equal, _}} <- Results],
    Bytes = lists:sum([Size || {_, {_, Size}} <- Results, is_integer(Size)]),
    [io:format("~s: ~0p~n", [Source, Result]) || {Source, Result} <- Results, element(1, Result) =/= equal],
    io:format("~b of ~b files equal, ~b bytes of code, ~.1f s~n",
              [length(Equal), length(Results), Bytes, Milliseconds / 1000]),
    case length(Equal) =:= length(Results) of
        true -> ok;
        false -> halt(1)
    end.

compile_and_compare(Source, Out, Reference, Options) ->
    case compile:file(Source, Options) of
        {ok, Module, Beam} ->
            Name = atom_to_list(Module) ++ ".beam",
            ok = file:write_file(filename:join(Out, Name), Beam),
            case file:read_file(filename:join(Reference, Name)) of
                {ok, Expected} -> compare(chunks(Beam), chunks(Expected), byte_size(Beam));
                {error, Reason} -> {no_reference, Reason}
            end;
        Error ->
            {failed, Error}
    end.

%% A .beam file is an IFF form: name, size and content of each chunk, filled up to a multiple of four.
chunks(<<"FOR1", _:32, "BEAM", Chunks/binary>>) -> maps:from_list(chunk_list(Chunks)).

chunk_list(<<Name:4/binary, Size:32, Content:Size/binary, Rest/binary>>) ->
    Fill = (4 - Size rem 4) rem 4,
    <<_:Fill/binary, More/binary>> = Rest,
    [{Name, Content} | chunk_list(More)];
chunk_list(<<>>) -> [].

compare(Chunks, Expected, Size) ->
    Names = lists:usort(maps:keys(Chunks) ++ maps:keys(Expected)),
    case [Name || Name <- Names, maps:find(Name, Chunks) =/= maps:find(Name, Expected)] of
        [] -> {equal, Size};
        Different -> {different, Different}
    end.
