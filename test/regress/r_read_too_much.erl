%% Who asks for more bytes of a file than there is memory for is told so, and the file is as it was.
-module(r_read_too_much).
-export([main/0]).

main() ->
    Name = "r_read_too_much.data",
    ok = file:write_file(Name, <<"hello">>),
    {ok, File} = file:open(Name, [read, raw, binary]),
    {ok, Prim} = prim_file:open(Name, [read, binary]),
    io:format("~p~n", [[file:pread(File, 0, 1 bsl B) || B <- [44, 50, 57]]]),
    io:format("~p~n", [[file:read(File, 1 bsl B) || B <- [44, 50, 57]]]),
    io:format("~p~n", [prim_file:pread(Prim, 0, 1 bsl 56)]),
    io:format("~p~n", [file:read(File, 5)]),
    ok = file:close(File),
    ok = prim_file:close(Prim),
    whole(Name),
    ok = file:delete(Name).

%% A file that says it is that large, where the file system has such.
whole(Name) ->
    {ok, File} = file:open(Name, [write, raw, binary]),
    Sparse = [file:position(File, 1 bsl 43), file:truncate(File)],
    ok = file:close(File),
    case Sparse of
        [{ok, _}, ok] -> io:format("~p~n", [file:read_file(Name)]);
        _ -> io:format("~p~n", [{error, enomem}])
    end.
