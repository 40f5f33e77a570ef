%% The stock code server and its interface, unmodified: what each function returns in a session that loads, replaces,
%% deletes and purges modules, with files, binaries, lists, sticky modules and on_load functions.
-module(code_server_calls).
-export([main/0]).

main() ->
    _ = logger:set_primary_config(level, none),
    Dir = "/tmp/viv_code_server_calls." ++ os:getpid(),
    ok = filelib:ensure_dir(Dir ++ "/x"),
    put(dir, Dir),
    try all()
    after
        [file:delete(F) || F <- filelib:wildcard(Dir ++ "/*")],
        file:del_dir(Dir)
    end.

all() -> files(), binaries(), lists(), ensure(), sticky(), on_load(), pending(), erlang_calls(), stock().

t(Name, Fun) ->
    Result = try Fun()
             catch
                 C:R:S -> {failed, C, R, [{M, F} || {M, F, _, _} <- lists:sublist(S, 2)]}
             end,
    io:format("~0tp: ~0tp~n", [Name, without_dir(Result)]).

%% The folder's name differs from run to run.
without_dir({error, Errors}) when is_list(Errors) -> {error, lists:sort(Errors)}; % from processes in any order
without_dir(T) when is_tuple(T) -> list_to_tuple(without_dir(tuple_to_list(T)));
without_dir(T) when is_list(T) ->
    Dir = get(dir),
    case io_lib:printable_list(T) andalso string:prefix(T, Dir) of
        Rest when is_list(Rest) -> {dir, Rest};
        _ -> [without_dir(E) || E <- T]
    end;
without_dir(T) when is_binary(T) -> {binary, byte_size(T) > 0};
without_dir(T) -> T.

module(Name, Version, OnLoad) ->
    Forms = [{attribute, 1, module, Name}, {attribute, 1, vsn, Version}, {attribute, 1, export, [{v, 0}]}] ++
        [{attribute, 1, on_load, {init, 0}} || OnLoad =/= none] ++
        [{function, 1, v, 0, [{clause, 1, [], [], [erl_parse:abstract(Version)]}]}] ++
        [{function, 1, init, 0, [{clause, 1, [], [], expressions(OnLoad)}]} || OnLoad =/= none],
    {ok, Name, Code} = compile:forms(Forms ++ [{eof, 1}], [debug_info]),
    Code.

