#!/usr/bin/env escript
%% compile.escript FOLDER LIBRARIES: compiles FOLDER/*.erl there, each on its own; what fails is told and left out.
%% LIBRARIES is where OTP's applications have their sources, for the headers that suites include from there; those that
%% are made from ASN.1 are in the installed OTP. A suite
%% whose name ends with a variant (`_no_opt_SUITE`) is compiled with the options that the compiler's own tests give it.
main([Folder, Libraries]) ->
    ok = file:set_cwd(Folder),
    Files = filelib:wildcard("*.erl"),
    {Helpers, Suites} = lists:partition(fun(File) -> string:find(File, "_SUITE") =:= nomatch end, Files),
    Options = [debug_info, nowarn_export_all, no_error_module_mismatch, report_errors, {i, "."}, {i, Libraries},
               {d, snmp_test_data, snmp_test_data} |
               [{i, filename:join([Libraries, Application, Part])}
                || Application <- ["kernel", "stdlib", "runtime_tools", "compiler", "public_key", "ssl", "ssh", "inets",
                                   "ftp", "tftp", "xmerl", "snmp", "megaco", "diameter", "debugger", "dialyzer", "asn1",
                                   "reltool", "sasl", "edoc", "syntax_tools", "eldap", "observer", "et"],
                   Part <- ["include", "src", "src/http_lib", "src/inets_app", "src/app", "src/engine", "src/misc",
                            "src/manager", "src/agent", "src/base", "src/text", "src/binary"]] ++
                   [{i, Made} || Made <- [code:lib_dir(public_key, include), code:lib_dir(diameter, include),
                                          code:lib_dir(asn1, src)], is_list(Made)]],
    [compile_all(Part, Options, erlang:system_info(schedulers)) || Part <- [Helpers, Suites]].

compile_all([], _, _) -> ok;
compile_all(Files, Options, Together) ->
    {Now, Later} = lists:split(min(Together, length(Files)), Files),
    Running = [spawn_monitor(fun() -> compile_one(File, variant(File) ++ Options) end) || File <- Now],
    [receive {'DOWN', Monitor, process, Pid, _} -> ok end || {Pid, Monitor} <- Running],
    compile_all(Later, Options, Together).

compile_one(File, Options) ->
    case compile:file(File, Options) of
        {ok, _} -> ok;
        {ok, _, _} -> ok;
        _ -> io:format("~ts does not compile~n", [File])
    end.

variant(File) ->
    Variants = [{"_no_opt_SUITE.erl", [no_copt, no_bool_opt, no_share_opt, no_bsm_opt, no_fun_opt, no_ssa_opt,
                                       no_recv_opt, no_postopt]},
                {"_no_type_opt_SUITE.erl", [no_type_opt]}, {"_inline_SUITE.erl", [inline]},
                {"_r23_SUITE.erl", [r23]}, {"_r24_SUITE.erl", [r24]}],
    lists:append([Options || {End, Options} <- Variants, lists:suffix(End, File)]).
