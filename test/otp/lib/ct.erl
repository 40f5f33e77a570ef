%% What suites of OTP call of common_test's module of this name, as far as it makes sense in test/otp.
-module(ct).
-compile([export_all, nowarn_export_all]).

fail(Reason) -> exit({test_case_failed, Reason}).
fail(Format, Arguments) -> exit({test_case_failed, lists:flatten(io_lib:format(Format, Arguments))}).

%% log, pal, print, error: [Category, [Importance,]] Format [, Arguments [, Options]].
log(Format) -> out(Format, []).
log(Format, Arguments) when is_list(Format), is_list(Arguments) -> out(Format, Arguments);
log(_, Format) -> out(Format, []).
log(Format, Arguments, Options) when is_list(Format), is_list(Arguments), is_list(Options), is_atom(hd(Options)) ->
    out(Format, Arguments);
log(_, Format, Arguments) -> out(Format, Arguments).
log(_, _, Format, Arguments) -> out(Format, Arguments).
log(_, _, Format, Arguments, _) -> out(Format, Arguments).
pal(A) -> log(A).
pal(A, B) -> log(A, B).
pal(A, B, C) -> log(A, B, C).
pal(A, B, C, D) -> log(A, B, C, D).
pal(A, B, C, D, E) -> log(A, B, C, D, E).
print(A) -> log(A).
print(A, B) -> log(A, B).
print(A, B, C) -> log(A, B, C).
print(A, B, C, D) -> log(A, B, C, D).
error(A) -> log(A).
error(A, B) -> log(A, B).
error(A, B, C) -> log(A, B, C).
comment(_) -> ok.
comment(_, _) -> ok.

%% A text that is printed wrongly is not the case's fault.
out(Format, Arguments) -> _ = (catch io:format(Format, Arguments)), ok.

sleep({hours, N}) -> timer:sleep(N * 3600000);
sleep({minutes, N}) -> timer:sleep(N * 60000);
sleep({seconds, N}) -> timer:sleep(N * 1000);
sleep(infinity) -> timer:sleep(infinity);
sleep(N) -> timer:sleep(trunc(N)).

timetrap(Time) -> otp_suite:extend(Time).
get_timetrap_info() -> {infinity, {true, 1}}.
get_config(_) -> undefined.
get_config(_, Default) -> Default.
get_config(_, Default, _) -> Default.
require(_) -> {error, not_available}.
require(_, _) -> {error, not_available}.
get_progname() ->
    case init:get_argument(progname) of
        {ok, [[Name | _] | _]} -> Name;
        _ -> "no_prog_name"
    end.
capture_start() -> otp_suite_output:capture(true).
capture_stop() -> otp_suite_output:capture(false).
capture_get() -> otp_suite_output:captured().
capture_get(_) -> otp_suite_output:captured().
get_status() -> no_tests_running.
