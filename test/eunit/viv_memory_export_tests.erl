-module(viv_memory_export_tests).
-include_lib("eunit/include/eunit.hrl").

with_map(Sites, Fun) ->
    _ = viv_memory_map:stop(),
    true = instrument:start(#{sites => Sites}),
    Holder = holder(),
    try Fun()
    after
        Holder ! stop,
        instrument:stop()
    end.

%% A registered process that has a megabyte, of which this module's place is told.
holder() ->
    Parent = self(),
    Pid = spawn(fun() ->
                    register('a holder; of much', self()),
                    Held = [binary:copy(<<"x">>, 1 bsl 16) || _ <- lists:seq(1, 16)],
                    Parent ! held,
                    receive stop -> Held end
                end),
    receive held -> Pid end.

exported(Format) ->
    File = "viv_memory_export_" ++ os:getpid(),
    ok = instrument:export(File, Format),
    {ok, Data} = file:read_file(File),
    ok = file:delete(File),
    Data.

off_test() ->
    _ = viv_memory_map:stop(),
    [?assertEqual(false, instrument:export("viv_memory_export_none", F)) || F <- [pprof, heap, folded]],
    ?assertNot(filelib:is_file("viv_memory_export_none")).

bad_test() ->
    with_map(false, fun() ->
        [?assertError(badarg, instrument:export("x", F)) || F <- [foo, "pprof", 1]],
        ?assertEqual({error, enoent}, instrument:export("/no/such/folder/x", pprof)),
        ?assertEqual({error, eisdir}, instrument:export("/tmp", folded)),
        ?assertEqual({error, badarg}, instrument:export(1, heap))
    end).

%% A file that is there stays as it was when the new one cannot be written.
replaced_test() ->
    with_map(false, fun() ->
        File = "viv_memory_export_there_" ++ os:getpid(),
        ok = file:write_file(File, "old"),
        ok = instrument:export(File, folded),
        {ok, New} = file:read_file(File),
        ?assertNotEqual(<<"old">>, New),
        ?assertEqual([File], filelib:wildcard(File ++ "*")),
        file:delete(File)
    end).

%% --- pprof ----------------------------------------------------------------------------------------------------------

pprof_test_() -> {timeout, 60, fun() -> [pprof(Sites) || Sites <- [true, false]] end}.

pprof(Sites) ->
    with_map(Sites, fun() ->
        Profile = fields(zlib:gunzip(exported(pprof))),
        Strings = list_to_tuple([S || {6, S} <- Profile]),
        String = fun(N) -> element(N + 1, Strings) end,
        ?assertEqual(<<>>, String(0)),
        ?assertEqual([{<<"inuse_objects">>, <<"count">>}, {<<"inuse_space">>, <<"bytes">>}],
                     [{String(number(1, fields(T))), String(number(2, fields(T)))} || {1, T} <- Profile]),
        ?assertEqual(<<"inuse_space">>, String(number(14, Profile))),
        ?assertEqual(1, number(12, Profile)),
        ?assert(abs(number(9, Profile) - erlang:system_time(nanosecond)) < 60_000_000_000),
        Functions = maps:from_list([{number(1, F), {String(number(2, F)), String(number(4, F))}}
                                    || {5, Message} <- Profile, F <- [fields(Message)]]),
        Locations = maps:from_list([{number(1, L), {map_get(number(1, Line), Functions), number(2, Line)}}
                                    || {4, Message} <- Profile, L <- [fields(Message)],
                                       Line <- [fields(field(4, L))]]),
        Samples = [begin
                       S = fields(Message),
                       [Blocks, Bytes] = varints(field(2, S)),
                       Labels = maps:from_list([{String(number(1, L)), String(number(2, L))}
                                                || {3, Label} <- S, L <- [fields(Label)]]),
                       {[map_get(Id, Locations) || Id <- varints(field(1, S))], Labels, Blocks, Bytes}
                   end || {2, Message} <- Profile],
        Mine = [{Stack, Blocks, Bytes} || {Stack, #{<<"process">> := <<"a holder; of much">>,
                                                    <<"type">> := <<"binary">>, <<"class">> := <<"binary">>},
                                           Blocks, Bytes} <- Samples],
        ?assert(lists:sum([Blocks || {_, Blocks, _} <- Mine]) >= 16),
        ?assert(lists:sum([Bytes || {_, _, Bytes} <- Mine]) >= 1 bsl 20),
        [?assertMatch({{<<"a holder; of much">>, <<>>}, 0}, lists:last(Stack)) || {Stack, _, _} <- Mine],
        {exact, [{binary, Held, _}]} = of_type(viv_memory:top(type, 1000), binary),
        Sum = lists:sum([Bytes || {_, #{<<"type">> := <<"binary">>}, _, Bytes} <- Samples]),
        ?assert(abs(Sum - Held) < 1 bsl 19),
        case Sites of
            true ->
                ?assert(lists:any(fun({[{{Name, File}, Line} | _], _, _}) ->
                                          binary:match(Name, <<"viv_memory_export_tests:">>) =:= {0, 24} andalso
                                          File =:= <<"viv_memory_export_tests.erl">> andalso Line > 0
                                  end, Mine));
            false -> ?assertEqual([{{<<"[binary]">>, <<>>}, 0}], lists:usort([hd(Stack) || {Stack, _, _} <- Mine]))
        end
    end).

of_type({Kind, Tops}, Type) -> {Kind, [Top || Top <- Tops, element(1, Top) =:= Type]}.

%% The wire format of protocol buffers: {Field, Number | Bytes}.
fields(<<>>) -> [];
fields(Bytes) ->
    {Key, Rest} = varint(Bytes, 0, 0),
    case Key band 7 of
        0 ->
            {Number, More} = varint(Rest, 0, 0),
            [{Key bsr 3, Number} | fields(More)];
        2 ->
            {Size, More} = varint(Rest, 0, 0),
            <<Content:Size/binary, Left/binary>> = More,
            [{Key bsr 3, Content} | fields(Left)]
    end.

varint(<<1:1, Bits:7, Rest/binary>>, Shift, N) -> varint(Rest, Shift + 7, N bor (Bits bsl Shift));
varint(<<0:1, Bits:7, Rest/binary>>, Shift, N) -> {N bor (Bits bsl Shift), Rest}.

varints(<<>>) -> [];
varints(Bytes) ->
    {N, Rest} = varint(Bytes, 0, 0),
    [N | varints(Rest)].

field(Number, Fields) -> proplists:get_value(Number, Fields).
number(Number, Fields) -> proplists:get_value(Number, Fields, 0).

%% --- text -----------------------------------------------------------------------------------------------------------

folded_test_() -> {timeout, 60, fun() ->
    with_map(true, fun() ->
        Lines = binary:split(exported(folded), <<"\n">>, [global, trim]),
        Stacks = [begin
                      [Frames, Bytes] = binary:split(Line, <<" ">>),
                      {binary:split(Frames, <<";">>, [global]), binary_to_integer(Bytes)}
                  end || Line <- Lines],
        Mine = [{Place, Bytes} || {[<<"binary">>, <<"binary">>, <<"a_holder__of_much">>, Place], Bytes} <- Stacks],
        ?assert(lists:sum([Bytes || {_, Bytes} <- Mine]) >= 1 bsl 20),
        ?assert(lists:all(fun({Frames, _}) -> length(Frames) =:= 3 orelse length(Frames) =:= 4 end, Stacks))
    end)
end}.

heap_test_() -> {timeout, 60, fun() ->
    with_map(true, fun() ->
        [Head, Profile] = binary:split(exported(heap), <<"---\n">>),
        [<<"--- symbol">>, <<"binary=viv">> | Symbols] = binary:split(Head, <<"\n">>, [global, trim]),
        Names = maps:from_list([list_to_tuple(binary:split(Symbol, <<" ">>)) || Symbol <- Symbols]),
        [First | Lines] = binary:split(Profile, <<"\n">>, [global, trim]),
        {ok, [Blocks, Bytes, Blocks, Bytes], []} =
            io_lib:fread("heap profile: ~d: ~d [~d: ~d] @ heapprofile", binary_to_list(First)),
        Sums = [begin
                    {ok, [N, B, N, B, Place, Process], []} = io_lib:fread("~d: ~d [~d: ~d] @ ~s ~s", binary_to_list(L)),
                    {map_get(list_to_binary(Place), Names), map_get(list_to_binary(Process), Names), N, B}
                end || L <- Lines],
        ?assertEqual({Blocks, Bytes}, {lists:sum([N || {_, _, N, _} <- Sums]), lists:sum([B || {_, _, _, B} <- Sums])}),
        ?assert(lists:sum([B || {_, <<"a_holder;_of_much">>, _, B} <- Sums]) >= 1 bsl 20)
    end)
end}.
