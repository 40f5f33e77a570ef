%% instrument:report/1,2: what stands in the page is what is in the map; errors, and nothing left behind.
-module(viv_memory_report_tests).
-include_lib("eunit/include/eunit.hrl").

with_map(Options, Test) ->
    _ = instrument:stop(),
    true = instrument:start(Options),
    try
        Test()
    after
        instrument:stop()
    end.

with_folder(Test) ->
    Folder = "/tmp/viv_memory_report_tests." ++ os:getpid() ++ "." ++
        integer_to_list(erlang:unique_integer([positive])),
    ok = file:make_dir(Folder),
    try
        Test(Folder)
    after
        file:del_dir_r(Folder)
    end.

off_test() ->
    _ = instrument:stop(),
    with_folder(fun(Folder) ->
        ?assertEqual(false, instrument:report(Folder ++ "/page.html")),
        ?assertEqual({ok, []}, file:list_dir(Folder))
    end).

%% The blocks of a process that keeps still are just those of the map; of all others those that stay are there.
blocks_test() ->
    with_map(#{sites => true}, fun() -> with_folder(fun(Folder) ->
        {Pid, Ref} = spawn_monitor(holder(self())),
        receive ready -> ok end,
        waits(Pid), % by then its heap is as large as it needs
        File = Folder ++ "/page.html",
        {ok, Before} = viv_memory_map:fold(fun(Block, All) -> [Block | All] end, []),
        ?assertEqual(ok, instrument:report(File)),
        {ok, After} = viv_memory_map:fold(fun(Block, All) -> [Block | All] end, []),
        Told = blocks(File),
        Addresses = [Address || {_, Address, _, _, _, _} <- Told],
        ?assertEqual(Addresses, lists:usort(Addresses)),
        Its = lists:sort([described(Block) || {_, _, _, P, _, _} = Block <- Before, P =:= Pid]),
        ?assert(length(Its) > 2000),
        ?assertEqual(Its, lists:sort([Block || {_, _, _, P, _, _} = Block <- Told, P =:= pid_to_list(Pid)])),
        Stayed = ordsets:intersection(ordsets:from_list(Before), ordsets:from_list(After)),
        ?assert(length(Stayed) > 2200),
        ?assertEqual([], ordsets:subtract(ordsets:from_list([described(Block) || Block <- Stayed]),
                                          ordsets:from_list(Told))),
        ?assertEqual({ok, ["page.html"]}, file:list_dir(Folder)),
        exit(Pid, kill),
        receive {'DOWN', Ref, _, _, _} -> ok end
    end) end).

waits(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), waits(Pid)
    end.

holder(Parent) ->
    fun() ->
            T = ets:new(t, [ordered_set]),
            true = ets:insert(T, [{N, lists:duplicate(N rem 50, N)} || N <- lists:seq(1, 2000)]),
            Kept = [binary:copy(<<N>>, N * N) || N <- lists:seq(64, 300)],
            Parent ! ready,
            receive stop -> Kept end
    end.

described({Type, Address, Bytes, Pid, Site, Shift}) ->
    {Type, Address, Bytes, case Pid of undefined -> undefined; _ -> pid_to_list(Pid) end, place(Site), Shift}.

place(Site) ->
    case viv_memory_map:site(Site) of
        undefined -> <<"unknown">>;
        {M, F, A, _} -> unicode:characters_to_binary(io_lib:format("~tw:~tw/~w", [M, F, A]))
    end.

%% Past half of what records may take, blocks are sampled, and the page has the rate of each.
sampled_test() ->
    with_map(#{memory => 1 bsl 20}, fun() -> with_folder(fun(Folder) ->
        T = ets:new(t, []),
        true = ets:insert(T, [{N, N} || N <- lists:seq(1, 300000)]),
        {ok, Before} = viv_memory_map:fold(fun(Block, All) -> [Block | All] end, []),
        File = Folder ++ "/page.html",
        ?assertEqual(ok, instrument:report(File)),
        {match, _} = re:run(element(2, facts(File)), <<"\"kind\":\"estimated\"">>),
        Objects = [A || {_, A, _, P, _, Shift} <- Before, P =:= self(), Shift > 0],
        Told = [A || {_, A, _, P, _, Shift} <- blocks(File), P =:= pid_to_list(self()), Shift > 0],
        ?assert(length(Objects) > 100),
        ?assert(length(ordsets:intersection(lists:sort(Objects), Told)) > length(Objects) * 0.9),
        ets:delete(T)
    end) end).

names_test() ->
    with_map(#{}, fun() -> with_folder(fun(Folder) ->
        Name = '</script> "ü\\',
        {Pid, Ref} = binary_holder(fun() -> register(Name, self()) end),
        File = unicode:characters_to_binary(Folder ++ "/ü.html"),
        ?assertEqual(ok, instrument:report(File)),
        {Page, Facts} = facts(File),
        Row = ["[\"", pid_to_list(Pid), "\",\"\\u003C/script> \\\"ü\\\\\"]"],
        ?assertNotEqual(nomatch, binary:match(Facts, unicode:characters_to_binary(escaped(Row)))),
        ?assertEqual(3, length(binary:matches(Page, <<"</script>">>))),
        exit(Pid, kill),
        receive {'DOWN', Ref, _, _, _} -> ok end
    end) end).

escaped(Row) -> string:replace(unicode:characters_to_list(Row), "<0", "\\u003C0").

