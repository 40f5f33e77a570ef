%% Who wants to hear of nodes and is killed in a dirty call wants it no more.
-module(r_dirty_end_monitors).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    io:format("~p~n", [told_of()]).

told_of() ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        process_flag(monitor_nodes, true),
        Me ! {self(), set},
        erts_debug:dirty_io(wait, 2000)
    end),
    receive {Pid, set} -> ok end,
    Before = is_listed(Pid),
    receive after 50 -> ok end,
    exit(Pid, kill),
    receive {'DOWN', Monitor, _, _, Reason} -> {Before, Reason, is_gone(Pid, 1000)} end.

is_listed(Pid) -> lists:keymember(Pid, 1, erts_debug:get_internal_state(monitoring_nodes)).

is_gone(_, 0) -> false;
is_gone(Pid, Tries) ->
    case is_listed(Pid) of
        false -> true;
        true -> receive after 5 -> is_gone(Pid, Tries - 1) end
    end.
