%% Code is loaded while native functions keep all dirty CPU threads: preparing a larger module waited for one of them.
-module(r_load_beside_natives).
-export([main/0, until_dead/0]).
-nifs([until_dead/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_load_beside_natives"), 0),
    {dets, Code, File} = code:get_object_code(dets),
    Natives = [spawn_monitor(fun until_dead/0) || _ <- lists:seq(1, erlang:system_info(dirty_cpu_schedulers))],
    timer:sleep(100),
    io:format("~p~n", [[code:load_binary(dets, File, Code), code:purge(dets), code:load_file(xref_reader)]]),
    [exit(Pid, kill) || {Pid, _} <- Natives],
    io:format("~p~n", [[receive {'DOWN', Ref, process, _, Reason} -> Reason end || {_, Ref} <- tl(Natives)] =:=
                           [killed || _ <- tl(Natives)]]).

until_dead() -> erlang:nif_error(not_loaded).
