%% Loading, upgrading and unloading libraries; those that must be refused, with the reasons that stock gives.
-module(nif_library).
-export([main/0]).
-include("n.hrl").

main() ->
    t(before, fun() -> {nif_subject:version(), nif_subject:data()} end),
    [t(What, fun() -> refused(What) end)
     || What <- ["major 3", "minor 99", "another module", "missing function", "another arity", "bad flags",
                 "both flags", "another variant", "no entry", "load fails", "load fails negative"]],
    t(not_there, fun() -> same_path(nif_subject:load(library("nothing_there"), self())) end),
    t(no_library, fun() -> file:write_file(library("nif_text") ++ ".so", "only text"), same_path(nif_subject:load(library("nif_text"), 1)) end),
    t(no_init, fun() -> same_path(nif_subject:load(library("nif_library_without_init"), self())) end),
    t(bad_info, fun() -> nif_subject:load(library("nif_library"), not_a_pid) end),
    t(bad_path, fun() -> [catch_error(fun() -> nif_subject:load(P, self()) end) || P <- [1, [a], {}, [], <<"x">>, atom]] end),
    t(not_from_module, fun() -> erlang:load_nif(library("nif_library"), self()) end),
    t(nothing_told, fun() -> flush() end),
    t(still_not_native, fun() -> nif_subject:version() end),
    t(load, fun() -> {load(1, ""), flush(), nif_subject:version(), nif_subject:data(), nif_subject:erlang_only()} end),
    t(again, fun() -> {load(1, ""), load(2, ""), flush(), nif_subject:version()} end),
    t(upgrade, fun upgrade/0),
    t(upgrade_fails, fun upgrade_fails/0),
    t(no_upgrade, fun no_upgrade/0),
    t(creates_again, fun creates_again/0),
    t(not_loaded_in_new, fun not_loaded_in_new/0),
    t(unload_of_old, fun unload_of_old/0),
    t(takeover_of_left_objects, fun takeover_of_left_objects/0),
    t(callbacks_missing, fun callbacks_missing/0),
    t(no_functions, fun() -> fresh(), {load(1, "no functions"), nif_subject:version(), flush()} end),
    t(gone, fun() -> fresh(), flush() end).

refused(What) ->
    R = load(1, What),
    {R, flush()}.

load(Version, What) ->
    os:putenv("NIF_TEST_WHAT", What),
    R = nif_subject:load(library(case Version of 1 -> "nif_library"; 2 -> "nif_library_2" end), self()),
    os:putenv("NIF_TEST_WHAT", ""),
    R.

%% Errors of the dynamic linker name files.
same_path({error, {Reason, Text}}) -> {error, {Reason, lists:append(string:replace(Text, os:getenv("NIF_LIBRARIES"), "DIR", all))}};
same_path(Other) -> Other.

catch_error(Fun) -> try Fun() catch C:R -> {C, R} end.

%% A current instance that has no library, and no old one.
fresh() ->
    code:purge(nif_subject),
    code:delete(nif_subject),
    code:purge(nif_subject),
    {module, nif_subject} = code:load_file(nif_subject),
    ok.

reload() ->
    code:purge(nif_subject),
    {module, nif_subject} = code:load_file(nif_subject),
    ok.

told() -> receive M -> M after 60000 -> nothing end.
child(Fun) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({value, Fun()}) end),
    receive {'DOWN', Ref, _, Pid, Why} -> case Why of {value, V} -> V; _ -> Why end end.

upgrade() ->
    reload(),
    Before = {nif_subject:version(), flush()},
    R = load(2, ""),
    Told = flush(),
    Now = {nif_subject:version(), nif_subject:data()},
    code:purge(nif_subject),
    {Before, R, Told, Now, told(), nif_subject:version()}.

upgrade_fails() ->
    reload(),
    R = load(1, "upgrade fails"),
    Told = flush(),
    Now = nif_subject:version(),
    R2 = load(1, ""),
    {R, Told, Now, R2, flush(), nif_subject:data(), begin code:purge(nif_subject), told() end}.

no_upgrade() ->
    reload(),
    R = load(2, "no upgrade"),
    {R, flush(), nif_subject:version(), load(2, ""), told(), begin code:purge(nif_subject), told() end}.

creates_again() ->
    reload(),
    {load(1, "creates again"), flush(), nif_subject:version(), begin code:purge(nif_subject), told() end}.

%% The new code has no library: the old one goes with the old code, and the next is loaded, not upgraded.
not_loaded_in_new() ->
    fresh(),
    Gone = flush(),
    load(1, ""),
    flush(),
    reload(),
    V = nif_subject:version(),
    code:purge(nif_subject),
    Unloaded = told(),
    {Gone, V, Unloaded, load(2, ""), flush(), nif_subject:data()}.

unload_of_old() ->
    fresh(),
    flush(),
    load(1, ""),
    flush(),
    Look = child(fun() -> nif_subject:look(nif_subject:new(1)) end),
    Died = told(),
    code:delete(nif_subject),
    None = flush(),
    code:purge(nif_subject),
    {Look, Died, None, told(), flush()}.

%% Objects of the old library are taken over, with their destructor; a library stays as long as there are any.
takeover_of_left_objects() ->
    fresh(),
    flush(),
    load(1, ""),
    flush(),
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
                                   Objects = [nif_subject:new(11), nif_subject:new_second(12)],
                                   Me ! ready,
                                   receive look -> Me ! {look, [nif_subject:look(O) || O <- Objects]} end,
                                   receive {stop, Last} -> exit([Last, length(Objects)]) end
                               end),
    receive ready -> ok end,
    reload(),
    load(2, ""),
    Upgraded = told(),
    Pid ! look,
    Look = receive {look, L} -> L end,
    {NewPid, NewRef} = spawn_monitor(fun() -> O = nif_subject:new(13), receive stop -> exit(is_reference(O)) end end),
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, killed} -> ok end,
    Deaths = lists:sort([told(), told()]),
    code:purge(nif_subject),
    Unloaded = told(),
    code:delete(nif_subject),
    code:purge(nif_subject),
    timer:sleep(20),
    NotYet = flush(),
    NewPid ! stop,
    receive {'DOWN', NewRef, _, _, true} -> ok; {'DOWN', NewRef, _, _, killed} -> ok end,
    {Upgraded, Look, Deaths, Unloaded, NotYet, told(), told()}.

callbacks_missing() ->
    code:load_file(nif_subject),
    R = [begin fresh(), {load(1, What), nif_subject:version(), nif_subject:data()} end || What <- ["no load", "no unload"]],
    fresh(),
    {R, flush()}.
