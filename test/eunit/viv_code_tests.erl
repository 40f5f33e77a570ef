%% The loader of modules and its gates.
%% Not under leaks: it asks how the program was started.
-module(viv_code_tests).
-include_lib("eunit/include/eunit.hrl").

module(Name, Extra) ->
    Forms = [{attribute, 1, module, Name}, {attribute, 1, export, [{f, 0}]} | Extra] ++
        [{function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, Name}]}]}],
    {ok, Name, Code} = compile:forms(Forms, [deterministic]),
    Code.

on_load(Name, Body) ->
    module(Name, [{attribute, 1, on_load, {init, 0}}, {function, 1, init, 0, [{clause, 1, [], [], Body}]}]).

known_test() ->
    ?assertEqual({module, lists}, viv_code:ensure_loaded(lists)),
    ?assertEqual({module, ?MODULE}, viv_code:ensure_loaded(?MODULE)),
    ?assertEqual({module, viv_code}, viv_code:ensure_loaded(viv_code)),
    ?assertEqual({error, nofile}, viv_code:ensure_loaded(no_such_module)).

searched_test() ->
    Path = viv_code:searched(),
    ?assert(lists:member(".", Path)),
    [Stdlib] = [D || D <- Path, string:find(D, "/stdlib-") =/= nomatch],
    ?assert(filelib:is_regular(filename:join(Stdlib, "lists.beam"))),
    ?assertEqual(lists:usort(Path), lists:sort(Path)).

loaded_test() ->
    Loaded = viv_code:loaded(),
    ?assert(lists:all(fun({M, File}) -> is_atom(M) andalso is_list(File) end, Loaded)),
    {_, File} = lists:keyfind(eunit_counts, 1, Loaded),
    ?assertEqual("eunit_counts.beam", filename:basename(File)).

library_paths_test() ->
    Root = code:root_dir(),
    Paths = viv_code:library_paths(Root),
    [?assert(lists:prefix(Root, P)) || P <- Paths],
    ?assertMatch({match, _}, re:run(hd(Paths), "/stdlib-[0-9.]+/ebin$")),
    ?assertEqual([], viv_code:library_paths("/no/such/folder")),
    ?assertError(badarg, viv_code:library_paths(atom)).

%% Of several versions the highest counts, by numbers.
versions_test() ->
    Root = "/tmp/viv_code_tests_" ++ os:getpid(),
    [ok = filelib:ensure_dir(filename:join([Root, "lib", App, "ebin", "x"]))
     || App <- ["a-1.9", "a-1.10", "a-1.2.3", "b", "ab-1.0", "kernel-1", "stdlib-2"]],
    Found = [filename:basename(filename:dirname(P)) || P <- viv_code:library_paths(Root)],
    ?assertEqual(["stdlib-2", "kernel-1"], lists:sublist(Found, 2)),
    ?assertEqual(["a-1.10", "ab-1.0", "b"], lists:sort(lists:nthtail(2, Found))),
    ok = file:del_dir_r(Root).

read_first_test() ->
    Root = "/tmp/viv_code_tests_" ++ os:getpid(),
    [begin
         ok = filelib:ensure_dir(filename:join([Root, D, "x"])),
         ok = file:write_file(filename:join([Root, D, F]), D)
     end || {D, F} <- [{"one", "f"}, {"two", "f"}, {"two", "g"}]],
    Dirs = [filename:join(Root, D) || D <- ["none", "one", "two"]],
    ?assertEqual({ok, Root ++ "/one/f", <<"one">>}, viv_code:read_first(Dirs, "f")),
    ?assertEqual({ok, Root ++ "/two/g", <<"two">>}, viv_code:read_first(Dirs, "g")),
    ?assertEqual(none, viv_code:read_first(Dirs, "h")),
    ?assertEqual(none, viv_code:read_first([], "f")),
    ?assertEqual(none, viv_code:read_first([Root], "one")), % a folder
    ?assertError(badarg, viv_code:read_first([x], "f")),
    ok = file:del_dir_r(Root).

