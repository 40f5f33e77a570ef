%% bin/viv run examples/hello.erl
-module(hello).
-export([main/0]).

main() ->
    io:format("Hello from ~p, ~b schedulers~n", [self(), erlang:system_info(schedulers_online)]).