since_test() ->
    with_map(#{}, fun() -> with_folder(fun(Folder) ->
        File = Folder ++ "/page.html",
        {Gone, Ref} = binary_holder(fun() -> true end),
        Snapshot = viv_memory:snapshot(),
        exit(Gone, kill),
        receive {'DOWN', Ref, _, _, _} -> ok end,
        ?assertEqual(ok, instrument:report(File, #{since => Snapshot})),
        {_, Facts} = facts(File),
        {Bytes, Blocks} = maps:get(total, Snapshot),
        Total = iolist_to_binary(io_lib:format("\"total\":[~b,~b]", [Bytes, Blocks])),
        ?assertNotEqual(nomatch, binary:match(Facts, Total)),
        ?assertNotEqual(nomatch, binary:match(Facts, list_to_binary(tl(pid_to_list(Gone))))),
        ?assertEqual(ok, instrument:report(File)),
        ?assertNotEqual(nomatch, binary:match(element(2, facts(File)), <<"\"since\":null">>)),
        ?assertEqual({ok, ["page.html"]}, file:list_dir(Folder))
    end) end).

errors_test() ->
    with_map(#{}, fun() -> with_folder(fun(Folder) ->
        ?assertEqual({error, enoent}, instrument:report(Folder ++ "/none/page.html")),
        ?assertEqual({error, eisdir}, instrument:report(Folder)),
        ?assertEqual({error, enotdir}, instrument:report("/dev/null/page.html")),
        ?assertEqual({error, enospc}, instrument:report("/dev/full")),
        ?assertEqual({error, badarg}, instrument:report({a})),
        ?assertEqual({error, badarg}, instrument:report("a\0b")),
        ?assertEqual(ok, instrument:report("/dev/null")),
        ?assertMatch({ok, _}, file:read_file_info("/dev/null")),
        [?assertError(badarg, instrument:report(Folder ++ "/page.html", Options))
         || Options <- [[], foo, #{since => false}, #{since => #{}}, #{other => 1}]],
        ?assertEqual({ok, []}, file:list_dir(Folder))
    end) end).

json_test() ->
    ?assertEqual(<<"{\"a\":[1,-2.5,true,null,\"x\",\"\\u003C\\\"\\\\\\u000A\",\"é\"],\"b\":{}}"/utf8>>,
                 iolist_to_binary(viv_json:encode(#{a => [1, -2.5, true, null, x, <<"<\"\\\n">>, {text, "é"}],
                                                    b => #{}}))),
    ?assertEqual(<<"\"é\""/utf8>>, iolist_to_binary(viv_json:encode({text, <<"é">>}))).

%% {Page, Facts}
facts(File) ->
    {ok, Page} = file:read_file(File),
    [_, After] = binary:split(Page, <<"<script id=\"data\" type=\"application/json\">">>),
    [Facts, _] = binary:split(After, <<"</script>">>),
    {Page, Facts}.

%% {Type, Address, Bytes, PidText, PlaceText, Shift} of each, read from the page alone.
blocks(File) ->
    {Page, Facts} = facts(File),
    [_, After] = binary:split(Page, <<"<script id=\"blocks\" type=\"text/plain\">">>),
    [Text, _] = binary:split(After, <<"</script>">>),
    Processes = list_to_tuple(firsts(Facts, <<"processes">>, "\"(\\\\u003C[0-9.]+>|none)\",")),
    Places = list_to_tuple(firsts(Facts, <<"places">>, "\"((?:[^\"\\\\]|\\\\.)*)\",\\d")),
    read(zlib:uncompress(base64:decode(Text)), 0, Processes, Places, []).

%% The first of each row of a table.
firsts(Facts, Name, Pattern) ->
    [_, After] = binary:split(Facts, <<"\"", Name/binary, "\":[">>),
    [Rows, _] = binary:split(After, <<"]]">>),
    {match, Found} = re:run(Rows, ["\\[", Pattern], [global, {capture, all_but_first, binary}]),
    [iolist_to_binary(string:replace(First, "\\u003C", "<", all)) || [First] <- Found].

read(<<>>, _, _, _, Done) -> lists:reverse(Done);
read(Data, Before, Processes, Places, Done) ->
    {Delta, D1} = number(Data),
    {Bytes, D2} = number(D1),
    {Type, Shift, D3} = type(D2),
    {Process, D4} = number(D3),
    {Place, D5} = number(D4),
    Address = Before + 16 * Delta,
    Pid = case element(Process + 1, Processes) of
              <<"none">> -> undefined;
              Text -> binary_to_list(Text)
          end,
    read(D5, Address, Processes, Places, [{Type, Address, Bytes, Pid, element(Place + 1, Places), Shift} | Done]).

type(<<0:1, Type:7, Data/binary>>) -> {Type, 0, Data};
type(<<1:1, Type:7, Shift, Data/binary>>) -> {Type, Shift, Data}.

number(<<0:1, N:7, Data/binary>>) -> {N, Data};
number(<<1:1, N:7, Data/binary>>) ->
    {More, Rest} = number(Data),
    {N + (More bsl 7), Rest}.

%% A process that holds a binary, once it does.
binary_holder(Prepare) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() -> true = Prepare(), hold(binary:copy(<<1>>, 1000), Self) end),
    receive {Pid, holds} -> {Pid, Ref} end.

hold(What, Whom) ->
    Whom ! {self(), holds},
    receive stop -> What end.
