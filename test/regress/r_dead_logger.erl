%% A process that was set as logger counts as that until a report finds it dead; then `logger` gets them again.
-module(r_dead_logger).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    Initial = erlang:system_info(system_logger),
    Self = self(),
    {P, Ref} = spawn_monitor(fun Loop() -> receive {log, _, _, _, _} -> Self ! told, Loop(); stop -> ok end end),
    io:format("~p~n", [[erlang:system_flag(system_logger, P) =:= Initial, erlang:system_info(system_logger) =:= P]]),
    crash(),
    receive told -> io:format("told~n") end,
    P ! stop,
    receive {'DOWN', Ref, process, P, normal} -> ok end,
    io:format("~p~n", [until_told(P)]),
    io:format("~p~n", [erlang:system_flag(system_logger, Initial)]).

%% Reports are under way for a while in the stock runtime.
until_told(P) ->
    crash(),
    case erlang:system_info(system_logger) of
        P -> until_told(P);
        Other -> Other
    end.

crash() ->
    {P, Ref} = spawn_monitor(fun() -> error(crash) end),
    receive {'DOWN', Ref, process, P, _} -> ok end.
