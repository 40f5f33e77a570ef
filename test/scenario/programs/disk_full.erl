%% A disk that is full: a device that says so, and a file that may grow no further (`ulimit -f`). What files, logs and
%% the logger tell is stock's, and all goes on.
-module(disk_full).
-export([main/0]).

main() ->
    Folder = os:getenv("FOLDER"),
    [says(Options, device(Options)) || Options <- modes()],
    says(write_file, file:write_file("/dev/full", "x")),
    says(copy, file:copy("/etc/passwd", "/dev/full")),
    Long = filename:join(Folder, "long"),
    says(grows, grows(Long)),
    says(truncated, truncated(Long)),
    says(log, log(filename:join(Folder, "log"))),
    says(wrap_log, wrap_log(filename:join(Folder, "wrap"))),
    says(dets, dets(filename:join(Folder, "table"))),
    says(logger, logged(filename:join(Folder, "logged"))),
    says(small, file:write_file(filename:join(Folder, "small"), "x")).

says(What, Answer) -> io:format("~0p ~0p~n", [What, Answer]).

modes() ->
    [[write], [write, raw], [write, raw, delayed_write], [write, raw, {delayed_write, 10, 100}], [read, write, raw],
     [append, raw]].

device(Options) ->
    {ok, F} = file:open("/dev/full", Options),
    Written = [file:write(F, "xx"), file:pwrite(F, [{0, "xx"}, {5, "y"}])],
    timer:sleep(120),
    {Written, file:write(F, "yy"), file:sync(F), file:close(F)}.

grows(Name) ->
    {ok, F} = file:open(Name, [write, raw]),
    Answers = [file:write(F, binary:copy(<<"x">>, 10000)) || _ <- lists:seq(1, 10)],
    {Answers, file:position(F, cur), file:truncate(F), file:close(F), size_of(Name)}.

truncated(Name) ->
    {ok, F} = file:open(Name, [read, write, raw]),
    {ok, _} = file:position(F, 10000000),
    {file:truncate(F), file:allocate(F, 0, 1000000), file:close(F), size_of(Name)}.

size_of(Name) -> filelib:file_size(Name).

log(Name) ->
    {ok, Log} = disk_log:open([{name, full}, {file, Name}, {format, external}, {quiet, true}]),
    Answers = [without_name(disk_log:blog(Log, binary:copy(<<"x">>, 10000))) || _ <- lists:seq(1, 10)],
    {Answers, without_name(disk_log:sync(Log)), without_name(disk_log:close(Log)), size_of(Name)}.

wrap_log(Name) ->
    {ok, Log} = disk_log:open([{name, round}, {file, Name}, {type, wrap}, {size, {100000, 3}}]),
    Answers = [without_name(disk_log:log(Log, binary:copy(<<"x">>, 10000))) || _ <- lists:seq(1, 10)],
    {Answers, without_name(disk_log:close(Log))}.

without_name({error, {file_error, _, Reason}}) -> {error, Reason};
without_name({error, {Tag, _, {file_error, _, Reason}}}) -> {error, {Tag, Reason}};
without_name(Other) -> Other.

dets(Name) ->
    {ok, T} = dets:open_file(table, [{file, Name}]),
    Answers = [without_name(dets:insert(T, {I, binary:copy(<<"x">>, 10000)})) || I <- lists:seq(1, 10)],
    {lists:usort(Answers), without_name(dets:sync(T)), without_name(dets:close(T))}.

logged(Name) ->
    Formatter = {logger_formatter, #{template => [msg, "\n"]}},
    ok = logger:add_handler(to_file, logger_std_h, #{config => #{file => Name}, formatter => Formatter}),
    logger:remove_handler(default),
    [logger:error("~s", [binary:copy(<<"x">>, 10000)]) || _ <- lists:seq(1, 10)],
    Synced = logger_std_h:filesync(to_file),
    Size = size_of(Name),
    {Synced, Size, logger:remove_handler(to_file)}.
