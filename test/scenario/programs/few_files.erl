%% Descriptors run out where files are opened and programs started: each answers that there are none, and all goes on
%% when there are some.
-module(few_files).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    File = filename:join(os:getenv("FOLDER"), "a_file"),
    ok = file:write_file(File, "some bytes"),
    [io:format("~s: ~0p~n", [Name, answer(Does)]) || {Name, Does} <- asked(File)], % all the code is there
    Opened = open_all(File, []),
    [io:format("without: ~s: ~0p~n", [Name, answer(Does)]) || {Name, Does} <- asked(File)],
    io:format("~p~n", [length(Opened) > 20]),
    [ok = file:close(F) || F <- Opened],
    [io:format("again: ~s: ~0p~n", [Name, answer(Does)]) || {Name, Does} <- asked(File)].

open_all(File, Opened) ->
    case file:open(File, [read, raw]) of
        {ok, F} -> open_all(File, [F | Opened]);
        {error, emfile} -> Opened
    end.

asked(File) ->
    [{"open", fun() -> closed(file:open(File, [read])) end},
     {"open, raw", fun() -> closed(file:open(File, [read, raw])) end},
     {"read_file", fun() -> file:read_file(File) end},
     {"write_file", fun() -> file:write_file(File, "some bytes") end},
     {"list_dir", fun() -> element(1, file:list_dir(filename:dirname(File))) end},
     {"copy", fun() -> file:copy(File, File ++ "2") end},
     {"consult", fun() -> file:consult(File) end},
     {"read_file_info", fun() -> element(1, file:read_file_info(File)) end},
     {"open_port", fun() -> ended(open_port({spawn, "true"}, [exit_status])) end},
     {"open_port, executable", fun() -> ended(open_port({spawn_executable, "/bin/true"}, [exit_status])) end},
     {"listen", fun() -> closed(gen_tcp, gen_tcp:listen(0, [])) end},
     {"udp", fun() -> closed(gen_udp, gen_udp:open(0)) end},
     {"socket", fun() -> closed(socket, socket:open(inet, stream)) end},
     {"connect", fun() -> closed(gen_tcp, gen_tcp:connect({127, 0, 0, 1}, 1, [])) end},
     {"load", fun() -> code:purge(few_files_none), code:load_file(few_files_none) end}].

answer(Does) ->
    try Does() catch Class:Reason -> {Class, Reason} end.

closed(Answer) -> closed(file, Answer).
closed(Module, {ok, Opened}) -> {Module:close(Opened)};
closed(_, Refused) -> Refused.

ended(Port) ->
    receive {Port, {exit_status, Status}} -> {exit_status, Status}; {'EXIT', Port, Reason} -> {exit, Reason}
    after 60000 -> nothing
    end.
