%% The I/O protocol, on servers whose file descriptors belong to files. Source: "The Erlang I/O Protocol", stdlib.
-module(viv_io_tests).
-include_lib("eunit/include/eunit.hrl").
-export([upto/3, fails/1, bad/0]).

%% -> Result of Fun(Server), and what was written.
with(Input, Encoding, Fun) ->
    Folder = filename:join("/tmp", "viv_io_tests_" ++ os:getpid()),
    ok = filelib:ensure_dir(filename:join(Folder, "x")),
    Unique = integer_to_list(erlang:unique_integer([positive])),
    InName = filename:join(Folder, "in" ++ Unique),
    OutName = filename:join(Folder, "out" ++ Unique),
    ok = file:write_file(InName, Input),
    {ok, In} = prim_file:open(InName, [read]),
    {ok, Out} = prim_file:open(OutName, [write]),
    Server = viv_io:serve(fd(In), fd(Out), Encoding),
    try
        Result = Fun(Server),
        {ok, Written} = file:read_file(OutName),
        {Result, Written}
    after
        unlink(Server),
        exit(Server, kill),
        ok = prim_file:close(In),
        ok = prim_file:close(Out),
        ok = file:del_dir_r(Folder)
    end.

fd(File) ->
    <<Fd:32/native>> = prim_file:get_handle(File),
    Fd.

request(Server, Request) ->
    Ref = make_ref(),
    Server ! {io_request, self(), Ref, Request},
    receive {io_reply, Ref, Reply} -> Reply after 60000 -> no_reply end.

requests(Server, Requests) -> [request(Server, R) || R <- Requests].

written(Encoding, Requests) ->
    {Replies, Written} = with(<<>>, Encoding, fun(S) -> requests(S, Requests) end),
    {Replies, Written}.

read(Input, Encoding, Requests) ->
    {Replies, <<>>} = with(Input, Encoding, fun(S) -> requests(S, Requests) end),
    Replies.

%% --- output ---

put_chars_test_() ->
    [?_assertEqual({[ok], <<"abc">>}, written(unicode, [R]))
     || R <- [{put_chars, unicode, "abc"}, {put_chars, latin1, "abc"}, {put_chars, unicode, <<"abc">>},
              {put_chars, latin1, <<"abc">>}, {put_chars, unicode, ["a", [<<"b">>], $c]}, {put_chars, "abc"},
              {put_chars, <<"abc">>}, {put_chars, unicode, io_lib, format, ["~s", [abc]]},
              {put_chars, latin1, io_lib, format, ["a~sc", ["b"]]}, {put_chars, lists, append, [["ab", "c"]]}]].

put_nothing_test() -> ?assertEqual({[ok, ok], <<>>}, written(latin1, [{put_chars, unicode, ""}, {put_chars, latin1,
        []}])).

encodings_test_() ->
    [?_assertEqual({[ok], <<"é"/utf8>>}, written(unicode, [{put_chars, unicode, [233]}])),
     ?_assertEqual({[ok], <<"é"/utf8>>}, written(unicode, [{put_chars, latin1, [233]}])),
     ?_assertEqual({[ok], <<"é"/utf8>>}, written(unicode, [{put_chars, latin1, <<233>>}])),
     ?_assertEqual({[ok], <<233>>}, written(latin1, [{put_chars, unicode, [233]}])),
     ?_assertEqual({[ok], <<233>>}, written(latin1, [{put_chars, unicode, <<"é"/utf8>>}])),
     ?_assertEqual({[ok], <<233>>}, written(latin1, [{put_chars, latin1, [233]}])),
     ?_assertEqual({[ok], <<"λ€😀"/utf8>>}, written(unicode, [{put_chars, unicode, "λ€😀"}])),
     ?_assertEqual({[ok], <<"a\\x{3BB}b", 233>>}, written(latin1, [{put_chars, unicode, "aλbé"}]))].

wrong_output_test_() ->
    [?_assertMatch({[{error, _}], <<>>}, written(E, [R]))
     || E <- [latin1, unicode],
        R <- [{put_chars, latin1, [955]}, {put_chars, unicode, <<255>>}, {put_chars, unicode, not_chars},
              {put_chars, unicode, [a]}, {put_chars, unicode, ?MODULE, fails, [1]}, {put_chars, unicode, no_module,
                      f, []},
              {put_chars, unicode, ?MODULE, bad, []}]].

fails(_) -> error(on_purpose).
bad() -> not_chars.

%% The server lives on, and what comes next is right.
after_an_error_test() ->
    ?assertMatch({[{error, _}, {error, _}, ok], <<"x">>},
                 written(unicode, [{put_chars, unicode, bad}, {put_chars, unicode, ?MODULE, fails, [1]},
                                   {put_chars, unicode, "x"}])).

