%% Runs programs one after the other (orders.erl): {Id, Folder, Module, File}. calls Module:main() of Folder and writes
%% into File what it prints, if that is all that it says: who asks its group leader for more than to print, writes to
%% standard output in another way, or has something reported there (the reader of standard output sees that) is to be
%% asked alone. What a program leaves behind goes before the next one; what it can do to one that comes later shows in
%% the answers only. Who orders waits for the answer, or kills all of it.
-module(answer_server).
-export([start/0]).

start() ->
    orders:serve(fun(Id, Order) -> spawn(fun() -> orders:tell(Id, wrong(ended(Order))) end) end).

ended(Order) ->
    {Leader, Monitor} = spawn_monitor(fun() -> exit(apply(fun answer/3, Order)) end),
    receive {'DOWN', Monitor, process, Leader, Reason} -> Reason end.

wrong(written) -> "";
wrong(Reason) -> lists:flatten(io_lib:format("~p", [Reason])).

answer(Folder, Module, File) ->
    {ok, Current} = file:get_cwd(),
    Kept = persistent_terms(),
    true = code:add_patha(Folder),
    {Reason, Printed} = run(Module),
    true = code:del_path(Folder),
    forget_modules(filelib:wildcard(Folder ++ "/*.beam")),
    [persistent_term:erase(Key) || Key <- persistent_terms() -- Kept],
    ok = file:set_cwd(Current),
    told_by_logger(),
    case Reason of
        normal -> ok = file:write_file(File, Printed), written;
        _ -> Reason
    end.

%% What the runtime reports of a process that has ended goes through these.
told_by_logger() ->
    [catch sys:get_state(Process) || Process <- [logger, logger_proxy]],
    _ = logger_std_h:filesync(default),
    ok.

persistent_terms() -> [Key || {Key, _} <- persistent_term:get()].

%% This process is the group leader of whatever the program starts.
run(Module) ->
    Leader = self(),
    {Program, Monitor} = spawn_monitor(fun() -> group_leader(Leader, self()), Module:main() end),
    Said = hear(Program, Monitor, []),
    [exit(Pid, kill) || Pid <- processes(), process_info(Pid, group_leader) =:= {group_leader, Leader}],
    Said.

forget_modules(Beams) ->
    Modules = [list_to_atom(filename:basename(Beam, ".beam")) || Beam <- Beams],
    [begin code:purge(Module), code:delete(Module), code:purge(Module) end || Module <- Modules].

hear(Program, Monitor, Printed) ->
    receive
        {io_request, From, Ref, Request} ->
            {Reply, Now} = request(Request, Printed),
            From ! {io_reply, Ref, Reply},
            hear(Program, Monitor, Now);
        {'DOWN', Monitor, process, Program, Reason} ->
            {Reason, lists:reverse(Printed)}
    end.

request({put_chars, Encoding, Chars}, Printed) ->
    case unicode:characters_to_binary(Chars, Encoding, unicode) of
        Bytes when is_binary(Bytes) -> {ok, [Bytes | Printed]};
        _ -> exit({cannot_be_printed, Chars})
    end;
request({put_chars, Encoding, Module, Function, Arguments}, Printed) ->
    request({put_chars, Encoding, apply(Module, Function, Arguments)}, Printed);
request(Other, _) ->
    exit({asked, Other}).
