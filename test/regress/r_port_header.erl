%% No bytes behind a header are an empty binary, where the driver gives bytes: a proper list came, so a ram file's
%% answer to a read of nothing was [] and not <<>>.
-module(r_port_header).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [told(open_port({spawn, ?MODULE_STRING}, Options), Options, Way) || Options <- [[], [binary]], Way <- "bc2nov"],
    ok.

told(Port, Options, Way) ->
    port_command(Port, [Way]),
    receive {Port, {data, Data}} -> io:format("~w ~c ~w~n", [Options, Way, Data]) end,
    port_close(Port).
