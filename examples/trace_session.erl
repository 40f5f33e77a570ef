%% bin/viv run examples/trace_session.erl
%%
%% Tracing as one would do it in production. The session belongs to a process of its own, so that it ends with that
%% process whatever happens, and nobody else's traces are touched. It tells so many calls a second and no more: then the
%% pattern goes until the next second, and the traced function costs nothing. After so many seconds it ends by itself.
%% Code that is replaced meanwhile stays traced.
-module(trace_session).
-export([main/0, work/1]).

-define(SPECIFICATION, [{'_', [], [{message, {caller}}]}]).

main() ->
    Workers = [spawn_link(fun() -> busy(N) end) || N <- [1, 2, 3]],
    Told = watch({?MODULE, work, 1}, #{each_second => 4, seconds => 3}),
    io:format("told ~b calls; the session has ended: ~p~n", [Told, trace:session_info({?MODULE, work, 1})]),
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Workers].

%% What is watched: some thousand calls a second.
busy(N) ->
    _ = work(N),
    receive after 1 -> busy(N + 3) end.

work(N) -> N * N.

%% How many calls it told.
watch(Function, Limits) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({told, watcher(Function, Limits)}) end),
    receive
        {'DOWN', Monitor, process, Pid, {told, Count}} -> Count;
        {'DOWN', Monitor, process, Pid, Reason} -> exit(Reason)
    end.

watcher(Function, #{each_second := Rate, seconds := Seconds}) ->
    Session = trace:session_create(watch, self(), [{reload, keep}]),
    _ = trace:process(Session, all, true, [call]),
    Told = [second(Session, Function, Rate) || _ <- lists:seq(1, Seconds)],
    true = trace:session_destroy(Session),
    lists:sum(Told).

second(Session, Function, Rate) ->
    End = erlang:start_timer(1000, self(), second),
    1 = trace:function(Session, Function, ?SPECIFICATION, [local]),
    Told = tell(Rate, End, 0),
    1 = trace:function(Session, Function, false, [local]),
    Told =:= Rate andalso rest(End),
    Told.

%% Until there were so many, or the second is over.
tell(Rate, _, Rate) -> Rate;
tell(Rate, End, Told) ->
    receive
        {trace, Pid, call, {M, F, Arguments}, Caller} ->
            Texts = [io_lib:format("~0p", [A]) || A <- Arguments],
            io:format("~p: ~p:~p(~ts), called by ~p~n", [Pid, M, F, lists:join(", ", Texts), Caller]),
            tell(Rate, End, Told + 1);
        {timeout, End, second} -> Told
    end.

%% Calls that came before the pattern was gone are not told.
rest(End) ->
    receive
        {trace, _, call, _, _} -> rest(End);
        {timeout, End, second} -> ok
    end.
