%% A process whose queue was told to be long (system_monitor, OTP 27) shared a flag with one that is on its way to a
%% dirty thread: its calls were not traced, and after a dirty call it was told again. Earlier releases' runtimes do not
%% know the option; there is nothing but the traced calls then.
-module(r_trace_long_queue).
-export([main/0, traced/1]).

main() ->
    Self = self(),
    catch erlang:system_monitor(spawn(fun() -> receive stop -> ok end end), [{long_message_queue, {3, 6}}]),
    P = spawn(fun() -> receive go -> ok end, [traced(N) || N <- lists:seq(1, 5)], Self ! done, receive stop -> ok end end),
    [P ! {waits, N} || N <- lists:seq(1, 20)],
    1 = erlang:trace_pattern({?MODULE, traced, 1}, true, [local]),
    1 = erlang:trace(P, true, [call]),
    P ! go,
    receive done -> ok end,
    Delivered = erlang:trace_delivered(P),
    receive {trace_delivered, P, Delivered} -> ok end,
    io:format("~p~n", [events(P)]).

traced(N) -> N.

events(P) -> receive {trace, P, call, {_, _, [N]}} -> [N | events(P)] after 0 -> [] end.
