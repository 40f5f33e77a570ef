%% What a library leaves behind. It is closed though objects without callbacks are alive; process_info names the resource
%% that watches a process by a reference that leads to it; a module with an on_load function, whose instance before was
%% deleted, upgrades from that one; modules with libraries are told as taints.
-module(r_nif_callbacks).
-export([main/0]).

main() ->
    Library = filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    M = r_nif_callbacks_m,
    Code = code(M, Library),
    {module, M} = code:load_binary(M, "m", Code),
    io:format("~p ~p~n", [M:how(), lists:member(M, erlang:system_info(taints))]),
    watched(M),
    Plain = M:make_plain(),
    true = erlang:delete_module(M),
    {module, M} = code:load_binary(M, "m", Code),
    io:format("~p~n", [M:how()]),
    true = erlang:purge_module(M),
    io:format("open ~p~n", [is_open(Library)]),
    true = erlang:delete_module(M),
    true = erlang:purge_module(M),
    io:format("~p open ~p~n", [is_reference(Plain), is_open(Library)]),
    io:format("~p~n", [lists:member(M, erlang:system_info(taints))]).

watched(M) ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    0 = M:watch(Pid),
    {monitored_by, [Resource]} = process_info(Pid, monitored_by),
    io:format("~p~n", [M:is_it(Resource)]),
    Ref = monitor(process, Pid),
    Pid ! stop,
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    M:drop().

%% Is the library in the memory of the runtime?
is_open(Library) ->
    {ok, File} = file:open("/proc/self/maps", [read, raw]),
    Text = iolist_to_binary(read_all(File)),
    string:find(Text, Library) =/= nomatch.

read_all(File) ->
    case file:read(File, 65536) of
        {ok, Data} -> [Data | read_all(File)];
        eof -> []
    end.

code(M, Library) ->
    Stubs = [{how, 0}, {make_plain, 0}, {watch, 1}, {is_it, 1}, {drop, 0}],
    Texts = ["-module(" ++ atom_to_list(M) ++ ").", "-on_load(l/0)."]
        ++ [io_lib:format("-export([~w/~w]).", [F, A]) || {F, A} <- Stubs]
        ++ ["l() -> erlang:load_nif(" ++ io_lib:format("~p", [Library]) ++ ", 0)."]
        ++ [io_lib:format("~w(~s) -> not_loaded.", [F, lists:join(",", lists:duplicate(A, "_"))]) || {F, A} <- Stubs],
    Forms = [begin {ok, T, _} = erl_scan:string(lists:flatten(Text)), {ok, F} = erl_parse:parse_form(T), F end
             || Text <- Texts],
    {ok, M, Code} = compile:forms(Forms, []),
    Code.
