%% Files of code that are compressed as a whole are loaded on demand too, those of the modules that unpack others as well.
-module(r_compressed_code).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    Folder = filename:join(filename:dirname(code:which(?MODULE)), "compressed"),
    ok = filelib:ensure_dir(filename:join(Folder, "any")),
    [write(Folder, Module) || Module <- [squeezed, squeezed_too]],
    true = code:add_patha(Folder),
    io:format("~p~n", [squeezed:f(1)]),
    io:format("~p~n", [code:ensure_loaded(squeezed_too)]),
    io:format("~p~n", [squeezed_too:module_info(exports)]),
    {ok, Code} = file:read_file(filename:join(Folder, "squeezed.beam")),
    io:format("~p~n", [binary:part(Code, 0, 2)]),
    [io:format("~p~n", [load(Bytes)])
     || Bytes <- [Code, binary:part(Code, 0, 40), <<Code/binary, 1, 2>>, zlib:gzip(Code), zlib:gzip(<<>>), <<31, 139>>]].

load(Code) ->
    code:purge(squeezed),
    Result = erlang:load_module(squeezed, Code),
    code:purge(squeezed),
    code:delete(squeezed),
    Result.

write(Folder, Module) ->
    Forms = [{attribute, 1, module, Module}, {attribute, 1, export, [{f, 1}]},
             {function, 2, f, 1, [{clause, 2, [{var, 2, 'X'}], [], [{tuple, 2, [{atom, 2, Module}, {var, 2, 'X'}]}]}]}],
    {ok, Module, Beam} = compile:forms(Forms, []),
    ok = file:write_file(filename:join(Folder, atom_to_list(Module) ++ ".beam"), zlib:gzip(Beam)).
