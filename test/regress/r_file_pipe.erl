%% What is read of a pipe is as much as was asked for, however it comes, or all up to its end.
-module(r_file_pipe).
-export([main/0]).

main() ->
    Pipe = filename:join(os:getenv("TMPDIR", "/tmp"), "r_file_pipe." ++ os:getpid()),
    "" = os:cmd("mkfifo " ++ Pipe),
    [io:format("~p: ~p~n", [Modes, read(Pipe, Modes)]) || Modes <- [[], [raw], [raw, read_ahead], [raw, {read_ahead, 4}]]],
    ok = file:delete(Pipe).

read(Pipe, Modes) ->
    Reader = self(),
    Writer = spawn_link(fun() ->
        {ok, Out} = file:open(Pipe, [write, raw]),
        ok = file:write(Out, "abc"),
        receive two_are_read -> timer:sleep(50) end, % so that one is taken who does not wait
        [ok = file:write(Out, Bytes) || Bytes <- ["de", "fghi"]],
        ok = file:close(Out),
        Reader ! closed
    end),
    {ok, In} = file:open(Pipe, [read, binary | Modes]),
    [Writer ! two_are_read || Modes =/= [raw]], % who has a buffer reads more at once
    First = file:read(In, 2),
    Writer ! two_are_read,
    Second = file:read(In, 100),
    receive closed -> ok end,
    Answers = [First, Second, file:read(In, 1), file:read(In, 100)],
    ok = file:close(In),
    Answers.
