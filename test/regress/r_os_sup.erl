%% os_sup had no test: how the system's messages are asked for, and what os_mon does where that cannot be.
-module(r_os_sup).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    _ = application:load(os_mon),
    [application:set_env(os_mon, Start, false) || Start <- [start_cpu_sup, start_disksup, start_memsup]],
    application:set_env(os_mon, start_os_sup, true),
    Started = application:ensure_all_started(os_mon),
    io:format("~p~n", [Started]),
    io:format("~p ~p~n", [is_pid(whereis(os_sup_server)), [Id || {Id, _, _, _} <- children(Started)]]),
    io:format("~p~n", [application:stop(os_mon)]),
    [io:format("~p~n", [answer(Call)])
     || Call <- [fun() -> os_sup:init([]) end, fun() -> os_sup:start_link({win32, nt}) end, fun() -> os_sup:stop() end,
                 fun() -> os_sup:param_default(os_sup_own) end, fun() -> os_sup:param_type(os_sup_enable, true) end,
                 fun() -> os_sup:param_type(os_sup_errortag, "no atom") end]].

children({ok, _}) -> supervisor:which_children(os_mon_sup);
children(_) -> [].

answer(Call) ->
    process_flag(trap_exit, true),
    try Call() of
        {ok, Pid} when is_pid(Pid) -> unlink(Pid), exit(Pid, kill), started;
        Answer -> Answer
    catch Class:Reason -> {Class, plain(Reason)}
    end.

plain({Reason, {M, F, _}}) -> {Reason, {M, F}};
plain(Reason) -> Reason.
