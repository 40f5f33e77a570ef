%% Runs programs one after the other (orders.erl): {Id, Folder, Module, File}. calls Module:main() of Folder and writes
%% what it prints into File, as `erl` would. What it leaves behind goes before the next one; what a program can do to
%% one that comes later shows in the answers only.
-module(answer_server).
-export([start/0]).

start() ->
    orders:serve(fun(Id, Order) ->
        {Leader, Monitor} = spawn_monitor(fun() -> exit(apply(fun answer/3, Order)) end),
        receive {'DOWN', Monitor, process, Leader, Reason} -> orders:tell(Id, wrong(Reason)) end
    end).

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
    case Reason of
        normal -> ok = file:write_file(File, Printed), written;
        _ -> Reason
    end.

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

%% As standard output without a terminal and standard input that is empty, in the encoding unicode.
request({put_chars, Encoding, Chars}, Printed) ->
    case unicode:characters_to_binary(Chars, Encoding, unicode) of
        Bytes when is_binary(Bytes) -> {ok, [Bytes | Printed]};
        _ -> {{error, no_translation}, Printed}
    end;
request({put_chars, Encoding, Module, Function, Arguments}, Printed) ->
    request({put_chars, Encoding, apply(Module, Function, Arguments)}, Printed);
request({requests, Requests}, Printed) ->
    lists:foldl(fun(Request, {ok, Now}) -> request(Request, Now); (_, Failed) -> Failed end, {ok, Printed}, Requests);
request({setopts, _}, Printed) ->
    {ok, Printed};
request(getopts, Printed) ->
    {[{binary, false}, {encoding, unicode}], Printed};
request({get_geometry, _}, Printed) ->
    {{error, enotsup}, Printed};
request(Request, Printed) when element(1, Request) =:= get_line; element(1, Request) =:= get_chars;
                               element(1, Request) =:= get_until ->
    {eof, Printed};
request(_, Printed) ->
    {{error, request}, Printed}.
