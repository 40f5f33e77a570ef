%% A file is closed when the process that opened it ends, even if others hold its handle.
-module(file_owner).
-export([main/0]).
-include("../t.hrl").

main() ->
    Name = "/tmp/file_owner_test_" ++ os:getpid(),
    ok = file:write_file(Name, "hello"),
    [t({ends, How}, fun() -> ends(Name, How) end) || How <- [normal, error, killed]],
    t(many, fun() -> many(Name) end),
    t(not_the_owner, fun() ->
        {ok, Fd} = file:open(Name, [raw, read]),
        Me = self(),
        spawn(fun() -> Me ! {other, try file:read(Fd, 5) catch C:R -> {C, R} end} end),
        R = receive {other, X} -> X end,
        {R, file:read(Fd, 5), file:close(Fd), file:close(Fd)}
    end),
    t(closed_before, fun() ->
        {P, R} = spawn_monitor(fun() -> {ok, Fd} = file:open(Name, [raw, read]), exit({closed, file:close(Fd)}) end),
        receive {'DOWN', R, _, P, Reason} -> Reason end
    end),
    ok = file:delete(Name).

%% How often the file is open.
opened(Name) ->
    {ok, Fds} = file:list_dir("/proc/self/fd"),
    length([F || F <- Fds, file:read_link("/proc/self/fd/" ++ F) =:= {ok, Name}]).

until_closed(Name) ->
    case opened(Name) of
        0 -> closed;
        _ -> receive after 5 -> until_closed(Name) end
    end.

ends(Name, How) ->
    Me = self(),
    {P, R} = spawn_monitor(fun() ->
        {ok, Fd} = file:open(Name, [raw, read, binary]),
        Me ! {fd, Fd},
        receive
            normal -> ok;
            error -> exit(gone)
        end
    end),
    Fd = receive {fd, F} -> F end,
    Open = opened(Name),
    case How of
        killed -> exit(P, kill);
        _ -> P ! How
    end,
    receive {'DOWN', R, _, P, _} -> ok end,
    {Open, until_closed(Name), id(is_tuple(Fd))}.

many(Name) ->
    Ps = [spawn_monitor(fun() -> Fds = [element(2, file:open(Name, [raw, read])) || _ <- lists:seq(1, 5)],
                                 receive stop -> Fds end end) || _ <- lists:seq(1, 10)],
    [P ! stop || {P, _} <- Ps],
    [receive {'DOWN', R, _, _, _} -> ok end || {_, R} <- Ps],
    until_closed(Name).
