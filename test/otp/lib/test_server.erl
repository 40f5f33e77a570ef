%% What suites of OTP call of common_test's module of this name, as far as it makes sense in test/otp. Other nodes there
%% are none: who asks for one is skipped.
-module(test_server).
-compile([export_all, nowarn_export_all]).

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

peer_name(Module, Case) -> list_to_atom(lists:concat([Module, "-", Case])).
start_peer(_, _) -> no_nodes().
start_peer(_, _, _) -> no_nodes().
start_peer(_, _, _, _, _) -> not_available.
start_node(_, _, _) -> no_nodes().
start_node(_, _, _, _) -> no_nodes().
stop_node(_) -> true.
wait_for_node(_) -> ok.
run_on_shielded_node(_, _) -> no_nodes().
no_nodes() -> otp_suite:wants_nodes().
