%% What suites of OTP call of common_test's module of this name, as far as it makes sense in test/otp.
-module(ct).
-compile([export_all, nowarn_export_all]).

fail(Reason) -> exit({test_case_failed, Reason}).
fail(Format, Arguments) -> exit({test_case_failed, lists:flatten(io_lib:format(Format, Arguments))}).

pal(Format) -> io:format(Format).
pal(Format, Arguments) when is_list(Format) -> io:format(Format, Arguments);
pal(_, Format) -> io:format(Format).
pal(_, Format, Arguments) -> io:format(Format, Arguments).
log(Format) -> pal(Format).
log(Format, Arguments) -> pal(Format, Arguments).
log(_, Format, Arguments) -> io:format(Format, Arguments).
print(Format) -> pal(Format).
print(Format, Arguments) -> pal(Format, Arguments).
comment(_) -> ok.
comment(_, _) -> ok.

sleep({hours, N}) -> timer:sleep(N * 3600000);
sleep({minutes, N}) -> timer:sleep(N * 60000);
sleep({seconds, N}) -> timer:sleep(N * 1000);
sleep(N) -> timer:sleep(trunc(N)).

timetrap(Time) -> otp_suite:extend(Time).
get_timetrap_info() -> {infinity, {true, 1}}.
get_config(_) -> undefined.
get_config(_, Default) -> Default.
require(_) -> {error, not_available}.
capture_start() -> otp_suite:capture(true).
capture_stop() -> otp_suite:capture(false).
capture_get() -> otp_suite:captured().
capture_get(_) -> otp_suite:captured().
get_status() -> no_tests_running.
