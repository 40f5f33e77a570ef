%% Who was told to end, and has not begun to, tells of literals still: they stay until it has let go of them.
%% Not under leaks: dirty calls go on when it ends.
-module(viv_ends_with_literals_tests).
-include_lib("eunit/include/eunit.hrl").
-include("../erl/deep.hrl").

by_itself_test_() -> beside_busy(fun by_itself/1, 0).
by_signal_test_() -> beside_busy(fun by_signal/1, erlang:system_info(dirty_cpu_schedulers_online)).
by_exit_test_() -> beside_busy(fun by_exit/1, 0).

%% Others keep the schedulers, and so many of the dirty ones, busy.
beside_busy(Round, Dirty) ->
    {timeout, 120, fun() ->
        Old = process_flag(priority, high),
        Busy = [spawn(fun() -> compare(lists:seq(1, 50000), lists:seq(1, 50000)) end) || _ <- lists:seq(1, 30)] ++
            [spawn(fun() -> erts_debug:dirty_cpu(wait, 60000) end) || _ <- lists:seq(1, Dirty)],
        Right = usual(Round),
        [exit(P, kill) || P <- Busy],
        process_flag(priority, Old),
        ?assertEqual([true], Right)
    end}.

compare(A, B) -> case A =:= B of true -> compare(A, B) end.

usual(Round) -> lists:usort([round(Round, N) || N <- deep([1, 2, 4, 7, 12], lists:seq(1, 12))]).

%% Round(N): {Ref, IsRight} of a process that will end with the literal, which is erased N milliseconds later.
round(Round, N) ->
    persistent_term:put(?MODULE, literal()),
    {Ref, IsRight} = Round(N),
    receive after N -> ok end,
    persistent_term:erase(?MODULE),
    receive {'DOWN', Ref, _, _, Reason} -> IsRight(Reason) end.

literal() -> lists:seq(1, 100000).

by_itself(_) ->
    Main = self(),
    {_, Ref} = spawn_monitor(fun() ->
        Literal = persistent_term:get(?MODULE),
        Main ! ready,
        erts_debug:dirty_cpu(Literal, 1) % badarg
    end),
    receive ready -> ok end,
    {Ref, fun({badarg, [{_, _, [Literal | _], _} | _]}) -> Literal =:= literal() end}.

by_signal(_) ->
    Main = self(),
    {Pid, Ref} = spawn_monitor(fun() -> Main ! ready, erts_debug:dirty_cpu(wait, 1) end),
    receive ready -> ok end,
    receive after 3 -> ok end,
    exit(Pid, persistent_term:get(?MODULE)),
    {Ref, fun(Reason) -> Reason =:= literal() end}.

by_exit(_) ->
    Main = self(),
    {_, Ref} = spawn_monitor(fun() ->
        Literal = persistent_term:get(?MODULE),
        Main ! ready,
        exit(Literal)
    end),
    receive ready -> ok end,
    {Ref, fun(Reason) -> Reason =:= literal() end}.
