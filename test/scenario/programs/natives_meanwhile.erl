%% What goes on while the library of a module is being loaded: see ../load_nif. The library logs what it is asked to do,
%% and `load` waits until the file `open` is there.
-module(natives_meanwhile).
-export([main/0]).

main() ->
    put(passed, 0),
    put(failed, 0),
    others_go_on(),
    the_next_waits(),
    killed(),
    replaced(),
    purged(),
    all_at_once(300),
    io:format("~b passed, ~b failed~n", [get(passed), get(failed)]).

check(_, Same, Same) -> put(passed, get(passed) + 1);
check(Name, Expected, Got) ->
    put(failed, get(failed) + 1),
    io:format("FAILED: ~s~n  expected ~p~n  got      ~p~n", [Name, Expected, Got]).

others_go_on() ->
    begin_with(slow),
    Loader = loading(slow, "open"),
    until_logged("load "),
    check("a module is loaded and replaced", {module, other}, loaded(other, "other", 1)),
    check("again", {module, other}, loaded(other, "other", 2)),
    check("a purge, nobody killed", false, code:purge(other)),
    check("a pattern", 5, erlang:trace_pattern({other, '_', '_'}, true, [local])),
    check("off", 5, erlang:trace_pattern({other, '_', '_'}, false, [local])),
    check("deleted", true, code:delete(other)),
    check("a soft purge", true, code:soft_purge(other)),
    loaded(quick, "quick", 1),
    check("another library", ok, quick:load("quick", ".")),
    check("its functions", 1, quick:value()),
    open(),
    check("the slow one", {ok, 1}, {result(Loader), slow:value()}),
    check("log", "load load ", log()).

%% For the same module one comes after the other; one that is killed while it waits is forgotten.
the_next_waits() ->
    begin_with(slow),
    First = loading(slow, "open"),
    until_logged("load "), % of those that are spawned at once any could be the first
    Pids = [Killed, Last] = [loading(slow, "open") || _ <- [2, 3]],
    [until_waiting(Pid) || {Pid, _} <- Pids],
    exit(element(1, Killed), kill),
    check("one that waits is killed", killed, result(Killed)),
    check("no other has begun", "load ", log()),
    open(),
    check("the first", ok, result(First)),
    check("the last", {error, {reload, "NIF library already loaded (reload disallowed since OTP 20)."}}, result(Last)),
    check("log", "load ", log()).

%% The callback is not interrupted; what it did is undone, and the next one has its turn.
killed() ->
    begin_with(slow),
    First = loading(slow, "open"),
    until_logged("load "),
    Next = loading(slow, "open"),
    until_waiting(element(1, Next)),
    exit(element(1, First), kill),
    open(),
    check("killed while it loads", killed, result(First)),
    check("the next one", {ok, 1}, {result(Next), slow:value()}),
    check("log", "load unload load ", log()).

%% As if the library had been there before the module was replaced.
replaced() ->
    begin_with(slow),
    First = {Pid, _} = loading(slow, "open"),
    until_logged("load "),
    check("replaced", {module, slow}, loaded(slow, "slow", 2)),
    Next = loading(slow, "open"),
    until_waiting(element(1, Next)),
    check("its process runs the old code", {true, false}, {check_process_code(Pid, slow), code:soft_purge(slow)}),
    check("and holds it", [{Pid, native}], viv_code:holders(slow, 1000)),
    open(),
    check("both", [ok, ok], [result(First), result(Next)]),
    check("one value", 2, slow:value()),
    check("the old one goes", {true, "load upgrade unload "}, {code:soft_purge(slow), log()}).

