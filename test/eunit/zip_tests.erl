-module(zip_tests).
-include_lib("eunit/include/eunit.hrl").
-include_lib("stdlib/include/zip.hrl").

files() ->
    [{"a.txt", <<"hello">>}, {"folder/b.txt", binary:copy(<<"0123456789">>, 10000)}, {"empty", <<>>},
     {"numbers", << <<(erlang:phash2(N)):32>> || N <- lists:seq(1, 5000) >>}].

in_memory_test() ->
    {ok, {"x.zip", Zip}} = zip:create("x.zip", files(), [memory]),
    ?assert(byte_size(Zip) < 25000),
    {ok, Files} = zip:extract(Zip, [memory]),
    ?assertEqual(lists:sort(files()), lists:sort(Files)),
    {ok, [#zip_comment{} | List]} = zip:list_dir(Zip),
    ?assertEqual(lists:sort([Name || {Name, _} <- files()]), lists:sort([Name || #zip_file{name = Name} <- List])).

on_disk_test() ->
    Folder = "/tmp/zip_tests_" ++ os:getpid(),
    [begin
         ok = filelib:ensure_dir(filename:join([Folder, "in", Name])),
         ok = file:write_file(filename:join([Folder, "in", Name]), Content)
     end || {Name, Content} <- files()],
    Zip = Folder ++ "/x.zip",
    ?assertEqual({ok, Zip}, zip:create(Zip, [Name || {Name, _} <- files()], [{cwd, Folder ++ "/in"}])),
    {ok, Names} = zip:extract(Zip, [{cwd, Folder ++ "/out"}]),
    ?assertEqual(4, length(Names)),
    [?assertEqual({ok, Content}, file:read_file(filename:join([Folder, "out", Name]))) || {Name, Content} <- files()],
    ?assertEqual({ok, [filename:join(Folder ++ "/again", "a.txt")]},
                 zip:unzip(Zip, [{file_list, ["a.txt"]}, {cwd, Folder ++ "/again"}])),
    ok = file:del_dir_r(Folder).

options_test() ->
    {ok, {_, Stored}} = zip:create("x", [{"a", binary:copy(<<"x">>, 1000)}], [memory, {compress, []}]),
    ?assert(byte_size(Stored) > 1000),
    {ok, {_, Commented}} = zip:create("x", [{"a", <<"x">>}], [memory, {comment, "a remark"}]),
    ?assertMatch({ok, [#zip_comment{comment = "a remark"} | _]}, zip:table(Commented)),
    ?assertEqual({ok, [{"b", <<"2">>}]}, begin
        {ok, {_, Two}} = zip:create("x", [{"a", <<"1">>}, {"b", <<"2">>}], [memory]),
        zip:extract(Two, [memory, {file_filter, fun(#zip_file{name = Name}) -> Name =:= "b" end}]) end).

open_test() ->
    {ok, {_, Zip}} = zip:create("x", files(), [memory]),
    {ok, Handle} = zip:zip_open(Zip, [memory]),
    ?assertEqual({ok, {"a.txt", <<"hello">>}}, zip:zip_get("a.txt", Handle)),
    ?assertEqual({error, file_not_found}, zip:zip_get("no", Handle)),
    {ok, All} = zip:zip_get(Handle),
    ?assertEqual(4, length(All)),
    ok = zip:zip_close(Handle).

broken_test_() ->
    {ok, {_, Zip}} = zip:create("x", [{"a", <<"hello">>}], [memory]),
    [?_assertMatch({error, _}, zip:extract(<<"no archive">>, [memory])),
     ?_assertMatch({error, _}, zip:extract(binary:part(Zip, 0, byte_size(Zip) - 10), [memory])),
     ?_assertMatch({error, _}, zip:extract("/no/such/file", [memory])),
     ?_assertMatch({error, _}, zip:create("x", ["/no/such/file"], [memory]))].

%% The formats under it.
zlib_test_() ->
    Data = << <<(erlang:phash2(N, 7)):8>> || N <- lists:seq(1, 100000) >>,
    [?_assertEqual(Data, zlib:uncompress(zlib:compress(Data))), ?_assertEqual(Data, zlib:gunzip(zlib:gzip(Data))),
     ?_assertEqual(Data, zlib:unzip(zlib:zip(Data))), ?_assertError(data_error, zlib:uncompress(<<"nonsense">>)),
     ?_assertEqual(907060870, erlang:crc32("hello")), ?_assertEqual(103547413, erlang:adler32("hello"))].