large_output_test() ->
    Big = binary:copy(<<"0123456789">>, 100000),
    ?assertEqual({[ok, ok], <<Big/binary, Big/binary>>}, written(latin1, [{put_chars, latin1, Big},
            {put_chars, unicode, Big}])).

%% --- several requests in one ---

several_test_() ->
    [?_assertEqual({[ok], <<"ab">>}, written(unicode, [{requests, [{put_chars, unicode, "a"}, {put_chars, unicode,
            "b"}]}])),
     ?_assertEqual({[ok], <<>>}, written(unicode, [{requests, []}])),
     ?_assertMatch({[{error, _}], <<"a">>},
                   written(unicode, [{requests, [{put_chars, unicode, "a"}, {put_chars, unicode, x},
                                                 {put_chars, unicode, "b"}]}])),
     ?_assertEqual(["one\n"], read("one\ntwo\n", unicode, [{requests, [{get_line, unicode, ''}]}])),
     ?_assertEqual(["two\n"], read("one\ntwo\n", unicode, [{requests, [{get_line, unicode, ''}, {get_line, unicode,
             ''}]}])),
     ?_assertEqual({[ok], <<"a">>}, written(unicode, [{requests, [{requests, [{put_chars, unicode, "a"}]}]}]))].

%% --- input ---

get_line_test_() ->
    Line = {get_line, unicode, ''},
    [?_assertEqual(["one\n", "two\n", eof], read("one\ntwo\n", unicode, [Line, Line, Line])),
     ?_assertEqual(["one\n", "two", eof, eof], read("one\ntwo", unicode, [Line, Line, Line, Line])),
     ?_assertEqual([eof], read("", unicode, [Line])),
     ?_assertEqual(["\n", "\n", eof], read("\n\n", unicode, [Line, Line, Line])),
     ?_assertEqual(["a\n", "\r\n", "b\rc\n", "d\r"], read("a\r\n\r\r\nb\rc\nd\r", unicode, [Line, Line, Line, Line])),
     ?_assertEqual(["λ\n", eof], read(<<"λ\n"/utf8>>, unicode, [Line, Line])),
     ?_assertEqual([[206, 187, 10]], read(<<"λ\n"/utf8>>, latin1, [Line])),
     ?_assertEqual([[206, 187, 10]], read(<<"λ\n"/utf8>>, latin1, [{get_line, latin1, ''}])),
     ?_assertEqual(["old\n"], read("old\n", latin1, [{get_line, ''}])),
     ?_assertEqual([[233, 10]], read(<<"é\n"/utf8>>, unicode, [{get_line, latin1, ''}])),
     ?_assertMatch([{error, _}], read(<<"λ\n"/utf8>>, unicode, [{get_line, latin1, ''}]))].

get_chars_test_() ->
    [?_assertEqual(["abc", "de\n", eof], read("abcde\n", unicode, [{get_chars, unicode, '', 3} || _ <- "xxx"])),
     ?_assertEqual(["", "", ""], read("", unicode, [{get_chars, unicode, '', 0} || _ <- "xxx"])),
     ?_assertEqual(["ab", eof], read("ab", unicode, [{get_chars, unicode, '', N} || N <- [10, 1]])),
     ?_assertEqual(["λ€", "😀"], read(<<"λ€😀"/utf8>>, unicode, [{get_chars, unicode, '', N} || N <- [2, 1]])),
     ?_assertEqual(["ab", "c\n"], read("abc\n", latin1, [{get_chars, '', 2}, {get_chars, latin1, '', 2}])),
     ?_assertMatch([{error, _}, {error, _}], read("abc", unicode, [{get_chars, unicode, '', -1}, {get_chars, unicode,
             '', a}])),
     ?_assertEqual(["one\n", "tw", "o\n"], read("one\ntwo\n", unicode, [{get_line, unicode, ''}, {get_chars, unicode,
             '', 2},
                                                                         {get_line, unicode, ''}]))].

%% A function for get_until: all up to a character.
upto([], eof, _) -> {done, eof, eof};
upto(Got, eof, _) -> {done, {rest, Got}, eof};
upto(Got, Chars, End) ->
    case lists:splitwith(fun(C) -> C =/= End end, Chars) of
        {More, [End | Rest]} -> {done, Got ++ More, Rest};
        {More, []} -> {more, Got ++ More}
    end.

