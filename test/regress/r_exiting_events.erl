%% Who ends and has much to give back does so in slices: the flag `exiting` tells each. Only the last was told.
-module(r_exiting_events).
-export([main/0]).

main() ->
    [io:format("~p ~p~n", [Flags, events(Flags)]) || Flags <- [[exiting], [exiting, procs], []]].

events(Flags) ->
    Tester = self(),
    P = spawn(fun() -> filled(), Tester ! filled, receive stop -> ok end end),
    receive filled -> ok end,
    1 = erlang:trace(P, true, Flags),
    M = monitor(process, P),
    exit(P, ends),
    receive {'DOWN', M, process, P, ends} -> ok end,
    shape(collected(P, Flags)).

filled() ->
    T = ets:new(t, [public]),
    [ets:insert(T, {I, I}) || I <- lists:seq(1, 300000)].

%% To the last; and is nothing told behind that?
collected(_, []) -> [];
collected(P, Flags) ->
    receive
        {trace, P, out_exited, 0} -> receive {trace, P, _, _} = M -> [out_exited, M] after 50 -> [out_exited] end;
        {trace, P, Event, _} -> [Event | collected(P, Flags)]
    end.

%% How many slices there are is each runtime's own: three or more.
shape([out_exiting, in_exiting, out_exiting, in_exiting, out_exiting, in_exiting | More]) ->
    shape([three | dropped(More)]);
shape([Event | More]) -> [Event | shape(More)];
shape([]) -> [].

dropped([out_exiting, in_exiting | More]) -> dropped(More);
dropped(More) -> More.