load_binary_test() ->
    ?assertEqual({module, vc_one}, viv_code:load_binary(vc_one, module(vc_one, []))),
    ?assertEqual(vc_one, vc_one:f()),
    ?assertEqual({error, badfile}, viv_code:load_binary(vc_bad, <<"no code">>)),
    ?assertEqual({error, badfile}, viv_code:load_binary(vc_other, module(vc_two, []))),
    ?assertEqual({module, vc_one}, viv_code:load_binary(vc_one, module(vc_one, []))).

on_load_test() ->
    ?assertEqual({module, vc_ok}, viv_code:load_binary(vc_ok, on_load(vc_ok, [{atom, 1, ok}]))),
    ?assertEqual(vc_ok, vc_ok:f()),
    ?assertEqual({error, on_load_failure}, viv_code:load_binary(vc_no, on_load(vc_no, [{atom, 1, no}]))),
    ?assertError(undef, vc_no:f()),
    Fails = [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, error}}, [{atom, 1, oops}]}],
    ?assertEqual({error, on_load_failure}, viv_code:load_binary(vc_fails, on_load(vc_fails, Fails))),
    ?assertNot(erlang:module_loaded(vc_fails)).

fun_is_loaded_test() ->
    X = rand:uniform(),
    ?assert(viv_code:fun_is_loaded(fun() -> X end)),
    ?assert(viv_code:fun_is_loaded(fun lists:reverse/1)),
    ?assertNot(viv_code:fun_is_loaded(fun no_such_module:f/1)),
    ?assertError(badarg, viv_code:fun_is_loaded(x)).

%% Many want the same module: it is loaded once, for all.
together_test() ->
    code:purge(queue), code:delete(queue), code:purge(queue),
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), queue:to_list(queue:from_list([N]))} end) || N <- lists:seq(1, 100)],
    ?assertEqual([[N] || N <- lists:seq(1, 100)], [receive {Pid, L} -> L end || Pid <- Pids]).

%% The stock code server, behind the same names.
stock_test() ->
    ?assertEqual({module, dict}, code:ensure_loaded(dict)),
    ?assertEqual({error, nofile}, code:ensure_loaded(no_such_module)),
    ?assertMatch({file, _}, code:is_loaded(lists)),
    ?assertEqual(filename:dirname(code:which(lists)), code:lib_dir(stdlib, ebin)),
    ?assertEqual({error, bad_name}, code:lib_dir(no_such_application)),
    ?assertEqual(code:root_dir() ++ "/lib", code:lib_dir()),
    ?assertEqual(non_existing, code:which(no_such_module)),
    Folder = "/tmp/viv_code_tests_path_" ++ os:getpid(),
    ok = filelib:ensure_dir(Folder ++ "/x"),
    ok = file:write_file(Folder ++ "/vc_added.beam", module(vc_added, [])),
    ?assertError(undef, vc_added:f()),
    true = code:add_patha(Folder),
    ?assertEqual(vc_added, vc_added:f()), % error_handler looks there too
    ?assertEqual(Folder ++ "/vc_added.beam", code:which(vc_added)),
    true = code:del_path(Folder),
    ok = file:del_dir_r(Folder).

%% What stands behind a gate is ready when it is there.
gates_test() ->
    ?assertEqual({ok, notice}, application:get_env(kernel, logger_level)),
    ?assertMatch({ok, #{id := default}}, logger:get_handler_config(default)),
    ?assertNotEqual(undefined, ets:whereis(ac_tab)),
    %% Opening twice, or what never was closed, is nothing.
    ok = viv_code:opened(logger),
    ok = viv_code:opened(no_such_gate),
    ?assertEqual({module, logger}, viv_code:ensure_loaded(logger)).

%% Messages that nobody sends do no harm.
strange_messages_test() ->
    viv_code ! hello,
    viv_code ! {timeout, make_ref(), {gate, none}},
    ?assertMatch([_ | _], viv_code:searched()).
