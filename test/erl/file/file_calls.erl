%% Files and directories by prim_file and file: every function with ordinary, boundary and bad arguments.
-module(file_calls).
-export([main/0]).
-include("../bif/c.hrl").

main() ->
    Dir = "/tmp/viv_file_calls",
    _ = file:del_dir_r(Dir),
    ok = file:make_dir(Dir),
    ok = file:set_cwd(Dir),
    names(), opening(), handles(), reading(), whole(), directories(), links(), attributes(), buffered(),
    file:set_cwd("/"),
    file:del_dir_r(Dir).

names() ->
    each(prim_file, internal_name2native, ["abc", [$a, 246, 1024], <<"abc">>, abc, [abc, "d"], [$a, 0, $b], [$a, 0], <<"a", 0, "b">>, "", ["a", <<"b">>],
                                           [16#d800], [$a | b]]),
    each(prim_file, internal_native2name, [<<"abc">>, <<"abc", 195, 182>>, <<"abc", 246>>, <<"e", 204, 129>>, "abc", <<1:3>>]),
    each(prim_file, internal_normalize_utf8, [<<"e", 204, 129>>, <<"e", 255>>]),
    each(prim_file, is_translatable, [<<"abc">>, <<"abc", 255>>, abc]).

opening() ->
    file:write_file("there", "0123456789"),
    [io:format("~0p ~0p ~0p~n", [N, M, opened(N, M)])
     || N <- ["there", ".", "missing_dir/x", "there/x", <<"there">>, foo, "/dev/null", ""],
        M <- [[], [raw], [read], [foo, read], [read, directory], [write, exclusive], [append], foo, [read, write]], N =/= "" orelse M =/= foo].

opened(N, M) ->
    case prim_file:open(N, M) of
        {ok, Fd} -> {ok, prim_file:close(Fd)};
        Error -> Error
    end.

handles() ->
    {ok, F} = prim_file:open("data", [read, write]),
    P = fun(Fun, Args) -> io:format("~p ~0P -> ~0p~n", [Fun, Args, 20, catch_error(fun() -> apply(prim_file, Fun, [F | Args]) end)]) end,
    [P(Fun, Args) || {Fun, Args} <-
        [{write, [<<"hello world">>]}, {write, [["io", [<<"list">>], $s]]}, {write, [foo]}, {position, [0]}, {read, [5]}, {read, [0]}, {read, [-1]}, {read, [100]}, {read, [1]},
         {position, [{bof, 3}]}, {position, [{cur, 2}]}, {position, [cur]}, {position, [{eof, -2}]}, {position, [eof]}, {position, [-1]}, {position, [{foo, 0}]},
         {position, [1 bsl 80]}, {pread, [0, 5]}, {pread, [100000, 5]}, {pread, [-1, 5]}, {pread, [[{0, 2}, {3, 2}, {100, 1}]]}, {pwrite, [2, "XX"]}, {pwrite, [-5, "a"]},
         {pwrite, [[{0, "A"}, {5, <<"B">>}]]}, {pread, [0, 100]}, {position, [4]}, {truncate, []}, {pread, [0, 100]}, {allocate, [0, 100]}, {allocate, [-1, 5]}, {position, [eof]},
         {advise, [0, 0, normal]}, {advise, [0, 10, will_need]}, {advise, [0, 0, foo]}, {advise, [-1, 1, normal]}, {sync, []}, {datasync, []},
         {pwrite, [0, <<5:32, 8:32, "hello">>]}, {ipread_s32bu_p32bu, [0, 100]}, {ipread_s32bu_p32bu, [0, 3]}, {ipread_s32bu_p32bu, [0, infinity]},
         {pwrite, [0, <<0:32, 8:32>>]}, {ipread_s32bu_p32bu, [0, 100]}, {pwrite, [0, <<5:32, 8888:32>>]}, {ipread_s32bu_p32bu, [0, 100]}, {ipread_s32bu_p32bu, [200, 100]},
         {close, []}, {close, []}, {read, [1]}, {write, ["a"]}, {sync, []}]],
    {ok, R} = prim_file:open("there", [read]),
    io:format("~0p~n", [[prim_file:write(R, "a"), prim_file:truncate(R), prim_file:pwrite(R, 0, "a"), prim_file:close(R)]]),
    {ok, A} = prim_file:open("there", [append]),
    io:format("~0p~n", [[prim_file:write(A, "a"), prim_file:read(A, 1), prim_file:close(A), prim_file:read_file("there")]]).

catch_error(F) -> try F() catch error:E -> E end.

reading() ->
    file:write_file("lines", ["first\n", "second\r\n", lists:duplicate(5000, $x), "\n\nlast"]),
    [begin
         {ok, F} = prim_file:open("lines", [read | M]),
         L = lines(F),
         io:format("~0p ~0p ~0p~n", [M, [byte_size(X) || X <- L], erlang:phash2(L)]),
         prim_file:close(F)
     end || M <- [[], [{read_ahead, 10}], [read_ahead], [{read_ahead, 100000}]]].

lines(F) ->
    case prim_file:read_line(F) of
        {ok, L} -> [L | lines(F)];
        eof -> []
    end.

whole() ->
    [io:format("~0p~n", [prim_file:read_file(N)]) || N <- ["there", "missing", ".", "/dev/null", foo, <<"a", 0>>]],
    Big = binary:copy(<<"0123456789">>, 100000),
    io:format("~0p~n", [[prim_file:write_file("big", Big), element(2, prim_file:read_file("big")) =:= Big, prim_file:write_file("x/y", "a"),
                         prim_file:write_file("big", foo)]]).

directories() ->
    F = fun(Fun, Args) -> io:format("~p ~0p -> ~0p~n", [Fun, Args, catch_error(fun() -> sorted(apply(prim_file, Fun, Args)) end)]) end,
    file:write_file("f", ""),
    [F(Fun, Args) || {Fun, Args} <-
        [{make_dir, ["d"]}, {make_dir, ["d"]}, {make_dir, ["x/y"]}, {make_dir, ["f/y"]}, {list_dir, ["d"]}, {list_dir, ["nono"]}, {list_dir, ["f"]}, {del_dir, ["."]}, {del_dir, ["f"]},
         {del_dir, ["nono"]}, {delete, ["d"]}, {delete, ["nono"]}, {rename, ["f", "d"]}, {rename, ["d", "f"]}, {rename, ["nono", "d"]}, {rename, ["f", "g"]}, {rename, ["d", "d/e"]},
         {rename, ["d", "e"]}, {del_dir, ["e"]}, {list_dir, ["."]}, {list_dir_all, ["."]}, {set_cwd, ["nono"]}, {set_cwd, ["f"]}, {get_cwd, []}, {get_cwd, ["A:"]}, {get_cwd, [foo]},
         {altname, ["g"]}, {make_dir, [foo]}, {delete, [[]]}]].

sorted({ok, [N | _] = L}) when is_list(N) -> {ok, lists:sort(L)};
sorted(R) -> R.

links() ->
    F = fun(Fun, Args) -> io:format("~p ~0p -> ~0p~n", [Fun, Args, catch_error(fun() -> apply(prim_file, Fun, Args) end)]) end,
    [F(Fun, Args) || {Fun, Args} <-
        [{make_symlink, ["there", "sym"]}, {make_symlink, ["there", "sym"]}, {read_link, ["sym"]}, {read_link, ["there"]}, {read_link, ["nono"]}, {read_link_all, ["sym"]},
         {make_link, ["there", "hard"]}, {make_link, ["there", "hard"]}, {make_link, [".", "dirlink"]}, {make_link, ["nono", "x"]}, {make_symlink, ["nono", "dangling"]},
         {read_file_info, ["dangling"]}]],
    [io:format("~0p~n", [setelement(4, element(2, prim_file:Fun(N, [{time, posix}])), x) =:= x]) || {Fun, N} <- [{read_link_info, "dangling"}]].

attributes() ->
    I = fun(N) ->
            case prim_file:read_file_info(N, [{time, posix}]) of
                {ok, T} -> [element(X, T) || X <- [1, 2, 3, 4, 5, 6, 8, 9]];
                E -> E
            end
        end,
    Info = fun(Mode, A, M) -> {file_info, undefined, undefined, undefined, A, M, M, Mode, undefined, undefined, undefined, undefined, undefined, undefined} end,
    io:format("~0p~n", [[prim_file:write_file_info("there", Info(M, A, T), [{time, posix}])
                         || {M, A, T} <- [{8#100644, 5, 7}, {8#600, 1000000000, 2000000000}, {undefined, 1, 1}, {a, 1, 1}, {8#644, b, 1}]]]),
    io:format("~0p~n", [[I("there"), I("nono"), I(foo)]]),
    {ok, F} = prim_file:open("there", [read]),
    {ok, H} = prim_file:read_handle_info(F, [{time, posix}]),
    io:format("~0p~n", [[element(X, H) || X <- [1, 2, 3, 4, 5, 6, 8, 9]]]),
    prim_file:close(F),
    io:format("~0p~n", [[element(3, element(2, prim_file:read_file_info(N))) || N <- [".", "/dev/null", "there"]]]).

%% Through file servers and their processes.
buffered() ->
    {ok, F} = file:open("io", [write, read, binary]),
    io:format("~0p~n", [[file:write(F, "hello\nworld\n"), file:position(F, bof), file:read_line(F), file:read(F, 3), file:position(F, cur), io:get_line(F, ''), file:read(F, 1), file:close(F),
                         catch_error(fun() -> file:read(F, 1) end)]]),
    {ok, D} = file:open("delayed", [write, raw, delayed_write]),
    io:format("~0p~n", [[file:write(D, "a"), file:write(D, "b"), file:close(D), file:read_file("delayed")]]),
    {ok, U} = file:open("utf8", [write, {encoding, utf8}]),
    io:put_chars(U, [1024, $a, 246]),
    file:close(U),
    {ok, R} = file:open("utf8", [read, {encoding, utf8}]),
    io:format("~0p~n", [[file:read_file("utf8"), io:get_chars(R, '', 10), file:close(R)]]),
    file:write_file("terms", "{a,1}.\n[b|\"c\"].\n"),
    io:format("~0p~n", [[file:consult("terms"), file:consult("nono"), file:copy("terms", "copied"), file:read_file("copied")]]).
