%% The process `init`, the servers that hold names, and what programs ask about how they were started.
%% Not under leaks: it asks how the program was started.
-module(viv_start_tests).
-include_lib("eunit/include/eunit.hrl").

arguments_test() ->
    Arguments = init:get_arguments(),
    ?assertEqual({root, [code:root_dir()]}, lists:keyfind(root, 1, Arguments)),
    {progname, [Program]} = lists:keyfind(progname, 1, Arguments),
    ?assertEqual(Program, os:find_executable(Program)),
    ?assertEqual({noshell, []}, lists:keyfind(noshell, 1, Arguments)),
    ?assertEqual({ok, [[code:root_dir()]]}, init:get_argument(root)),
    ?assertEqual(error, init:get_argument(no_such_flag)),
    {ok, [[Folder | _]]} = init:get_argument(pa),
    ?assert(filelib:is_regular(filename:join(Folder, "viv_start_tests.beam"))),
    ?assertEqual(["viv_start_tests"], init:get_plain_arguments()).

home_test() ->
    case os:getenv("HOME") of
        false -> ?assertEqual(error, init:get_argument(home));
        Home -> ?assertEqual({ok, [[Home]]}, init:get_argument(home))
    end.

status_test() ->
    ?assertEqual({started, started}, init:get_status()),
    ?assertMatch({_, _}, init:script_id()).

names_test() ->
    [?assert(is_pid(whereis(Name)))
     || Name <- [init, user, standard_error, logger, code_server, application_controller, file_server_2, kernel_sup,
                 kernel_safe_sup, erl_signal_server, erts_code_purger, viv_code]],
    ?assertEqual([], [P || P <- processes(), process_info(P, status) =:= {status, exiting}]).

leader_test() ->
    ?assertEqual({ok, [binary, encoding]}, {ok, lists:sort([K || {K, _} <- io:getopts(whereis(user)),
                                                                 K =/= echo, K =/= expand_fun])}),
    ?assertEqual([encoding], [K || {K, _} <- io:getopts(standard_error)]).

%% Requests that init does not know are answered; messages that are none do no harm.
strange_requests_test() ->
    init ! hello,
    init ! {self(), {no_such_request, 1}},
    ?assertEqual({init, error}, receive Answer -> Answer after 60000 -> none end),
    ?assertEqual({started, started}, init:get_status()).

%% What is sent to init as to a device comes out of `user`.
init_as_device_test() ->
    Ref = make_ref(),
    init ! {io_request, self(), Ref, getopts},
    ?assertMatch([_ | _], receive {io_reply, Ref, Options} -> Options after 60000 -> none end).

servers_test() ->
    ?assertEqual({ok, <<"x">>}, begin
                                    File = "/tmp/viv_start_tests_" ++ os:getpid(),
                                    ok = file:write_file(File, "x"),
                                    Read = file:read_file(File),
                                    ok = file:delete(File),
                                    Read
                                end),
    ?assertMatch([_ | _], supervisor:which_children(kernel_sup)),
    ?assertMatch([{specs, _} | _], supervisor:count_children(kernel_safe_sup)),
    {ok, Timer} = timer:apply_after(1, erlang, send, [self(), timer]),
    ?assertEqual(timer, receive M -> M after 60000 -> none end),
    ?assertMatch({_, _}, Timer).

sticky_processes_test() ->
    %% The servers live on when somebody who used them ends badly.
    {_, Ref} = spawn_monitor(fun() ->
                                     {ok, _} = file:get_cwd(),
                                     _ = application:which_applications(),
                                     _ = code:get_path(),
                                     exit(kill)
                             end),
    receive {'DOWN', Ref, _, _, Why} -> ?assertEqual(kill, Why) end,
    names_test().
