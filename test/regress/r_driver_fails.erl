%% A port whose driver fails loses what the driver has queued, and ends at once: it waited until that was written. Who
%% waits for one to begin, which ends before it has, gets it; he waited for ever. What drivers come and go meanwhile is of
%% no interest to him: it crashed the runtime.
-module(r_driver_fails).
-export([main/0]).

-define(LATE, "r_driver_fails_late").

main() ->
    process_flag(trap_exit, true),
    [ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), Name) || Name <- [?MODULE_STRING, ?LATE]],
    [io:format("~s: ~p~n", [[How], fails(How)]) || How <- "apnex"],
    [io:format("opened late, ~s: ~p~n", [[How], opened_late(How, fun() -> ok end)]) || How <- "apnexr"],
    io:format("unloaded meanwhile: ~p~n", [opened_late($l, fun unload_used/0)]),
    io:format("opened, unloaded: ~p~n", [killed()]),
    io:format("a program of the same name: ~p~n", [lists:usort([program() || _ <- lists:seq(1, 40)])]).

fails(How) ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, []),
    catch port_command(Port, [How]),
    ended(Port, How).

%% `x` ends it without a word.
ended(Port, How) ->
    Why = receive {'EXIT', Port, Reason} -> Reason after if How =:= $x -> 500; true -> 60000 end -> none end,
    {Why, gone(Port, 6000)}.

gone(Port, Rounds) ->
    case erlang:port_info(Port, queue_size) of
        undefined -> gone;
        Queued when Rounds =:= 0 -> Queued;
        _ -> timer:sleep(10), gone(Port, Rounds - 1)
    end.

opened_late(How, Meanwhile) ->
    Me = self(),
    {_, M} = spawn_monitor(fun() -> opens(Me, How) end),
    receive {begun, _} -> ok end,
    timer:sleep(100),
    Meanwhile(),
    receive
        {opened, What} -> receive {'DOWN', M, _, _, _} -> What end
    after 60000 -> it_waits
    end.

%% The driver, when a port of it is there, which says nothing by itself: `l` is no end.
unload_used() ->
    case erl_ddll:info(?LATE, port_count) of
        0 -> timer:sleep(5), unload_used();
        _ -> erl_ddll:try_unload(?LATE, [])
    end.

opens(Me, How) ->
    process_flag(trap_exit, true),
    Me ! {begun, self()},
    Opened = try open_port({spawn, ?LATE ++ [$ , How]}, []) of
                 Port when is_port(Port) ->
                     Patience = if How =:= $x -> 100; true -> 60000 end,
                     {port, receive {'EXIT', Port, Reason} -> Reason after Patience -> none end}
             catch error:Error -> Error
             end,
    Me ! {opened, Opened}.

killed() ->
    Port = open_port({spawn_driver, ?MODULE_STRING}, []),
    port_command(Port, "queued"),
    {ok, _, _} = erl_ddll:try_unload(?MODULE_STRING, [kill_ports, {monitor, pending_driver}]),
    receive {'DOWN', _, driver, _, _} -> ok after 60000 -> io:format("not unloaded~n") end,
    ended(Port, killed).

%% A program takes a while to start: the driver comes meanwhile.
program() ->
    Self = self(),
    {Opener, M} = spawn_monitor(fun() -> Self ! opens, exit(is_port(open_port({spawn, ?MODULE_STRING " 2>/dev/null"}, []))) end),
    receive opens -> ok end,
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    receive {'DOWN', M, _, Opener, Is} -> ok end,
    ok = erl_ddll:unload_driver(?MODULE_STRING),
    Is.
