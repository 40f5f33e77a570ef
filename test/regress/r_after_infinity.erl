%% `receive after Time -> ... end` waits on when something has come: how long is said once, by a register that others use
%% meanwhile. With infinity it was asked again, and anything could be there.
-module(r_after_infinity).
-export([main/0, sleep/1, sleep_or_stop/1]).

main() ->
    [io:format("~p ~p: ~p~n", [F, Time, waits(F, Time)])
     || F <- [sleep, sleep_or_stop], Time <- [infinity, 16#ffffffff, 1000000]],
    io:format("~p~n", [[bad(Time) || Time <- [-1, 1 bsl 32, 1 bsl 64, foo, 1.0]]]),
    io:format("~p~n", [twice()]).

%% What it does at all: it hears of ten messages.
waits(F, Time) ->
    Me = self(),
    {P, M} = spawn_monitor(fun() -> process_flag(trap_exit, true), Me ! traps, exit({over, ?MODULE:F(Time)}) end),
    receive traps -> ok end,
    [begin
         catch lists:seq(1, I), % other registers
         P ! I,
         exit(P, shutdown),
         spawn_monitor(fun() -> exit(-I) end),
         receive {'DOWN', _, _, _, Reason} when Reason =:= -I -> ok end
     end || I <- lists:seq(1, 10)],
    receive {'DOWN', M, _, _, Why} -> Why
    after 50 -> exit(P, kill), receive {'DOWN', M, _, _, Why} -> Why end
    end.

sleep(Time) -> receive after Time -> time_is_over end.
sleep_or_stop(Time) -> receive stop -> stopped after Time -> time_is_over end.

bad(Time) -> try sleep(Time) catch error:Reason -> Reason end.

%% The next one has a time of its own.
twice() ->
    self() ! go,
    [receive go -> came after infinity -> never end, sleep(5), receive go -> came after 5 -> over end].
