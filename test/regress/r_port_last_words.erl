%% What a driver tells in its `stop` comes, unless something was queued when the port was closed: it never came.
-module(r_port_last_words).
-export([main/0]).
-include("../erl/heard.hrl").

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [told(Queued, Close, Heard) || {Queued, Close, Heard} <- [{"", message, 2}, {"", call, 1}, {"queued", message, 1},
                                                              {"queued", call, 0}]],
    ok.

told(Queued, Close, Heard) ->
    Port = open_port({spawn, ?MODULE_STRING}, []),
    Queued =:= "" orelse port_command(Port, Queued),
    close(Close, Port),
    Words = heard(Heard, 300, fun(Wait) -> receive {Port, What} -> [What] after Wait -> [] end end),
    io:format("~p ~p ~p~n", [Queued, Close, Words]).

close(message, Port) -> Port ! {self(), close};
close(call, Port) -> port_close(Port).
