%% What file:rename/2 says of names that cannot be moved.
-module(r_rename_root).
-export([main/0]).

main() ->
    Folder = "r_rename_root." ++ os:getpid(),
    ok = file:make_dir(Folder),
    ok = file:write_file(Folder ++ "/f", <<"x">>),
    To = [Folder ++ "/x", Folder ++ "/none/x", Folder ++ "/f", Folder, "/", ""],
    [io:format("~s ~p~n", [From, [file:rename(From, Name) || Name <- To]]) || From <- ["/", "//", "/.", "/nowhere"]],
    io:format("~p~n", [[file:rename(Folder, Folder ++ "/sub"), file:rename(Folder ++ "/f", Folder),
                        file:rename(Folder, Folder ++ "/f"), file:rename(Folder ++ "/f", Folder ++ "/g")]]),
    ok = file:delete(Folder ++ "/g"),
    ok = file:del_dir(Folder).