%% The process is killed, the purge waits for the callback, and the library goes. `upgrade` sees the data of the one
%% before until it ends.
purged() ->
    begin_with(slow),
    open(),
    ok = slow:load("slow", "open"),
    ok = file:delete("open"),
    loaded(slow, "slow", 2),
    Loader = loading(slow, "open"),
    until_logged("load upgrade "),
    check("the one before is purged, nobody killed", false, code:purge(slow)),
    loaded(slow, "slow", 3),
    {Purger, Ref} = spawn_monitor(fun() -> exit(code:purge(slow)) end),
    until_waiting(Purger),
    check("nothing is gone yet", "load upgrade ", log()),
    open(),
    check("killed", killed, result(Loader)),
    check("purged", true, receive {'DOWN', Ref, process, Purger, Purged} -> Purged end),
    check("both are unloaded", "load upgrade unload unload ", log_until("unload unload ")),
    check("a third", {ok, 1}, {slow:load("slow", "open"), slow:value()}).

%% Loaders are killed at any moment while versions come and go: each library that was started is unloaded once.
all_at_once(Rounds) ->
    begin_with(slow),
    [begin
         loaded(slow, "slow", N),
         Loaders = [loading(slow, ".") || _ <- [1, 2, 3]],
         lists:foreach(fun erlang:phash2/1, lists:seq(1, 10 * N)), % a while
         [exit(Pid, kill) || {Pid, _} <- Loaders, erlang:phash2({N, Pid}, 3) > 0],
         N rem 3 =:= 0 orelse [result(Loader) || Loader <- Loaders],
         code:purge(slow)
     end || N <- lists:seq(1, Rounds)],
    code:purge(slow),
    code:delete(slow),
    code:purge(slow),
    check("as many are unloaded as were loaded", {true, 0}, started_and_not_ended(6000)).

started_and_not_ended(Tries) ->
    Told = string:lexemes(log(), " "),
    Started = length([x || T <- Told, T =/= "unload"]),
    case length(Told) - Started of
        Started when Started > 0 -> {true, 0};
        Ended when Tries =:= 0 -> {Started > 0, Started - Ended};
        _ -> timer:sleep(5), started_and_not_ended(Tries - 1)
    end.

%% A fresh start: no library, no old code, and `load` will wait.
begin_with(Name) ->
    file:delete("open"),
    code:purge(Name),
    code:delete(Name),
    code:purge(Name),
    log() =:= "" orelse log_until("unload "),
    file:delete("log"),
    loaded(Name, atom_to_list(Name), 1).

open() -> ok = file:write_file("open", "").

loading(Name, File) -> spawn_monitor(fun() -> exit(Name:load(atom_to_list(Name), File)) end).
result({Pid, Ref}) -> receive {'DOWN', Ref, process, Pid, Reason} -> Reason end.

log() ->
    case file:read_file("log") of
        {ok, Text} -> binary_to_list(Text);
        {error, enoent} -> ""
    end.

until_logged(Expected) -> until_logged(Expected, 20000).
until_logged(Expected, N) when N > 0 ->
    case log() of
        Expected -> ok;
        _ -> timer:sleep(1), until_logged(Expected, N - 1)
    end.

%% What is unloaded goes in the background, after thread progress. Not for ever: there may be nothing to unload.
log_until(End) -> log_until(End, 6000).
log_until(End, N) ->
    Log = log(),
    case N =:= 0 orelse lists:suffix(End, Log) of
        true -> Log;
        false -> timer:sleep(5), log_until(End, N - 1)
    end.

until_waiting(Pid) -> until_waiting(Pid, 0).
until_waiting(_, 20) -> ok;
until_waiting(Pid, N) ->
    timer:sleep(1),
    case process_info(Pid, status) of
        {status, waiting} -> until_waiting(Pid, N + 1);
        undefined -> exit({has_ended, Pid});
        _ -> until_waiting(Pid, 0)
    end.

loaded(Name, Text, Version) ->
    Forms = [form(F) || F <- ["-module(" ++ Text ++ ").", "-export([load/2, value/0, version/0]).",
                              "load(Path, Info) -> erlang:load_nif(\"./\" ++ Path, Info).",
                              "value() -> erlang:nif_error(no_library).",
                              "version() -> " ++ integer_to_list(Version) ++ "."]],
    {ok, Name, Code} = compile:forms(Forms),
    code:load_binary(Name, "", Code).

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
