%% A process that ends keeps its name until its timers and its tables are gone: who sees that the name is free may make
%% tables of the same names.
-module(r_exit_name_last).
-export([main/0]).

main() ->
    Results = [in_the_way(Kind) || Kind <- [timers, tables, table], _ <- lists:seq(1, 5)],
    io:format("in the way: ~p~n", [[Result || Result <- Results, Result =/= none]]).

in_the_way(Kind) ->
    {Pid, Monitor} = spawn_monitor(fun() -> owner(Kind) end),
    wait_until(fun() -> whereis(?MODULE) =:= Pid andalso ets:info(?MODULE, owner) =:= Pid end),
    Pid ! stop,
    wait_until(fun() -> whereis(?MODULE) =:= undefined end),
    Left = ets:info(?MODULE, owner),
    demonitor(Monitor),
    wait_until(fun() -> ets:info(?MODULE, owner) =:= undefined end),
    case Left of
        undefined -> none;
        Pid -> Kind
    end.

owner(Kind) ->
    much(Kind),
    ets:new(?MODULE, [named_table, public]),
    register(?MODULE, self()),
    receive stop -> exit(ended) end.

much(timers) -> [erlang:send_after(1000000, self(), N) || N <- lists:seq(1, 20000)];
much(tables) -> [ets:new(N, []) || N <- lists:duplicate(5000, many)];
much(table) -> ets:insert(ets:new(large, []), [{N} || N <- lists:seq(1, 100000)]).

wait_until(Holds) ->
    case Holds() of
        true -> ok;
        false -> erlang:yield(), wait_until(Holds)
    end.
