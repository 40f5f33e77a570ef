%% instrument: the interface of R9C, files, today's interface, on and off.
-module(viv_instrument_tests).
-include_lib("eunit/include/eunit.hrl").

with_map(Test) ->
    _ = instrument:stop(),
    true = instrument:start(),
    try
        Test()
    after
        instrument:stop()
    end.

with_file(Test) ->
    File = "/tmp/viv_instrument_tests." ++ os:getpid() ++ "." ++ integer_to_list(erlang:unique_integer([positive])),
    try
        Test(File)
    after
        file:delete(File)
    end.

off_test() ->
    _ = instrument:stop(),
    ?assertEqual(false, instrument:stop()),
    ?assertEqual(false, instrument:memory_data()),
    with_file(fun(File) ->
        ?assertEqual(false, instrument:store_memory_data(File)),
        ?assertEqual({error, enoent}, instrument:read_memory_data(File))
    end).

on_and_off_test() ->
    _ = instrument:stop(),
    ?assertEqual(true, instrument:start()),
    ?assertEqual(false, instrument:start(#{sites => true})),
    ?assertEqual(true, instrument:stop()),
    ?assertEqual(true, instrument:start(#{memory => 1 bsl 20, sites => true})),
    ?assertEqual(true, instrument:stop()).

bad_options_test() ->
    [?assertError(badarg, instrument:start(Options))
     || Options <- [[], foo, #{memory => 0}, #{memory => -1}, #{memory => 1.0}, #{memory => 1 bsl 64}, #{sites => yes},
                    #{other => 1}]].

%% Known blocks of a known process, each with type and class; all ends, and nothing of it is left.
known_blocks_test() ->
    with_map(fun() ->
        Parent = self(),
        {Pid, Ref} = spawn_monitor(fun() ->
                                           T = ets:new(t, []),
                                           true = ets:insert(T, [{N} || N <- lists:seq(1, 30)]),
                                           B = binary:copy(<<1>>, 54321),
                                           erlang:send_after(100000, self(), late),
                                           Parent ! ready,
                                           receive stop -> {T, B} end
                                   end),
        receive ready -> ok end,
        {_, Blocks} = Data = instrument:memory_data(),
        [_, Number, Serial] = [list_to_integer(Part) || Part <- string:lexemes(pid_to_list(Pid), "<.>")],
        Its = [Block || {_, _, _, {0, N, S}} = Block <- Blocks, N =:= Number, S =:= Serial],
        Types = [{instrument:type_descr(Data, T), instrument:class_descr(Data, T), Size} || {T, _, Size, _} <- Its],
        ?assertEqual(30, length([x || {ets_object, system_data, _} <- Types])),
        ?assertMatch([_], [x || {timer, system_data, _} <- Types]),
        ?assertMatch([Size] when Size >= 54321 andalso Size < 54321 + 100, [S || {binary, binary_data, S} <- Types]),
        {_, Described} = instrument:descr({element(1, Data), Its}),
        ?assertEqual([Pid], lists:usort([P || {_, _, _, P} <- Described])),
        Pid ! stop,
        receive {'DOWN', Ref, process, Pid, normal} -> ok end,
        nothing_left(Number, Serial, 6000)
    end).

nothing_left(Number, Serial, Times) ->
    {_, Blocks} = instrument:memory_data(),
    case [Block || {_, _, _, {0, N, S}} = Block <- Blocks, N =:= Number, S =:= Serial] of
        [] -> ok;
        _ when Times > 0 -> timer:sleep(10), nothing_left(Number, Serial, Times - 1);
        Left -> ?assertEqual([], Left)
    end.

types_test() ->
    with_map(fun() ->
        Data = instrument:memory_data(),
        {0, Max} = instrument:type_no_range(Data),
        ?assertEqual(length(viv_memory_map:types()) - 1, Max),
        Classes = [instrument:class_descr(Data, T) || T <- lists:seq(0, Max)],
        ?assertEqual([atom_data, binary_data, code_data, process_data, system_data], lists:usort(Classes)),
        Allocators = [instrument:allocator_descr(Data, T) || T <- lists:seq(0, Max)],
        ?assertEqual([mseg_alloc, sys_alloc], lists:usort(Allocators)),
        [?assertEqual(invalid_type, F(Data, T))
         || T <- [-1, Max + 1, 1 bsl 70], F <- [fun instrument:class_descr/2, fun instrument:type_descr/2,
                                                fun instrument:allocator_descr/2]],
        ?assertEqual(0, instrument:block_header_size(Data)),
        ?assertMatch({{viv_memory_data, 1, #{snapshot := in_pieces, sampled := false, missed := {0, 0}}}, _}, Data)
    end).

first() -> {viv_memory_data, 1, #{types => {{a, system_data, sys_alloc, ""}}, block_header_size => 0}}.

sort_test() ->
    First = first(),
    ?assertEqual({First, []}, instrument:sort({First, []})),
    Blocks = [{0, rand:uniform(1 bsl 47), N, undefined} || N <- lists:seq(1, 20000)],
    ?assertEqual({First, lists:keysort(2, Blocks)}, instrument:sort({First, Blocks})),
    Few = [{0, rand:uniform(10), N, undefined} || N <- lists:seq(1, 1000)], % of one address stay in order
    ?assertEqual({First, lists:keysort(2, Few)}, instrument:sort({First, Few})),
    Huge = [{0, 1 bsl 80, 1, undefined}, {0, 5, 1, undefined}],
    ?assertEqual({First, lists:reverse(Huge)}, instrument:sort({First, Huge})),
    ?assertEqual(false, viv_memory_map:sort([a])),
    ?assertEqual(false, viv_memory_map:sort([{0, 1, 1, undefined} | x])).

sums_and_limits_test() ->
    Data = {first(), [{0, 100, 10, undefined}, {0, 200, 5, undefined}, {0, 205, 1, undefined}]},
    ?assertEqual(16, instrument:sum_blocks(Data)),
    ?assertEqual(0, instrument:sum_blocks({first(), []})),
    ?assertEqual({100, 206}, instrument:mem_limits(Data)).

holes_test() ->
    Data = {first(), [{0, 16#100, 16, undefined}, {0, 16#110, 1, undefined}, {0, 16#120, 32, undefined},
                      {0, 16#1000, 1, undefined}]},
    ?assertEqual("15 bytes from 16#111\n3776 bytes from 16#140\n", printed(fun() -> instrument:holes(Data) end)),
    ?assertEqual("", printed(fun() -> instrument:holes({first(), []}) end)),
    Many = {first(), [{0, N * 64, 40, undefined} || N <- lists:seq(1, 2500)]},
    ?assertEqual(2499, length(string:lexemes(printed(fun() -> instrument:holes(Many) end), "\n"))).

%% What a function prints, by a group leader of its own.
printed(Print) ->
    Old = group_leader(),
    Me = self(),
    Leader = spawn_link(fun() -> collect(Me, []) end),
    group_leader(Leader, self()),
    try
        ok = Print()
    after
        group_leader(Old, self())
    end,
    Leader ! stop,
    receive {Leader, Text} -> unicode:characters_to_list(Text) end.

collect(To, Text) ->
    receive
        {io_request, From, As, {put_chars, _, Chars}} -> From ! {io_reply, As, ok}, collect(To, [Text, Chars]);
        {io_request, From, As, {put_chars, _, M, F, A}} ->
            From ! {io_reply, As, ok},
            collect(To, [Text, apply(M, F, A)]);
        stop -> To ! {self(), Text}
    end.

stored_and_read_test() ->
    with_map(fun() ->
        with_file(fun(File) ->
            Blob = binary:copy(<<7>>, 77777),
            ?assertEqual(true, instrument:store_memory_data(File)),
            {{viv_memory_data, 1, Facts}, Blocks} = Data = instrument:read_memory_data(File),
            {Binary, _} = lists:keyfind(binary, 2, number(Data)),
            ?assertMatch([_ | _], [S || {T, _, S, _} <- Blocks, T =:= Binary, S >= 77777, S < 77877]),
            ?assertMatch(#{began := B, ended := E} when E >= B, Facts),
            {ok, [_ | _]} = file:consult(File),
            ?assertEqual(77777, byte_size(Blob))
        end)
    end).

number(Data) ->
    {Min, Max} = instrument:type_no_range(Data),
    [{T, instrument:type_descr(Data, T)} || T <- lists:seq(Min, Max)].

not_stored_test() ->
    with_map(fun() -> ?assertEqual(false, instrument:store_memory_data("/nowhere/at/all")) end).

%% Each file that is cut is an error with a line, and none that is damaged is a crash.
cut_files_test_() ->
    {timeout, 60, fun() ->
        with_file(fun(File) ->
            ok = file:write_file(File, good_file()),
            ?assertMatch({{viv_memory_data, 1, _}, [_, _, _]}, instrument:read_memory_data(File)),
            [begin
                 ok = file:write_file(File, binary:part(good_file(), 0, Size)),
                 ?assertMatch({error, {Line, _, _}} when is_integer(Line), instrument:read_memory_data(File))
             end || Size <- lists:seq(0, byte_size(good_file()) - 2)]
        end)
    end}.

good_file() ->
    First = first(),
    Blocks = [{0, 16, 32, undefined}, {0, 64, 8, {0, 5, 0}}],
    iolist_to_binary([io_lib:format("~p.~n", [Term])
                      || Term <- [First, Blocks, [{0, 128, 1, undefined}], {viv_memory_data_end, 3, First}]]).

damaged_files_test_() ->
    {timeout, 120, fun() ->
        with_file(fun(File) ->
            rand:seed(exsss, {1, 2, 3}),
            Good = good_file(),
            [begin
                 ok = file:write_file(File, damaged(Good, rand:uniform(4))),
                 [well_answered(Read(File)) || Read <- [fun instrument:read_memory_data/1,
                                                        fun instrument:read_memory_status/1]]
             end || _ <- lists:seq(1, 2000)]
        end)
    end}.

%% What is read can be worked with; what is not says where, and can be told in words.
well_answered({error, Reason}) -> ?assert(is_list(lists:flatten(file:format_error(Reason))));
well_answered({_, _} = Data) ->
    {_, Blocks} = instrument:descr(Data),
    ?assert(length(Blocks) =:= length(element(2, Data))),
    ?assert(is_integer(instrument:sum_blocks(Data))),
    ?assert(length(element(2, instrument:sort(Data))) =:= length(Blocks)).

damaged(Text, 0) -> Text;
damaged(Text, Times) ->
    At = rand:uniform(byte_size(Text)) - 1,
    <<Before:At/binary, Byte, After/binary>> = Text,
    damaged(case rand:uniform(5) of
                1 -> <<Before/binary, (rand:uniform(256) - 1), After/binary>>;
                2 -> <<Before/binary, (Byte bxor 1), After/binary>>;
                3 -> <<Before/binary, Byte, Byte, After/binary>>;
                4 -> <<Before/binary, " ", After/binary>>;
                5 -> Digits = integer_to_binary(rand:uniform(1 bsl rand:uniform(80))),
                     <<Before/binary, Digits/binary, After/binary>>
            end, Times - 1).

foreign_files_test() ->
    with_file(fun(File) ->
        [begin
             ok = file:write_file(File, Text),
             ?assertMatch({error, {Line, viv_instrument_file, _}} when Line >= 1, instrument:read_memory_data(File)),
             ?assertMatch({error, {Line, viv_instrument_file, _}} when Line >= 1, instrument:read_memory_status(File))
         end || Text <- ["", "foo.\n", "{x, [{1,2,3,undefined}]}.\n", "[].\n", "\n\n#{}.\n"]],
        ok = file:write_file(File, ["foo.\nbar(1).\n"]),
        ?assertMatch({error, {1, viv_instrument_file, no_first_part}}, instrument:read_memory_data(File)),
        First = io_lib:format("~0p.~n", [first()]),
        [begin
             ok = file:write_file(File, [First, Text]),
             ?assertEqual({error, {Line, viv_instrument_file, What}}, instrument:read_memory_data(File))
         end || {Text, Line, What} <- [{"", 2, cut}, {"[{1,2,3,undefined}].\n", 2, no_blocks},
                                       {"[].\n[{0,2,3,{9,9,9}}].", 3, no_blocks},
                                       {"[{0,-2,3,undefined}].\n", 2, no_blocks},
                                       {"[{0,2,3,undefined}|x].\n", 2, no_blocks},
                                       {"{viv_memory_data_end,1,x}.\n", 2, {not_so_many_blocks, 1}},
                                       {"{viv_memory_data_end,0,x}.\n", 2, no_first_part},
                                       {["{viv_memory_data_end,0,", io_lib:format("~0p", [first()]), "}.\n[].\n"], 3,
                                        after_end}]]
    end).

%% What file:consult/1 says of what is no Erlang, and of no file.
codes_of_consult_test() ->
    with_file(fun(File) ->
        [begin
             ok = file:write_file(File, Text),
             {error, _} = Error = file:consult(File),
             ?assertEqual(Error, instrument:read_memory_data(File)),
             ?assertEqual(Error, instrument:read_memory_status(File))
         end || Text <- [<<"{a,", 255, 254, "}.\n">>, "{b,\n", "{b}", "{b,'", "f(x).\n"]]
    end),
    [?assertEqual(file:consult(Name), Read(Name))
     || Name <- ["/tmp", "/nonexistent/file", 17, ""], Read <- [fun instrument:read_memory_data/1,
                                                                  fun instrument:read_memory_status/1]].

memory_status_test() ->
    case instrument:memory_status(total) of
        false -> with_file(fun(File) -> ?assertEqual(false, instrument:store_memory_status(File)) end);
        [{total, [{sizes, Now, _, Ever}, {blocks, _, _, _}]}] ->
            ?assert(Now =< Ever),
            with_file(fun(File) ->
                ?assertEqual(true, instrument:store_memory_status(File)),
                [{total, _}, {allocators, _}, {classes, Classes}, {types, _}] = instrument:read_memory_status(File),
                ?assertEqual([atom_data, binary_data, code_data, process_data, system_data],
                             lists:sort([Class || {Class, _} <- Classes]))
            end)
    end,
    ?assertError(badarg, instrument:memory_status(everything)).

status_files_test() ->
    with_file(fun(File) ->
        Info = "[{x,[{sizes,1,2,3},{blocks,1,2,3}]}]",
        Good = [["{", Type, ",", Info, "}.\n"] || Type <- ["total", "allocators", "classes", "types"]],
        ok = file:write_file(File, Good),
        Sums = [{x, [{sizes, 1, 2, 3}, {blocks, 1, 2, 3}]}],
        ?assertEqual([{total, Sums}, {allocators, Sums}, {classes, Sums}, {types, Sums}],
                     instrument:read_memory_status(File)),
        ok = file:write_file(File, lists:sublist(Good, 3)),
        ?assertEqual({error, {4, viv_instrument_file, {no_status, types}}}, instrument:read_memory_status(File)),
        ok = file:write_file(File, ["{total,[{x,[{sizes,1,2,a},{blocks,1,2,3}]}]}.\n"]),
        ?assertEqual({error, {1, viv_instrument_file, {no_status, total}}}, instrument:read_memory_status(File)),
        ok = file:write_file(File, [Good, "x.\n"]),
        ?assertEqual({error, {5, viv_instrument_file, after_end}}, instrument:read_memory_status(File))
    end).

%% Today's interface.

every_type_has_an_allocator_test() ->
    Told = lists:append([Types || {_, Types} <- viv_allocations:allocators()]),
    ?assertEqual(lists:sort([Type || {Type, _, _} <- viv_memory_map:types()]), lists:sort(Told)).

allocations_off_test() ->
    _ = instrument:stop(),
    {ok, {128, Unscanned, Found}} = instrument:allocations(),
    ?assertEqual(#{}, Found),
    ?assert(Unscanned > 1000000).

allocations_test() ->
    with_map(fun() ->
        T = ets:new(t, []),
        true = ets:insert(T, [{N} || N <- lists:seq(1, 1000)]),
        {ok, {128, Unscanned, #{system := #{ets_object := Objects}}}} = instrument:allocations(),
        ?assert(Unscanned >= 0),
        ?assertEqual(18, tuple_size(Objects)),
        ?assert(element(1, Objects) >= 1000),
        {ok, {1, _, #{system := Few}}} =
            instrument:allocations(#{allocator_types => [ets_alloc], histogram_start => 1, histogram_width => 32}),
        ?assertEqual([], maps:keys(Few) -- [ets_object, ets_table]),
        #{ets_object := ByOne} = Few,
        ?assertEqual({32, 0}, {tuple_size(ByOne), element(1, ByOne)}),
        {ok, {128, 0, #{}}} = instrument:allocations(#{scheduler_ids => [1]}),
        ets:delete(T)
    end).

carriers_test() ->
    {ok, {512, Carriers}} = instrument:carriers(),
    ?assertEqual([Name || {Name, _} <- viv_allocations:allocators()], [element(1, C) || C <- Carriers]),
    [?assertEqual({Size, 14}, {lists:sum([S || {_, _, S} <- Types]), tuple_size(Free)})
     || {_, false, Size, 0, Types, Free} <- Carriers],
    {ok, {3, [{ets_alloc, false, _, 0, _, {0, 0}}]}} =
        instrument:carriers(#{allocator_types => [ets_alloc], histogram_start => 3, histogram_width => 2, other => x}).

%% What the stock runtime answers to each of them.
options_test() ->
    [begin
         ?assertError(badarg, instrument:allocations(Options)),
         ?assertError(badarg, instrument:carriers(Options))
     end || Options <- [#{histogram_width => 0}, #{histogram_width => 33}, #{histogram_width => 1.0},
                        #{histogram_start => 0}, #{histogram_start => a}, #{histogram_start => 1 bsl 70},
                        #{allocator_types => [foo]}, #{allocator_types => foo},
                        #{scheduler_ids => [1000000]}, #{scheduler_ids => [-1]}, #{scheduler_ids => x}]],
    [begin
         ?assertEqual({error, not_enabled}, instrument:allocations(Options)),
         ?assertEqual({error, not_enabled}, instrument:carriers(Options))
     end || Options <- [#{allocator_types => []}, #{allocator_types => [sys_alloc]}, #{scheduler_ids => []}]],
    [begin
         ?assertError({badmap, Options}, instrument:allocations(Options)),
         ?assertError({badmap, Options}, instrument:carriers(Options))
     end || Options <- [foo, []]].

%% On, off and read at random, by many at once, while blocks come and go.
at_random_test_() ->
    {timeout, 120, fun() ->
        Workers = [spawn_monitor(fun() -> work(Seed, 150) end) || Seed <- lists:seq(1, 6)],
        [receive {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(normal, Reason) end || {Pid, Ref} <- Workers],
        _ = instrument:stop()
    end}.

work(_, 0) -> ok;
work(Seed, Times) ->
    Times =:= 150 andalso rand:seed(exsss, {Seed, 5, 7}),
    _ = act(rand:uniform(9)),
    work(Seed, Times - 1).

act(1) -> instrument:start(#{sites => rand:uniform(2) =:= 1});
act(2) -> instrument:start(#{memory => 1 bsl (10 + rand:uniform(12))});
act(3) -> instrument:stop();
act(4) -> sound(instrument:memory_data());
act(5) -> {ok, _} = instrument:allocations();
act(6) -> {ok, _} = instrument:carriers();
act(7) -> T = ets:new(t, []), true = ets:insert(T, [{N, <<0:(N * 8)>>} || N <- lists:seq(1, 300)]), ets:delete(T);
act(8) -> spawn(fun() -> lists:sum([byte_size(binary:copy(<<1>>, N)) || N <- lists:seq(1, 300)]) end);
act(9) -> viv_memory:snapshot().

%% No block twice.
sound(false) -> ok;
sound({_, Blocks}) -> ?assertEqual(length(Blocks), length(lists:ukeysort(2, Blocks))).