expressions(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    Expressions.

file(Name) -> get(dir) ++ "/" ++ atom_to_list(Name) ++ ".beam".
write(Name, Version) -> write(Name, Version, none).
write(Name, Version, OnLoad) -> ok = file:write_file(file(Name), module(Name, Version, OnLoad)).
v(Name) -> try Name:v() catch error:undef -> undef end.

files() ->
    write(ca, 1),
    t(not_in_path, fun() -> code:load_file(ca) end),
    t(add, fun() -> code:add_patha(get(dir)) end),
    t(which_before, fun() -> code:which(ca) end),
    t(is_loaded_before, fun() -> code:is_loaded(ca) end),
    t(call, fun() -> v(ca) end),
    t(is_loaded, fun() -> code:is_loaded(ca) end),
    t(which, fun() -> code:which(ca) end),
    t(status, fun() -> code:module_status(ca) end),
    write(ca, 2),
    t(status_modified, fun() -> code:module_status(ca) end),
    t(modified, fun() -> [M || M <- code:modified_modules(), M =:= ca] end),
    t(reload, fun() -> {code:load_file(ca), v(ca)} end),
    t(status_now, fun() -> code:module_status([ca, lists, nosuch, erlang]) end),
    write(ca, 3),
    t(not_purged, fun() -> {code:load_file(ca), v(ca)} end),
    t(purge, fun() -> code:purge(ca) end),
    t(purged, fun() -> {code:load_file(ca), v(ca)} end),
    t(soft_purge, fun() -> {code:soft_purge(ca), code:soft_purge(ca), code:purge(ca)} end),
    t(delete, fun() -> {code:delete(ca), erlang:check_old_code(ca), code:is_loaded(ca), code:delete(ca)} end),
    t(purge_deleted, fun() -> {code:purge(ca), erlang:check_old_code(ca), code:purge(nosuch)} end),
    t(load_abs, fun() -> {code:load_abs(get(dir) ++ "/ca"), v(ca)} end),
    t(load_abs_none, fun() -> code:load_abs(get(dir) ++ "/nosuch") end),
    t(object_code, fun() -> code:get_object_code(ca) end),
    t(object_code_none, fun() -> code:get_object_code(nosuch) end),
    t(where_is, fun() -> {code:where_is_file("ca.beam"), code:where_is_file("nosuch.beam")} end),
    ok = file:write_file(file(cbad), <<"no code">>),
    t(bad, fun() -> {code:load_file(cbad), code:ensure_loaded(cbad), code:load_abs(get(dir) ++ "/cbad")} end),
    ok = file:write_file(file(cwrong), module(ca, 1, none)),
    t(wrong_name, fun() -> code:load_file(cwrong) end),
    ok = file:write_file(file(cz), zlib:gzip(module(cz, 1, none))),
    t(compressed, fun() -> {code:load_file(cz), v(cz)} end),
    t(all_loaded, fun() -> lists:sort([E || {M, _} = E <- code:all_loaded(), lists:member(M, [ca, cz, cbad])]) end),
    t(del_path, fun() -> {code:del_path(get(dir)), code:which(ca), code:load_file(ca)} end),
    t(again, fun() -> {code:add_pathz(get(dir)), code:which(ca)} end).

binaries() ->
    t(load_binary, fun() -> {code:load_binary(cb, "cb.erl", module(cb, 1, none)), v(cb), code:is_loaded(cb)} end),
    t(twice, fun() -> {code:load_binary(cb, file(cb), module(cb, 2, none)), v(cb), code:which(cb)} end),
    t(thrice, fun() -> {code:load_binary(cb, file(cb), module(cb, 3, none)), v(cb), erlang:check_old_code(cb)} end),
    t(bad, fun() -> code:load_binary(cb, "cb", <<1, 2, 3>>) end),
    t(wrong_name, fun() -> code:load_binary(cc, "cc", module(cb, 1, none)) end),
    t(no_binary, fun() -> code:load_binary(cb, "cb", cb) end),
    t(no_atom, fun() -> code:load_binary("cb", "cb", <<>>) end),
    t(status, fun() -> code:module_status(cb) end),
    t(module_md5, fun() -> code:module_md5(module(cb, 1, none)) =/= code:module_md5(module(cb, 2, none)) end),
    t(module_md5_bad, fun() -> code:module_md5(<<"FOR1">>) end).

lists() ->
    Three = fun(V) -> [{M, file(M), module(M, V, none)} || M <- [cl1, cl2, cl3]] end,
    Vs = fun() -> [v(M) || M <- [cl1, cl2, cl3]] end,
    t(atomic_load, fun() -> {code:atomic_load(Three(1)), Vs()} end),
    t(atomic_again, fun() -> {code:atomic_load(Three(2)), Vs(), code:is_loaded(cl2)} end),
    t(not_purged, fun() -> {code:atomic_load(Three(3)), Vs()} end),
    [code:purge(M) || M <- [cl1, cl3]],
    t(one_not_purged, fun() -> {code:atomic_load(Three(3)), Vs()} end),
    code:purge(cl2),
    t(duplicated, fun() -> code:atomic_load(Three(3) ++ Three(4)) end),
    t(on_load, fun() -> code:atomic_load([{cl1, "cl1", module(cl1, 3, "ok")} | tl(Three(3))]) end),
    t(bad, fun() -> code:atomic_load([{cl1, "cl1", <<"FOR1">>}, {cl4, "cl4", <<>>} | tl(Three(3))]) end),
    t(no_file, fun() -> code:atomic_load([nosuch, nosuch2]) end),
    t(no_list, fun() -> code:atomic_load(cl1) end),
    t(nothing, fun() -> {code:atomic_load([]), Vs()} end),
    write(cl4, 1),
    t(by_name, fun() -> {code:atomic_load([cl4 | Three(3)]), Vs(), v(cl4), code:is_loaded(cl4)} end),
    [code:purge(M) || M <- [cl1, cl2, cl3]],
    {ok, Prepared} = code:prepare_loading(Three(5)),
    t(before, Vs),
    t(finish, fun() -> {code:finish_loading(Prepared), Vs()} end),
    t(prepare_on_load, fun() -> code:prepare_loading([{cl1, "cl1", module(cl1, 3, "ok")}]) end),
    t(prepare_bad, fun() -> code:prepare_loading([{cl1, "cl1", <<>>}]) end),
    t(finish_none, fun() -> code:finish_loading(foo) end).

ensure() ->
    write(ce1, 1), write(ce2, 1), write(ce3, 1, "ok"), write(ce4, 1, "failed"),
    t(one, fun() -> {code:ensure_loaded(ce1), v(ce1), code:ensure_loaded(ce1), code:ensure_loaded(nosuch)} end),
    t(several, fun() -> {code:ensure_modules_loaded([ce1, ce2, ce3, lists]), v(ce2), v(ce3)} end),
    t(some_not, fun() ->
                        {error, Errors} = code:ensure_modules_loaded([ce2, nosuch, ce4, nosuch2]),
                        lists:sort(Errors)
                end),
    t(no_list, fun() -> code:ensure_modules_loaded(ce1) end).

sticky() ->
    t(is_sticky, fun() -> [code:is_sticky(M) || M <- [lists, ca, nosuch]] end),
    t(stick, fun() -> {code:stick_dir(get(dir)), code:stick_mod(cb), code:load_binary(cb, "cb", module(cb, 9, none))} end),
    t(atomic, fun() -> code:atomic_load([{cb, "cb", module(cb, 9, none)}, {cs, "cs", module(cs, 1, none)}]) end),
    t(unstick, fun() -> {code:unstick_mod(cb), code:unstick_dir(get(dir)), code:is_sticky(cb)} end).

on_load() ->
    register(tester, self()),
    L = fun(M, V, Text) -> code:load_binary(M, atom_to_list(M), module(M, V, Text)) end,
    t(ok, fun() -> {L(co, 1, "begin tester ! {on_load, v(), erlang:module_loaded(co)}, ok end"), v(co)} end),
    t(told, fun() -> receive T -> T after 60000 -> none end end),
    t(other_atom, fun() -> {L(co, 2, "not_ok"), v(co), erlang:check_old_code(co)} end),
    t(term, fun() -> {L(co, 2, "{not_ok, 1}"), v(co), erlang:check_old_code(co)} end),
    t(error, fun() -> {L(co, 2, "erlang:error(failed)"), v(co), erlang:check_old_code(co)} end),
    t(exit, fun() -> {L(co, 2, "exit(failed)"), v(co)} end),
    t(kill, fun() -> {L(co, 2, "exit(self(), kill)"), v(co)} end),
    t(new_failing, fun() -> {L(cp, 1, "failed"), v(cp), code:is_loaded(cp), erlang:module_loaded(cp)} end),
    t(replaced, fun() -> {L(co, 3, "ok"), v(co), erlang:check_old_code(co)} end),
    t(not_purged, fun() -> {L(co, 4, "begin tester ! ran, ok end"), v(co)} end),
    t(not_run, fun() -> receive T -> T after 0 -> nothing end end),
    t(purge, fun() -> {code:purge(co), L(co, 5, "ok"), v(co)} end),
    t(call_of_itself, fun() -> {L(cq, 1, "begin tester ! (catch cq:v()), ok end"), v(cq)} end),
    t(told, fun() -> receive {'EXIT', {undef, [{M, F, A, _} | _]}} -> {M, F, A} after 60000 -> none end end),
    write(cr1, 1, "cr2:v() =:= 1 andalso ok"),
    write(cr2, 1, "ok"),
    t(nested, fun() -> {code:load_file(cr1), v(cr1), v(cr2)} end),
    t(module_info, fun() -> {co:module_info(module), proplists:get_value(vsn, co:module_info(attributes))} end).

%% Processes that call a module while its on_load function runs wait for it.
pending() ->
    write(cw, 1, "begin tester ! {running, self()}, receive go -> ok end end"),
    Callers = [spawn_monitor(fun() -> exit({v, v(cw)}) end) || _ <- [1, 2, 3]],
    Running = receive {running, Pid} -> Pid after 60000 -> none end,
    Loader = spawn(fun() -> exit({loaded, code:load_file(cw)}) end),
    t(list, fun() -> code:atomic_load([{cw, "cw", module(cw, 2, none)}]) end),
    t(other, fun() -> code:ensure_loaded(lists) end),
    t(waiting, fun() -> {is_process_alive(Loader), [is_process_alive(P) || {P, _} <- Callers], v(ca)} end),
    Running ! go,
    t(answers, fun() ->
                       [receive {'DOWN', Ref, process, _, Reason} -> Reason after 60000 -> none end || {_, Ref} <- Callers]
               end).

erlang_calls() ->
    t(load_module, fun() -> {erlang:load_module(cx, module(cx, 1, none)), cx:v()} end),
    t(load_module_bad, fun() -> {erlang:load_module(cx, <<>>), erlang:load_module(cx, module(ca, 1, none))} end),
    t(load_module_badarg, fun() -> erlang:load_module(cx, cx) end),
    t(module_loaded, fun() -> [erlang:module_loaded(M) || M <- [cx, nosuch, lists]] end),
    t(module_loaded_badarg, fun() -> erlang:module_loaded("cx") end),
    t(loaded, fun() -> [lists:member(M, erlang:loaded()) || M <- [cx, nosuch]] end),
    t(exported, fun() -> [erlang:function_exported(cx, F, 0) || F <- [v, w, module_info]] end),
    t(delete, fun() -> {erlang:delete_module(cx), erlang:module_loaded(cx), erlang:check_old_code(cx)} end),
    t(exported, fun() -> [erlang:function_exported(cx, F, 0) || F <- [v, w, module_info]] end),
    t(purge, fun() -> {code:purge(cx), erlang:check_old_code(cx), erlang:delete_module(cx)} end).

stock() ->
    t(which, fun() -> [code:which(M) || M <- [lists, code, nosuch]] end),
    t(lib_dir, fun() -> {code:lib_dir(stdlib), code:lib_dir(nosuch), code:priv_dir(stdlib)} end),
    t(root, fun() -> {code:root_dir(), code:objfile_extension()} end),
    t(mode, fun() -> code:get_mode() end),
    t(load_stock, fun() -> {code:load_file(lists), code:purge(lists)} end).
