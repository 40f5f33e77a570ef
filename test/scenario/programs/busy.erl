%% Halts with status 7 after some milliseconds, while threads of all kinds are busy.
-module(busy).
-export([main/1]).

main([Milliseconds, Folder]) ->
    [spawn(fun() -> forever(fun() -> work(I rem 6, filename:join(Folder, integer_to_list(I))) end) end)
     || I <- lists:seq(1, 24)],
    Halt = fun() -> receive after list_to_integer(Milliseconds) -> halt(7) end end,
    [spawn(Halt) || _ <- lists:seq(1, 3)],
    Halt().

forever(F) -> F(), forever(F).

work(0, File) -> ok = file:write_file(File, binary:copy(<<"0123456789">>, 20000)), {ok, _} = file:read_file(File);
work(1, _) -> B = binary:copy(<<"compress me ">>, 30000), zlib:uncompress(zlib:compress(B));
work(2, _) -> T = lists:seq(1, 20000), T = binary_to_term(term_to_binary(T));
work(3, _) ->
    {_, M} = spawn_monitor(fun() ->
        [spawn_link(fun() -> receive x -> ok end end) || _ <- lists:seq(1, 50)],
        exit(enough)
    end),
    receive {'DOWN', M, _, _, _} -> ok end;
work(4, _) ->
    T = ets:new(t, [{write_concurrency, true}]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, 2000)]),
    ets:delete(T);
work(5, _) -> io:put_chars("a line\n"), erlang:garbage_collect(), file:list_dir("/usr/lib").
