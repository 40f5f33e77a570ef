%% What viv trace writes line by line.
-module(viv_see_lines_tests).
-include_lib("eunit/include/eunit.hrl").

%% Names with what separates them in such a file.
folded_test() ->
    File = "viv_see_lines_tests." ++ os:getpid() ++ ".folded",
    Call = fun(Function, Caller) -> #{kind => call, parts => [Function, Caller]} end,
    Lines = lists:foldl(fun viv_see_lines:events/2, viv_see_lines:open(folded, File, node()),
                        [[Call({m, 'f;g', 1}, {m, main, 0}), Call({m, f, 1}, undefined)],
                         [Call({m, 'f g', [x]}, {m, main, 0}), Call({m, f, 1}, undefined)]]),
    ok = viv_see_lines:close(Lines),
    {ok, Bytes} = file:read_file(File),
    ok = file:delete(File),
    ?assertEqual(<<"m:main/0;m:'f g'/1 2\nundefined;m:f/1 2\n">>, Bytes).
