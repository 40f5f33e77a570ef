%% Code is loaded while native functions keep all dirty CPU threads: preparing a larger module waited for one of them, and
%% so did finishing one that exports thousands of functions.
-module(r_load_beside_natives).
-export([main/0, until_dead/0]).
-nifs([until_dead/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_load_beside_natives"), 0),
    Exporting = exporting(5000),
    {dets, Code, File} = code:get_object_code(dets),
    Natives = [spawn_monitor(fun until_dead/0) || _ <- lists:seq(1, erlang:system_info(dirty_cpu_schedulers))],
    timer:sleep(100),
    io:format("~p~n", [[code:load_binary(dets, File, Code), code:purge(dets), code:load_file(xref_reader)]]),
    io:format("~p~n", [[code:load_binary(exporting, "", Exporting), exporting:f1(), exporting:f5000()]]),
    [exit(Pid, kill) || {Pid, _} <- Natives],
    io:format("~p~n", [[receive {'DOWN', Ref, process, _, Reason} -> Reason end || {_, Ref} <- tl(Natives)] =:=
                           [killed || _ <- tl(Natives)]]).

exporting(N) ->
    Functions = [{function, 1, list_to_atom("f" ++ integer_to_list(I)), 0, [{clause, 1, [], [], [{integer, 1, I}]}]} ||
                    I <- lists:seq(1, N)],
    {ok, exporting, Code} = compile:forms([{attribute, 1, module, exporting} | Functions] ++ [{eof, 1}], [export_all]),
    Code.

until_dead() -> erlang:nif_error(not_loaded).