get_until_test_() ->
    Until = fun(End) -> {get_until, unicode, '', ?MODULE, upto, [End]} end,
    [?_assertEqual(["one", "two\n", {rest, "x"}, eof], read("one;two\n;x", unicode, [Until($;) || _ <- "xxxx"])),
     ?_assertEqual(["one", "two\n"], read("one;two\n", unicode, [Until($;), {get_line, unicode, ''}])),
     ?_assertEqual([{ok, [{atom, 1, ok}, {dot, 1}], 2}], read("ok.\n", unicode, [{get_until, unicode, '', erl_scan,
             tokens, [1]}])),
     ?_assertEqual(["old"], read("old;", latin1, [{get_until, '', ?MODULE, upto, [$;]}])),
     ?_assertMatch([{error, _}], read("a", unicode, [{get_until, unicode, '', ?MODULE, no_function, []}])),
     ?_assertMatch([{error, _}], read("a", unicode, [{get_until, unicode, '', no_module, f, []}]))].

prompt_test_() ->
    Ask = fun(Prompt) -> with("a\n", unicode, fun(S) -> request(S, {get_line, unicode, Prompt}) end) end,
    [?_assertEqual({"a\n", <<>>}, Ask('')), ?_assertEqual({"a\n", <<>>}, Ask("")), ?_assertEqual({"a\n", <<"? ">>},
            Ask("? ")),
     ?_assertEqual({"a\n", <<"ask">>}, Ask(ask)), ?_assertEqual({"a\n", <<"b? ">>}, Ask(<<"b? ">>)),
     ?_assertEqual({"a\n", <<"1> ">>}, Ask({format, "~p> ", [1]})), ?_assertEqual({"a\n", <<"λ"/utf8>>}, Ask("λ"))].

large_input_test() ->
    Lines = [lists:duplicate(N rem 200, $x) ++ "\n" || N <- lists:seq(1, 3000)],
    ?assertEqual(Lines, read(Lines, unicode, [{get_line, unicode, ''} || _ <- Lines])).

%% Characters of several bytes that stand on the border of what is read at once.
split_characters_test() ->
    Chars = lists:duplicate(70000, $€) ++ "\n",
    ?assertEqual([[$a | Chars]], read(unicode:characters_to_binary([$a | Chars]), unicode,
                                      [{get_line, unicode, ''}])).

