%% A port as tracer: dbg's driver writes trace messages into a file, in the order of events; and what becomes of it.
-module(port_tracer).
-export([main/0]).

main() ->
    File = "port_tracer_" ++ os:getpid(),
    try traced(File) after file:delete(File) end.

traced(File) ->
    {ok, _} = dbg:tracer(port, dbg:trace_port(file, File)),
    {ok, _} = dbg:p(self(), [c, timestamp]),
    {ok, 1} = result(dbg:tp(lists, seq, 2, [])),
    [lists:seq(1, N) || N <- lists:seq(1, 50)],
    lists:seq(7, lists:last(lists:seq(1, 9))),
    {tracer, Port} = erlang:trace_info(self(), tracer),
    io:format("~p~n", [[is_port(Port), dbg:flush_trace_port(), dbg:stop_clear(), erlang:port_info(Port)]]),
    io:format("~p~n", [erlang:trace_info(self(), tracer)]),
    io:format("~p~n", [[told(Message) || Message <- read(File)]]),
    io:format("~p~n", [catch erlang:trace(self(), true, [call, {tracer, Port}])]).

result({ok, Matched}) -> {ok, length([N || {matched, _, N} <- Matched, N > 0])}.

told({trace_ts, Pid, call, {lists, seq, Arguments}, {_, _, _}}) when Pid =:= self() -> Arguments;
told(Other) -> Other.

read(File) ->
    Self = self(),
    dbg:trace_client(file, File, {fun(end_of_trace, Told) -> Self ! {told, lists:reverse(Told)}, ok;
                                     (Message, Told) -> [Message | Told]
                                  end, []}),
    receive {told, Told} -> Told after 60000 -> nothing end.
