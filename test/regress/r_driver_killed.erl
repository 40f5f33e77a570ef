%% A driver that is unloaded with kill_ports, or reloaded so, while a job of it goes on: it could still be opened, and a
%% port of it that was closing went on to wait for what it had queued. A port whose start failed kept the name that it
%% had been given meanwhile.
%% Not under leaks: a driver that is locked stays.
-module(r_driver_killed).
-export([main/0]).

-define(NAME, ?MODULE_STRING).

main() ->
    process_flag(trap_exit, true),
    Gate = filename:join(os:getenv("NIF_LIBRARIES"), ?NAME "." ++ os:getpid()),
    [told(What, Gate, Options, F) || {What, Options, F} <- cases()],
    names(),
    kept().

cases() ->
    Kill = [{driver_options, [kill_ports]}],
    Unload = fun(Options) -> fun(_) -> erl_ddll:try_unload(?NAME, Options) end end,
    Both = fun(A, B) -> fun(Port) -> A(Port), B(Port) end end,
    Reload = fun(_) -> erl_ddll:try_load(os:getenv("NIF_LIBRARIES"), ?NAME, Kill ++ [{reload, pending}]) end,
    Close = fun(Port) -> port_close(Port) end,
    [{"unloaded", [], Unload([])},
     {"killed", [], Unload([kill_ports])},
     {"unloaded, killed", [], Both(Unload([]), Unload([kill_ports]))},
     {"killed, without ports", [], Both(Close, Unload([kill_ports]))},
     {"killed, closing", [], Both(Both(fun queue/1, Close), Unload([kill_ports]))},
     {"killed, loaded", [], Both(Unload([kill_ports]), fun(_) -> load([]) end)},
     {"reloaded", Kill, Reload},
     {"its user ends", Kill, fun(_) -> user_ends(Kill) end}].

load(Options) -> erl_ddll:try_load(os:getenv("NIF_LIBRARIES"), ?NAME, Options).

queue(Port) -> port_control(Port, $q, "queued").

%% The last one, and has not unloaded it.
user_ends(Options) ->
    Me = self(),
    {User, M} = spawn_monitor(fun() -> load(Options), Me ! loaded, receive ends -> ok end end),
    receive loaded -> ok end,
    {ok, pending_process} = erl_ddll:try_unload(?NAME, []),
    User ! ends,
    receive {'DOWN', M, _, _, _} -> ok end.

open() -> open(?NAME).
open(Command) -> try open_port({spawn_driver, Command}, []) catch error:Error -> Error end.

told(What, Gate, Options, F) ->
    {ok, _} = load(Options),
    Port = open(),
    port_control(Port, $j, Gate),
    F(Port),
    Opened = open(),
    Is = if is_port(Opened) -> opened; true -> Opened end,
    Gone = gone(Port, 50),
    io:format("~s: ~p, the first ~p~n", [What, Is, Gone]),
    ok = file:write_file(Gate, ""),
    [catch port_close(P) || P <- [Port, Opened], is_port(P)],
    unloaded(),
    ok = file:delete(Gate).

gone(Port, Rounds) ->
    case erlang:port_info(Port, queue_size) of
        undefined -> gone;
        _ when Rounds =:= 0 -> there;
        _ -> timer:sleep(10), gone(Port, Rounds - 1)
    end.

unloaded() ->
    case erl_ddll:try_unload(?NAME, [kill_ports]) of
        {ok, _} -> unloaded();
        {error, not_loaded} -> receive_all()
    end.

receive_all() -> receive {'EXIT', _, _} -> receive_all() after 0 -> ok end.

%% Who hears that a port starts gives it a name, before its start has failed or afterwards.
names() ->
    {ok, _} = load([]),
    Port = open(),
    port_control(Port, $w, ""),
    io:format("names: ~p~n", [lists:usort([name(N) || N <- lists:seq(1, 30)])]),
    port_close(Port),
    unloaded().

name(N) ->
    Name = list_to_atom(?NAME ++ integer_to_list(N)),
    {_, M} = spawn_monitor(fun() -> exit(open(?NAME " fails")) end),
    receive {starting, Port} -> catch register(Name, Port) end,
    Why = receive {'DOWN', M, _, _, Reason} -> Reason end,
    {Why, whereis(Name), catch register(Name, self()), catch unregister(Name)}.

kept() ->
    {ok, _} = load([{driver_options, [kill_ports]}]),
    Port = open(),
    port_control(Port, $k, ""),
    io:format("kept: ~p~n", [[erl_ddll:info(?NAME, Item) || Item <- [driver_options, processes, port_count]]]).
