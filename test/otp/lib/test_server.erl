%% What suites of OTP call of common_test's module of this name, as far as it makes sense in test/otp. A case that asks
%% for another node is skipped where its suite is run without them.
-module(test_server).
-compile([export_all, nowarn_export_all, nowarn_deprecated_function]).

lookup_config(Key, Config) -> proplists:get_value(Key, Config).

timetrap(Time) -> otp_suite:extend(Time), self().
timetrap_cancel() -> ok.
timetrap_cancel(_) -> ok.
timetrap_scale_factor() -> 1.
get_timetrap_info() -> ct:get_timetrap_info().
hours(N) -> trunc(N * 3600000).
minutes(N) -> trunc(N * 60000).
seconds(N) -> trunc(N * 1000).
sleep(Time) -> ct:sleep(Time).
adjusted_sleep(Time) -> ct:sleep(Time).

fail() -> ct:fail(failed).
fail(Reason) -> ct:fail(Reason).
format(Format) -> io:format(Format).
format(Format, Arguments) when is_list(Format) -> io:format(Format, Arguments);
format(_, Format) -> io:format(Format).
format(_, Format, Arguments) -> io:format(Format, Arguments).
print(_, Format) -> io:format(Format).
print(_, Format, Arguments) -> io:format(Format, Arguments).
comment(_) -> ok.
break(_) -> ok.
break(_, _) -> ok.
continue() -> ok.
continue(_) -> ok.
fault() -> ok.
make_priv_dir() -> ok.
capture_start() -> ct:capture_start().
capture_stop() -> ct:capture_stop().
capture_get() -> ct:capture_get().

messages_get() -> receive Message -> [Message | messages_get()] after 0 -> [] end.

timecall(M, F, A) ->
    {Microseconds, Value} = timer:tc(M, F, A),
    {Microseconds / 1000000, Value}.

do_times(N, Fun) -> [Fun() || _ <- lists:seq(1, N)], ok.
do_times(N, M, F, A) -> do_times(N, fun() -> apply(M, F, A) end).

m_out_of_n(0, _, _) -> ok;
m_out_of_n(M, 0, _) -> exit({m_out_of_n_failed, {M, left_to_do}});
m_out_of_n(M, N, Fun) ->
    try Fun() of _ -> m_out_of_n(M - 1, N - 1, Fun) catch _:_ -> m_out_of_n(M, N - 1, Fun) end.

call_crash(M, F, A) -> call_crash(infinity, any, M, F, A).
call_crash(Timeout, M, F, A) -> call_crash(Timeout, any, M, F, A).
call_crash(Timeout, Expected, M, F, A) ->
    {Pid, Monitor} = spawn_monitor(M, F, A),
    receive
        {'DOWN', Monitor, process, Pid, normal} -> exit(did_not_crash);
        {'DOWN', Monitor, process, Pid, Reason} when Expected =:= any; Expected =:= Reason -> ok;
        {'DOWN', Monitor, process, Pid, Reason} -> exit({wrong_crash_reason, Reason})
    after Timeout -> exit(call_crash_timeout)
    end.

temp_name(Stem) -> Stem ++ integer_to_list(erlang:unique_integer([positive])).
os_type() -> os:type().
is_native(_) -> false.
is_cover() -> false.
is_commercial() -> false.
is_asan() -> false.
is_valgrind() -> false.
memory_checker() -> none.
is_debug() -> erlang:system_info(debug_compiled).
is_release_available(_) -> false.
app_test(_) -> exit({skip, "no application tests here"}).
app_test(_, _) -> app_test(none).
appup_test(_) -> app_test(none).

%% Other nodes are of the program that this one is, or the one that OTP_SUITES_NODES names. They have the cookie of
%% this one, and find
%% the modules of the suite and of the harness.
peer_name(Module, Case) -> peer:random_name(lists:concat([Module, "-", Case])).

start_peer(Arguments, Module, Case) when is_list(Arguments) -> start_peer(#{args => Arguments}, Module, Case);
start_peer(#{name := _} = Options, Module, _) -> start_peer(Options, Module);
start_peer(Options, Module, Case) -> start_peer(Options#{name => peer_name(Module, Case)}, Module).
start_peer(_, _, _, _Release, _) -> not_available.

start_peer(Options0, Module) ->
    nodes_are_there(),
    Given = maps:get(args, Options0, []),
    Cookie = case lists:member("-setcookie", Given) of
                 true -> [];
                 false -> ["-setcookie", atom_to_list(erlang:get_cookie())]
             end,
    Paths = lists:append([["-pa", filename:dirname(code:which(M))] || M <- [?MODULE, Module]]),
    Options = case program() of
                  own -> Options0;
                  Program -> maps:merge(#{exec => Program}, Options0)
              end,
    peer:start_link(Options#{args => Cookie ++ Paths ++ ["-env", "ERL_CRASH_DUMP", "/dev/null"] ++ Given}).

%% As they were before `peer`: the arguments are words of a shell. A `peer` is not connected to this node, a `slave` is.
start_node(Name, Type, Options) ->
    nodes_are_there(),
    Program = case program() of
                  own -> ct:get_progname();
                  Other -> Other
              end,
    Words = with_cookie(proplists:get_value(args, Options, "")),
    case Type of
        slave -> slave:start(net_adm:localhost(), Name, Words, no_link, Program);
        peer -> start_apart(Name, lists:concat(["exec ", Program, " \"$@\" ", Words]))
    end.
start_node(Name, Type, Options, _) -> start_node(Name, Type, Options).

start_apart(Name, Line) ->
    case peer:start(#{name => Name, connection => 0, exec => {"/bin/sh", ["-c", Line, "sh"]}}) of
        {ok, Peer, Node} -> put({peer_of, Node}, Peer), {ok, Node};
        Error -> Error
    end.

with_cookie(Words) ->
    case string:find(Words, "-setcookie") of
        nomatch -> lists:concat([Words, " -setcookie ", erlang:get_cookie()]);
        _ -> Words
    end.

stop_node(Node) ->
    case erase({peer_of, Node}) of
        undefined -> rpc:call(Node, erlang, halt, []);
        Peer -> catch peer:stop(Peer)
    end,
    true.

wait_for_node(Node) -> pong = net_adm:ping(Node), ok.

run_on_shielded_node(Fun, Arguments) ->
    {ok, Node} = start_node(peer:random_name("shielded"), slave, [{args, Arguments ++ " -hidden"}]),
    {Pid, Monitor} = spawn_monitor(Node, fun() -> exit({shielded, Fun()}) end),
    receive
        {'DOWN', Monitor, process, Pid, {shielded, Value}} -> stop_node(Node), Value;
        {'DOWN', Monitor, process, Pid, Reason} -> stop_node(Node), exit(Reason)
    end.

program() ->
    case os:getenv("OTP_SUITES_NODES") of
        Kind when Kind =:= false; Kind =:= "own" -> own;
        Program -> Program
    end.

nodes_are_there() -> os:getenv("OTP_SUITES_NODES") =/= false orelse otp_suite:wants_nodes().
