%% Files and folders.
-module(stdlib_files).
-include_lib("kernel/include/file.hrl").
-export([main/0]).
-include("../t.hrl").

main() ->
    Dir = "/tmp/viv_test_files_" ++ os:getpid(),
    file:del_dir_r(Dir),
    ok = file:make_dir(Dir),
    ok = file:set_cwd(Dir),
    t(whole, fun() -> {file:write_file("a", ["x", <<"y">>, [$z]]), file:read_file("a"), file:write_file("a", "more", [append]), file:read_file("a")} end),
    t(errors, fun() -> [file:read_file("none"), file:make_dir("a"), file:delete("none"), file:list_dir("none"), file:open("none", [read]), file:read_file(""), file:write_file("/proc/x", "")] end),
    t(raw, fun() -> with("a", [raw, read, binary], fun(F) -> [file:read(F, 2), file:position(F, {eof, -2}), file:read(F, 10), file:read(F, 1), file:pread(F, 1, 2), file:pread(F, [{0, 1}, {3, 2}])] end) end),
    t(cooked, fun() -> with("a", [read], fun(F) -> [io:get_chars(F, "", 2), file:position(F, cur), io:get_line(F, ""), io:get_line(F, ""), file:position(F, bof), file:read(F, 3)] end) end),
    t(write, fun() -> with("b", [write, read], fun(F) -> [io:format(F, "~p.~n~p.~n", [{a, 1}, "s"]), file:pwrite(F, 1, "A"), file:position(F, bof), file:read(F, 100), file:truncate(F)] end) end),
    t(lines, fun() -> file:write_file("l", "one\ntwo\r\nthree"), with("l", [read, raw, read_ahead], fun(F) -> [file:read_line(F) || _ <- lists:seq(1, 4)] end) end),
    t(utf8, fun() -> with("u", [write, {encoding, utf8}], fun(F) -> io:put_chars(F, [955, $\n]) end), {file:read_file("u"), with("u", [read, {encoding, utf8}], fun(F) -> io:get_line(F, "") end)} end),
    t(delayed, fun() -> with("d", [raw, write, delayed_write], fun(F) -> [file:write(F, <<N>>) || N <- "abc"] end), file:read_file("d") end),
    t(compressed, fun() -> with("z", [write, compressed], fun(F) -> file:write(F, lists:duplicate(1000, $x)) end), {ok, B} = file:read_file("z"), {byte_size(B) < 100, with("z", [read, compressed], fun(F) -> file:read(F, 5) end)} end),
    t(consult, fun() -> file:write_file("c", "{a, 1}.\n[b]. \"x\".\n"), {file:consult("c"), file:write_file("c", "{a,"), file:consult("c")} end),
    t(script, fun() -> file:write_file("s", "X = 1 + Y, [X]."), file:script("s", [{'Y', 41}]) end),
    t(info, fun() -> {ok, I} = file:read_file_info("a"), {I#file_info.size, I#file_info.type, I#file_info.access, element(1, I#file_info.mtime) > {2020, 1, 1}} end),
    t(mode, fun() -> ok = file:change_mode("a", 8#600), {ok, I} = file:read_file_info("a", [{time, posix}]), I#file_info.mode band 8#777 end),
    t(times, fun() -> ok = file:write_file_info("a", #file_info{mtime = 1000000000}, [{time, posix}]), {ok, I} = file:read_file_info("a", [{time, posix}]), I#file_info.mtime end),
    t(links, fun() -> {file:make_symlink("a", "sym"), file:read_link("sym"), element(3, element(2, file:read_link_info("sym"))), file:make_link("a", "hard"), file:read_file("hard")} end),
    t(copy, fun() -> {file:copy("a", "a2"), file:rename("a2", "a3"), lists:sort(element(2, file:list_dir(".")))} end),
    t(wildcard, fun() -> ok = filelib:ensure_dir("x/y/f"), ok = file:write_file("x/y/f.erl", ""), {filelib:wildcard("**/*.erl"), filelib:wildcard("[ab]*"), filelib:is_dir("x"), filelib:is_regular("a"), filelib:file_size("a"), filelib:fold_files(".", "\\.erl$", true, fun(F, A) -> [F | A] end, [])} end),
    t(big, fun() -> Data = binary:copy(<<"0123456789abcdef">>, 100000), ok = file:write_file("big", Data), {ok, Back} = file:read_file("big"), {Back =:= Data, with("big", [raw, binary], fun(F) -> {ok, B} = file:pread(F, 800000, 16), B end)} end),
    t(two_owners, fun() -> {ok, F} = file:open("a", [read]), Self = self(), spawn(fun() -> Self ! {got, file:read(F, 2)} end), R = receive {got, X} -> X end, {R, file:close(F), file:read(F, 1)} end),
    t(owner_dies, fun() -> Self = self(), {P, M} = spawn_monitor(fun() -> {ok, F} = file:open("a", [read]), Self ! F end), F = receive X -> X end, receive {'DOWN', M, _, P, _} -> ok end, G = monitor(process, F), receive {'DOWN', G, _, F, _} -> is_process_alive(F) end end),
    t(remove, fun() -> {file:del_dir("x"), file:del_dir_r("x"), file:delete("a"), file:set_cwd("/"), file:del_dir_r(Dir), file:get_cwd()} end),
    t(formats, fun() -> [file:format_error(E) || E <- [enoent, eacces, badarg, {1, erl_parse, "text"}]] end).

with(Name, Modes, Fun) ->
    {ok, F} = file:open(Name, Modes),
    R = Fun(F),
    file:close(F),
    R.
