%% What a driver tells in its `stop` comes, unless something was queued when the port was closed: it never came.
-module(r_port_last_words).
-export([main/0]).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [told(Queued, Close) || Queued <- ["", "queued"], Close <- [message, call]],
    ok.

told(Queued, Close) ->
    Port = open_port({spawn, ?MODULE_STRING}, []),
    Queued =:= "" orelse port_command(Port, Queued),
    close(Close, Port),
    io:format("~p ~p ~p~n", [Queued, Close, heard(Port)]).

close(message, Port) -> Port ! {self(), close};
close(call, Port) -> port_close(Port).

heard(Port) ->
    receive {Port, What} -> [What | heard(Port)] after 300 -> [] end.