%% Input that is no UTF-8.
not_utf8_test_() ->
    [?_assertMatch([{error, _}], read(<<255, "\n">>, unicode, [{get_line, unicode, ''}])),
     ?_assertMatch([{error, _}], read(<<"a", 16#E2, 16#82>>, unicode, [{get_line, unicode, ''}])),
     ?_assertEqual([[255, 10]], read(<<255, "\n">>, latin1, [{get_line, latin1, ''}]))].

%% --- options ---

options_test_() ->
    Get = fun(E, Before) ->
                  {[_ | [Options]], <<>>} = written(E, [Before, getopts]),
                  [lists:keyfind(K, 1, Options) || K <- [binary, encoding, echo]]
          end,
    [?_assertEqual([{binary, false}, {encoding, unicode}, {echo, true}], Get(unicode, getopts)),
     ?_assertEqual([{binary, false}, {encoding, latin1}, {echo, true}], Get(latin1, getopts)),
     ?_assertEqual([{binary, true}, {encoding, latin1}, {echo, true}], Get(latin1, {setopts, [binary]})),
     ?_assertEqual([{binary, true}, {encoding, unicode}, {echo, true}],
                   Get(latin1, {setopts, [{binary, true}, {encoding, unicode}]})),
     ?_assertEqual([{binary, false}, {encoding, unicode}, {echo, true}],
                   Get(latin1, {setopts, [list, {encoding, utf8}]})),
     ?_assertEqual([{binary, false}, {encoding, latin1}, {echo, false}], Get(unicode, {setopts, [{encoding, latin1},
             {echo, false}]}))].

%% A bad option changes nothing.
bad_options_test_() ->
    [?_test(begin
                {[Reply, Options, Again], <<>>} = written(latin1, [{setopts, [binary, Bad]}, getopts, {setopts, []}]),
                ?assertMatch({error, _}, Reply),
                ?assertEqual({binary, false}, lists:keyfind(binary, 1, Options)),
                ?assertEqual(ok, Again)
            end)
     || Bad <- [{encoding, ebcdic}, {colour, red}, loud, {binary, maybe_so}, {echo, 1}]].

binary_mode_test_() ->
    Binary = {setopts, [binary]},
    [?_assertEqual([ok, <<"one\n">>, <<"tw">>], read("one\ntwo", unicode, [Binary, {get_line, unicode, ''},
            {get_chars, unicode, '', 2}])),
     ?_assertEqual([ok, <<"λ\n"/utf8>>], read(<<"λ\n"/utf8>>, unicode, [Binary, {get_line, unicode, ''}])),
     ?_assertEqual([ok, <<233, 10>>], read(<<"é\n"/utf8>>, unicode, [Binary, {get_line, latin1, ''}])),
     ?_assertEqual([ok, eof, <<>>], read("", unicode, [Binary, {get_line, unicode, ''}, {get_chars, unicode, '',
             0}])),
     ?_assertEqual([ok, <<"a\n">>, ok, "b\n"], read("a\nb\n", unicode, [Binary, {get_line, unicode, ''},
             {setopts, [list]},
                                                                     {get_line, unicode, ''}]))].

%% The encoding changes for what comes next.
encoding_changes_test() ->
    ?assertEqual(["λ", ok, [206], ok], read(<<"λλ"/utf8>>, unicode, [{get_chars, unicode, '', 1},
                                                                     {setopts, [{encoding, latin1}]},
                                                                       {get_chars, unicode, '', 1},
                                                                               {setopts, [{encoding, unicode}]}])).

%% --- what there is not ---

others_test_() ->
    [?_assertEqual({[{error, enotsup}], <<>>}, written(unicode, [{get_geometry, columns}])),
     ?_assertEqual({[{error, enotsup}], <<>>}, written(unicode, [{get_geometry, rows}])),
     ?_assertMatch({[{error, _}], <<>>}, written(unicode, [{get_password, unicode}])),
     ?_assertEqual({[{error, request}], <<>>}, written(unicode, [{no_such_request, 1}])),
     ?_assertEqual({[{error, request}], <<>>}, written(unicode, [a_wish]))].

%% Messages that are no requests are not answered and do no harm.
strange_messages_test() ->
    {Reply, <<"x">>} = with("", unicode, fun(S) ->
        S ! hello, S ! {io_request, not_a_pid, ref, getopts}, S ! {io_reply, 1, 2},
        request(S, {put_chars, unicode, "x"}) end),
    ?assertEqual(ok, Reply).

output_only_test() ->
    Server = viv_io:serve(none, 2, unicode),
    ?assertEqual([{error, enotsup} || _ <- "1234"],
                 requests(Server, [{get_line, unicode, ''}, {get_chars, unicode, '', 1}, {get_line, ''},
                                   {get_until, unicode, '', ?MODULE, upto, [$;]}])),
    ?assertEqual([{encoding, unicode}], request(Server, getopts)),
    unlink(Server),
    exit(Server, kill).

%% No file behind the descriptor.
closed_test() ->
    Server = viv_io:serve(1000, 1001, unicode),
    ?assertEqual([{error, ebadf}, {error, ebadf}], requests(Server, [{get_line, unicode, ''}, {put_chars, unicode,
            "x"}])),
    unlink(Server),
    exit(Server, kill).

%% --- through the stock io module ---

io_test_() ->
    With = fun(Input, Fun) -> with(Input, unicode, Fun) end,
    [?_assertEqual({ok, <<"a 1 λ\n"/utf8>>}, With("", fun(S) -> io:format(S, "~p ~b ~ts~n", [a, 1, "λ"]) end)),
     ?_assertEqual({{ok, {a, "b"}}, <<>>}, With("{a, \"b\"}.\n", fun(S) -> io:read(S, '') end)),
     ?_assertEqual({{ok, [1, "two"]}, <<>>}, With("1 two\n", fun(S) -> io:fread(S, '', "~d ~s") end)),
     ?_assertMatch({{error, {1, erl_parse, _}, 2}, <<>>}, With("a b c.\n", fun(S) -> io:read(S, '', 1) end)),
     ?_assertEqual({eof, <<>>}, With("", fun(S) -> io:read(S, '') end)),
     ?_assertEqual({"one\n", <<"? ">>}, With("one\n", fun(S) -> io:get_line(S, "? ") end)),
     ?_assertEqual({"on", <<>>}, With("one\n", fun(S) -> io:get_chars(S, "", 2) end)),
     ?_assertMatch({{ok, [{atom, 1, f} | _], 2}, <<>>}, With("f() ->\n ok.", fun(S) -> io:scan_erl_form(S, '',
             1) end)),
     ?_assertMatch({{ok, [{atom, 1, a}], 1}, <<>>}, With("a.", fun(S) -> io:parse_erl_exprs(S, '', 1) end)),
     ?_assertEqual({{error, enotsup}, <<>>}, With("", fun(S) -> io:columns(S) end)),
     ?_assertEqual({ok, <<"x\n">>}, With("", fun(S) -> ok = io:put_chars(S, "x"), io:nl(S) end)),
     ?_assertEqual({ok, <<"{x,'Y'}">>}, With("", fun(S) -> io:write(S, {x, 'Y'}) end))].

%% As a group leader.
leader_test() ->
    {Result, <<"said\n">>} = with("heard\n", unicode, fun(S) ->
        Self = self(),
        spawn(fun() -> group_leader(S, self()), io:format("said~n"), Self ! {line, io:get_line("")} end),
        receive {line, L} -> L end end),
    ?assertEqual("heard\n", Result).
