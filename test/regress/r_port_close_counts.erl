%% Who closes ports one after the other is charged for it, and his slices end: each close gave him a new slice instead,
%% so nobody else of his scheduler ran, and his reductions did not count up.
-module(r_port_close_counts).
-export([main/0]).

main() ->
    Before = reductions(),
    open_and_close(1000),
    io:format("counted ~p~n", [reductions() - Before >= 1000]),
    process_flag(scheduler, 1),
    Main = self(),
    Other = spawn_opt(fun() -> count(0) end, [link, {scheduler, 1}]),
    open_and_close(10000),
    Other ! {Main, how_often},
    receive {Other, N} -> io:format("others ran ~p~n", [N >= 10]) end.

open_and_close(0) -> ok;
open_and_close(N) ->
    true = port_close(open_port({spawn_driver, "tcp_inet"}, [binary])),
    open_and_close(N - 1).

reductions() -> element(2, process_info(self(), reductions)).

count(N) ->
    receive
        {From, how_often} -> From ! {self(), N}
    after 0 ->
        erlang:yield(),
        count(N + 1)
    end.
