%% Files: each call goes to a dirty thread and comes back.
-module(b_files).
-export([group/0, benchmarks/0]).

group() -> sequential.

benchmarks() ->
    Folder = filename:join("/tmp", "b_files" ++ os:getpid()),
    Name = filename:join(Folder, "file"),
    ok = filelib:ensure_dir(Name),
    ok = file:write_file(Name, binary:copy(<<"some text\n">>, 400)),
    [{"files: what is known of one", fun() -> times(3000, fun() -> {ok, _} = prim_file:read_file_info(Name) end) end},
     {"files: one read whole", fun() -> times(1500, fun() -> {ok, _} = prim_file:read_file(Name) end) end},
     {"files: one written and renamed", fun() -> times(500, fun() -> replace(Name, Name ++ ".new") end) end},
     {"files: positions of one open", fun() -> reads(Name, 3000) end}].

times(0, _) -> ok;
times(N, Fun) -> Fun(), times(N - 1, Fun).

replace(Name, New) ->
    ok = prim_file:write_file(New, <<"some text">>),
    ok = prim_file:rename(New, Name).

reads(Name, Count) ->
    {ok, File} = prim_file:open(Name, [read, raw, binary]),
    times(Count, fun() -> _ = prim_file:pread(File, 3, 4) end),
    ok = prim_file:close(File).
