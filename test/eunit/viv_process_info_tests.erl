%% process_info(Pid, {dictionary, Key}): as from OTP 26.2 on, so not on every stock runtime. With the libraries of a
%% release that has none there is none here, either (test/scenario/releases asks with those of later ones).
-module(viv_process_info_tests).
-include_lib("eunit/include/eunit.hrl").

holder(Pairs) ->
    Self = self(),
    Pid = spawn(fun() -> [put(K, V) || {K, V} <- Pairs], Self ! {self(), ready}, receive stop -> ok end end),
    receive {Pid, ready} -> Pid end.

is_there() -> list_to_integer(erlang:system_info(otp_release)) >= 26.

there_test_() -> [Test || Test <- [fun own/0, fun of_another/0, fun many/0], is_there()].

not_there_test_() -> [?_assertError(badarg, process_info(self(), {dictionary, a})) || not is_there()].

own() ->
    put({a, <<"k">>}, [1, 2]),
    ?assertEqual({{dictionary, {a, <<"k">>}}, [1, 2]}, process_info(self(), {dictionary, {a, <<"k">>}})),
    ?assertEqual({{dictionary, none}, undefined}, process_info(self(), {dictionary, none})),
    ?assertMatch([{{dictionary, {a, _}}, [1, 2]}, {trap_exit, _}],
                 process_info(self(), [{dictionary, {a, <<"k">>}}, trap_exit])),
    erase({a, <<"k">>}).

%% The key is copied to where it is looked up: it may be large, and the asker may collect meanwhile.
of_another() ->
    Key = {big, lists:seq(1, 1000), binary:copy(<<"x">>, 1000), 1 bsl 200, 1.0e300},
    Pid = holder([{Key, {value, "text"}}, {b, 2}]),
    ?assertEqual({{dictionary, Key}, {value, "text"}}, process_info(Pid, {dictionary, Key})),
    ?assertEqual([{{dictionary, b}, 2}, {{dictionary, c}, undefined}, {{dictionary, Key}, {value, "text"}}],
                 process_info(Pid, [{dictionary, K} || K <- [b, c, Key]])),
    Keys = [{N, lists:duplicate(N, N)} || N <- lists:seq(1, 200)],
    ?assertEqual([{{dictionary, K}, undefined} || K <- Keys], process_info(Pid, [{dictionary, K} || K <- Keys])),
    exit(Pid, kill),
    wait(fun() -> process_info(Pid, {dictionary, b}) =:= undefined end).

wait(Fun) -> case Fun() of true -> ok; false -> timer:sleep(1), wait(Fun) end.

wrong_test_() ->
    [?_assertError(badarg, process_info(P, Item))
     || P <- [self(), whereis(init)],
        Item <- [{dictionary}, {dictionary, a, b}, {links, a}, 1, [{links, a}], [links | {dictionary, a}],
                 <<"links">>]].

%% Many ask at once, of processes that work and of some that end.
many() ->
    Pids = [holder([{{key, N}, N}]) || N <- lists:seq(1, 20)],
    Self = self(),
    [spawn_link(fun() ->
                        Results = [process_info(P, {dictionary, {key, N}})
                                   || _ <- lists:seq(1, 20), {N, P} <- lists:enumerate(Pids)],
                        Self ! {done, length([ok || {{dictionary, {key, N}}, N} <- Results])}
                end) || _ <- lists:seq(1, 10)],
    [?assertEqual({done, 400}, receive M -> M end) || _ <- lists:seq(1, 10)],
    [exit(P, kill) || P <- Pids].
