%% A driver that cannot be opened is told as an error; bad arguments are told apart.
-module(r_no_driver).
-export([main/0]).

main() ->
    [io:format("~p~n", [told(F)])
     || F <- [fun() -> erl_ddll:try_load("/nosuch", nosuch, []) end,
              fun() -> erl_ddll:try_load("/nosuch", "nosuch", [{monitor, pending}]) end,
              fun() -> erl_ddll:load_driver("/nosuch", nosuch) end,
              fun() -> erl_ddll:load("/nosuch", nosuch) end,
              fun() -> erl_ddll:try_load("/tmp", 5, []) end,
              fun() -> erl_ddll:try_load(5, a, []) end,
              fun() -> erl_ddll:try_load("/x", a, [x]) end,
              fun() -> erl_ddll:try_unload(nosuch, []) end,
              fun() -> erl_ddll:unload(nosuch) end,
              fun() -> erl_ddll:info() end,
              fun() -> erl_ddll:format_error(not_loaded) end,
              fun() -> erl_ddll:format_error(foo) end]].

told(F) ->
    try F() of
        {error, {open_error, Code}} when is_integer(Code) -> is_list(erl_ddll:format_error({open_error, Code}));
        Value -> Value
    catch Class:Reason -> {Class, Reason}
    end.
