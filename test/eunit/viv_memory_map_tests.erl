%% The map of memory blocks, as its natives give it.
-module(viv_memory_map_tests).
-include_lib("eunit/include/eunit.hrl").

%% Runs with the map on, from nothing.
with_map(Sites, Test) ->
    _ = viv_memory_map:stop(),
    true = viv_memory_map:start(0, Sites),
    try
        Test()
    after
        true = viv_memory_map:stop()
    end.

blocks_of(Pid, Type) ->
    Names = [Name || {Name, _, _} <- viv_memory_map:types()],
    {ok, Blocks} = viv_memory_map:fold(fun(Block, Acc) -> [Block || element(4, Block) =:= Pid,
                                                                     lists:nth(element(1, Block) + 1, Names) =:= Type]
                                                              ++ Acc
                                       end, []),
    Blocks.

%% In a process of its own, so that what it asked for is told from all else; it lives until the end of Test.
as_process(Make, Test) ->
    Parent = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
                                       Made = Make(),
                                       Parent ! {self(), made},
                                       receive stop -> Made end
                               end),
    receive {Pid, made} -> ok end,
    Result = Test(Pid),
    Pid ! stop,
    receive {'DOWN', Ref, process, Pid, normal} -> Result end.

off_test() ->
    _ = viv_memory_map:stop(),
    ?assertEqual(false, viv_memory_map:stop()),
    ?assertEqual(false, viv_memory_map:snapshot()),
    ?assertEqual(false, viv_memory_map:blocks()),
    ?assertEqual(false, viv_memory_map:fold(fun(_, A) -> A end, 0)),
    ?assertMatch({false, 0, 0, 0, 0, _, _}, viv_memory_map:figures()).

bad_arguments_test() ->
    [?assertError(badarg, viv_memory_map:start(Bytes, Sites))
     || {Bytes, Sites} <- [{-1, true}, {x, true}, {0, yes}, {1 bsl 70, false}]],
    [?assertError(badarg, viv_memory_map:read(Snapshot, From, []))
     || {Snapshot, From} <- [{x, 0}, {-1, 0}, {1, -1}, {1, x}, {1, 1 bsl 40}]],
    ?assertError(badarg, viv_memory_map:site(-1)),
    ?assertError(badarg, viv_memory_map:status(everything)),
    ?assertEqual(undefined, viv_memory_map:site(0)).

known_blocks_are_found_test() ->
    with_map(false, fun() ->
        as_process(fun() -> [binary:copy(<<1>>, 100000 + N) || N <- lists:seq(1, 20)] end,
                   fun(Pid) ->
                           Sizes = [Bytes || {_, _, Bytes, _, _, _} <- blocks_of(Pid, binary)],
                           Header = lists:min(Sizes) - 100001,
                           ?assert(Header >= 0 andalso Header < 200),
                           ?assertEqual([100000 + N + Header || N <- lists:seq(1, 20)], lists:sort(Sizes))
                   end)
    end).

blocks_go_with_their_process_test() ->
    with_map(false, fun() ->
        Pid = as_process(fun() -> {ets:new(t, []), binary:copy(<<1>>, 100000), lists:seq(1, 1000)} end,
                         fun(Pid) -> ?assertMatch([_ | _], blocks_of(Pid, binary)), Pid end),
        gone(Pid, 6000)
    end).

%% What frees it may come a little later.
gone(Pid, Times) ->
    {ok, Left} = viv_memory_map:fold(fun(B, Acc) -> [B || element(4, B) =:= Pid] ++ Acc end, []),
    case Left of
        [] -> ok;
        _ when Times > 0 -> timer:sleep(10), gone(Pid, Times - 1);
        _ -> ?assertEqual([], Left)
    end.

sites_test() ->
    with_map(true, fun() ->
        as_process(fun() -> big_binary(100000) end,
                   fun(Pid) ->
                           [{_, _, _, _, Site, 0}] = blocks_of(Pid, binary),
                           ?assertMatch({?MODULE, big_binary, 1, Line} when Line > 0, viv_memory_map:site(Site))
                   end)
    end).

big_binary(Bytes) ->
    B = binary:copy(<<1>>, Bytes),
    Bytes = byte_size(B),
    B.

no_sites_test() ->
    with_map(false, fun() ->
        _ = ets:new(t, []),
        {ok, Sites} = viv_memory_map:fold(fun(B, Acc) -> Acc#{element(5, B) => true} end, #{}),
        ?assertEqual([0], maps:keys(Sites))
    end).

%% No block twice, none torn, none of another type than there are, while many come and go, and the map too.
read_under_load_test_() ->
    {timeout, 300, fun() ->
        Types = length(viv_memory_map:types()),
        Churners = [spawn_link(fun() -> churn(N) end) || N <- lists:seq(1, 8)],
        _ = viv_memory_map:stop(),
        [begin
             true = viv_memory_map:start(0, Round rem 2 =:= 0),
             [check(viv_memory_map:blocks(), Types) || _ <- lists:seq(1, 5)],
             true = viv_memory_map:stop()
         end || Round <- lists:seq(1, 20)],
        [begin unlink(Pid), exit(Pid, kill) end || Pid <- Churners]
    end}.

check(Blocks, Types) ->
    Sorted = lists:keysort(2, Blocks),
    [?assert(Type < Types andalso Bytes < 1 bsl 32) || {Type, _, Bytes, _} <- Sorted],
    apart(Sorted).

apart([{_, A, Bytes, _} | [{_, B, _, _} | _] = Rest]) ->
    ?assert(A + Bytes =< B),
    apart(Rest);
apart(_) -> ok.

churn(N) ->
    T = ets:new(t, []),
    [ets:insert(T, {K, binary:copy(<<2>>, K * 7 rem 500)}) || K <- lists:seq(1, 100 * N)],
    Pid = spawn(fun() -> lists:sum(lists:seq(1, 1000)) end),
    Pid ! lists:seq(1, 200),
    ets:delete(T),
    churn(N).

%% A piece of a snapshot of a map that was stopped is told as such, also when there is a new map.
stopped_meanwhile_test() ->
    with_map(false, fun() ->
        Snapshot = viv_memory_map:snapshot(),
        true = viv_memory_map:stop(),
        ?assertEqual(stopped, viv_memory_map:read(Snapshot, 0, [])),
        true = viv_memory_map:start(0, false),
        ?assertEqual(stopped, viv_memory_map:read_all(Snapshot, 0, []))
    end).

%% Little room: blocks are sampled, and those that stand for all of them add up to about as much.
sampled_test() ->
    _ = viv_memory_map:stop(),
    true = viv_memory_map:start(1 bsl 18, false),
    as_process(fun() -> [binary:copy(<<1>>, 100 + N rem 1000) || N <- lists:seq(1, 100000)] end,
               fun(Pid) ->
                       {true, _, _, _, Shift, _, _} = viv_memory_map:figures(),
                       ?assert(Shift >= 12),
                       Weighed = lists:sum([B / chance(B, S) || {_, _, B, _, _, S} <- blocks_of(Pid, binary)]),
                       {_, _, _, _, _, _, MissedBytes} = viv_memory_map:figures(),
                       True = lists:sum([100 + N rem 1000 || N <- lists:seq(1, 100000)]),
                       ?assert(Weighed + MissedBytes > 0.5 * True),
                       ?assert(Weighed < 2 * True)
               end),
    true = viv_memory_map:stop().

chance(_, 0) -> 1;
chance(Bytes, Shift) -> 1 - math:exp(-Bytes / (1 bsl Shift)).
