%% One that hibernates is in hibernate/3 to who traces when it runs, as to who asks it.
%% Not under torture, give_away: slices end at every chance, which is told.
-module(r_hibernate_place).
-export([main/0, goes_on/1]).

main() ->
    [io:format("~p: ~p~n", [Flags, told(Flags)]) || Flags <- [[running], [running_procs], [running, exiting]]].

told(Flags) ->
    P = spawn(fun() -> receive go -> erlang:hibernate(?MODULE, goes_on, [1]) end end),
    waits(P),
    1 = erlang:trace(P, true, Flags),
    P ! go,
    Before = until_out(P),
    M = monitor(process, P),
    P ! again,
    receive {'DOWN', M, _, _, _} -> ok end,
    Reference = erlang:trace_delivered(P),
    receive {trace_delivered, P, Reference} -> ok end,
    Before ++ rest().

goes_on(_) -> receive again -> ok end.

waits(P) ->
    case process_info(P, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), waits(P)
    end.

%% It sleeps then. Who asks it would make it run, on the stock runtime.
until_out(P) ->
    receive
        {trace, P, out, {M, F, A}} -> [{out, M, F, A}];
        {trace, P, What, _} -> [What | until_out(P)]
    end.

rest() -> receive {trace, _, What, {M, F, A}} when M =/= ?MODULE -> [{What, M, F, A} | rest()]; {trace, _, What, _} -> [What | rest()] after 0 -> [] end.
