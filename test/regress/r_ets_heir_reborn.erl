%% An heir that has ended does not inherit, though another process has its pid now.
-module(r_ets_heir_reborn).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    false = erts_debug:set_internal_state(available_internal_state, true),
    [io:format("~p~n", [inherited(Data)]) || Data <- [none, data]],
    ok.

inherited(Data) ->
    Next = erts_debug:get_internal_state(next_pid),
    {Heir, Mon} = spawn_monitor(fun() -> receive stop -> ok end end),
    {Owner, OwnersMon} = spawn_monitor(fun() -> owner(Heir, Data) end),
    Owner ! {self(), go_on},
    receive {Owner, has_table} -> ok end,
    Heir ! stop,
    receive {'DOWN', Mon, process, Heir, normal} -> ok end,
    Tester = self(),
    Reborn = with_pid(Heir, Next, fun() -> Tester ! {self(), waits()} end),
    Owner ! {self(), stop},
    receive {'DOWN', OwnersMon, process, Owner, normal} -> ok end,
    Reborn ! go_on,
    receive {Reborn, Got} -> {Heir =:= Reborn, Got, ets:whereis(the_table)} end.

owner(Heir, Data) ->
    receive {Tester, go_on} -> ok end,
    the_table = ets:new(the_table, [named_table, {heir, Heir, Data}]),
    Tester ! {self(), has_table},
    receive {_, stop} -> ok end.

waits() ->
    receive go_on -> receive Message -> Message after 0 -> nothing end end.

%% Others begin, too: the number may have been taken by one of them.
with_pid(Pid, Next, Fun) ->
    _ = erts_debug:set_internal_state(next_pid, Next - 1),
    case spawn(Fun) of
        Pid -> Pid;
        Other -> exit(Other, kill), with_pid(Pid, Next, Fun)
    end.
