%% Reports of the runtime: who gets them, and that they are out when sync/0 returns.
-module(viv_logger_tests).
-include_lib("eunit/include/eunit.hrl").

crash() ->
    {Pid, Ref} = spawn_monitor(fun() -> error(on_purpose) end),
    receive {'DOWN', Ref, _, _, _} -> Pid end.

sync_test() ->
    ?assertEqual(ok, viv_logger:sync()),
    _ = crash(),
    ?assertEqual(ok, viv_logger:sync()).

%% system_flag(system_logger, Pid): reports go there, in the stock form.
system_logger_test() ->
    _ = logger:get_primary_config(), % the stock logger's proxy is the system logger by now
    Proxy = erlang:system_flag(system_logger, self()),
    ?assertEqual(whereis(logger_proxy), Proxy),
    Pid = crash(),
    receive
        {log, Level, Format, Args, Meta} ->
            ?assertEqual(error, Level),
            ?assertEqual("Error in process ~p with exit value:~n~p~n", Format),
            ?assertMatch([Pid, {on_purpose, [{?MODULE, _, 0, _} | _]}], Args),
            ?assertMatch(#{pid := Pid, gl := _, time := _, error_logger := #{emulator := true, tag := error}}, Meta)
    after 60000 -> ?assert(false)
    end,
    ?assertEqual(self(), erlang:system_flag(system_logger, undefined)),
    _ = crash(), % dropped
    ?assertEqual(undefined, erlang:system_flag(system_logger, Proxy)),
    ?assertEqual(none, receive M -> M after 0 -> none end),
    ?assertError(badarg, erlang:system_flag(system_logger, no_such)),
    ?assertError(badarg, erlang:system_flag(system_logger, 1)).

%% A dead system logger: the process `logger` gets what it would have got.
dead_logger_test() ->
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    Proxy = erlang:system_flag(system_logger, Dead),
    ok = logger:add_handler(dead_logger_test, eunit_log, #{level => all, config => self()}),
    ok = logger:set_primary_config(level, error),
    Pid = crash(),
    viv_logger:sync(),
    ?assertMatch({logged, #{msg := {_, [Pid, _]}, level := error}}, receive M -> M after 60000 -> none end),
    ok = logger:set_primary_config(level, none),
    ok = logger:remove_handler(dead_logger_test),
    ?assertEqual(logger, erlang:system_flag(system_logger, Proxy)).

%% A handler is given each report once, and sync/0 waits for handlers that have a process of their own.
once_test() ->
    File = "/tmp/viv_logger_tests_" ++ os:getpid(),
    ok = logger:add_handler(once, logger_std_h, #{config => #{file => File},
                                                  formatter => {logger_formatter, #{template => [level, "\n"]}}}),
    ok = logger:set_primary_config(level, error),
    [crash() || _ <- lists:seq(1, 20)],
    ok = viv_logger:sync(),
    ?assertEqual({ok, iolist_to_binary(["error\n" || _ <- lists:seq(1, 20)])}, file:read_file(File)),
    ok = logger:set_primary_config(level, none),
    ok = logger:remove_handler(once),
    ok = file:delete(File).

%% A progress is nobody's business until somebody wants it.
allow_test() ->
    [?assertNot(logger:allow(L, ?MODULE)) || L <- [debug, info, error]],
    ok = logger:set_primary_config(level, info),
    ?assert(logger:allow(info, ?MODULE)),
    ?assertNot(logger:allow(debug, ?MODULE)),
    ok = logger:set_primary_config(level, none).

stock_form_test() ->
    ?assertEqual({logger_server, init, 1}, proc_lib:translate_initial_call(whereis(logger))),
    ?assertMatch([_ | _], supervisor:which_children(logger_sup)),
    ?assertMatch({status, _, _, _}, sys:get_status(logger)).
