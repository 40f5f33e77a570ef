%% What a limited session has dropped and not said is said at its end, though its tracer has received nothing yet and no
%% bytes are left: what was told and what was dropped are together what happened.
-module(r_trace_dropped_at_end).
-export([main/0, called/1]).

-define(CALLS, 10000).

main() ->
    Me = self(),
    Tracer = spawn(fun() -> receive go -> Me ! {self(), counted(0, 0)} end end),
    Session = trace:session_create(full, Tracer, [{limit, #{bytes => 20000}}]),
    1 = trace:process(Session, self(), true, [call]),
    1 = trace:function(Session, {?MODULE, called, 1}, true, [local]),
    [called(N) || N <- lists:seq(1, ?CALLS)],
    true = trace:session_destroy(Session),
    Tracer ! go,
    receive {Tracer, {Told, Dropped}} -> io:format("~p ~p~n", [Told + Dropped =:= ?CALLS, Told > 0 andalso Dropped > 0]) end.

called(X) -> X.

counted(Told, Dropped) ->
    receive
        {trace, _, call, _} -> counted(Told + 1, Dropped);
        {trace_dropped, _, _, Counts} -> counted(Told, Dropped + lists:sum(maps:values(Counts)));
        {trace_ended, _, destroyed} -> {Told, Dropped}
    end.
