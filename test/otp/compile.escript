#!/usr/bin/env escript
%% compile.escript FOLDER LIBRARIES: compiles FOLDER/*.erl there, each on its own; what fails is told and left out.
%% LIBRARIES is where OTP's applications have their sources, for the headers that suites include from there.
main([Folder, Libraries]) ->
    ok = file:set_cwd(Folder),
    Files = filelib:wildcard("*.erl"),
    {Helpers, Suites} = lists:partition(fun(File) -> string:find(File, "_SUITE") =:= nomatch end, Files),
    Options = [debug_info, nowarn_export_all, no_error_module_mismatch, report_errors, {i, "."}, {i, Libraries} |
               [{i, filename:join([Libraries, Application, Part])}
                || Application <- ["kernel", "stdlib", "runtime_tools", "compiler"], Part <- ["include", "src"]]],
    [compile_all(Part, Options, erlang:system_info(schedulers)) || Part <- [Helpers, Suites]].

compile_all([], _, _) -> ok;
compile_all(Files, Options, Together) ->
    {Now, Later} = lists:split(min(Together, length(Files)), Files),
    Running = [spawn_monitor(fun() -> compile_one(File, Options) end) || File <- Now],
    [receive {'DOWN', Monitor, process, Pid, _} -> ok end || {Pid, Monitor} <- Running],
    compile_all(Later, Options, Together).

compile_one(File, Options) ->
    case compile:file(File, Options) of
        {ok, _} -> ok;
        {ok, _, _} -> ok;
        _ -> io:format("~ts does not compile~n", [File])
    end.
