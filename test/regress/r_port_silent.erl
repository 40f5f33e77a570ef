%% Of a port that has begun to end nobody hears data any more, however many are told of its end: it read on between two
%% slices of that.
-module(r_port_silent).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [io:format("~p: ~p~n", [Name, heard_after_end(End)]) || {Name, End} <- ends()].

ends() ->
    [{exit, fun(P) -> exit(P, foo) end}, {close, fun(P) -> P ! {self(), close} end}, {call, fun(P) -> port_close(P) end}].

heard_after_end(End) ->
    P = open_port({spawn, "yes 2>/dev/null"}, [binary]),
    [erlang:monitor(port, P) || _ <- lists:seq(1, 5000)],
    receive {P, {data, _}} -> ok end,
    End(P),
    receive {'DOWN', _, port, P, _} -> ok end,
    flush_downs(4999),
    [heard_data || {messages, Ms} <- [process_info(self(), messages)], data_behind_the_end(P, Ms)].

flush_downs(0) -> ok;
flush_downs(N) -> receive {'DOWN', _, _, _, _} -> flush_downs(N - 1) end.

data_behind_the_end(P, Messages) ->
    flush(),
    case lists:dropwhile(fun({'EXIT', Port, _}) -> Port =/= P; (_) -> true end, Messages) of
        [] -> no_exit;
        [_ | Behind] -> [] =/= [Data || {Port, {data, Data}} <- Behind, Port =:= P]
    end.

flush() -> receive _ -> flush() after 0 -> ok end.
