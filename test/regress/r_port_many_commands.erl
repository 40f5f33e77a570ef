%% A port that a scheduler runs beside its callers is given thousands of commands at once: it takes some in each slice,
%% those of one sender in their order, and a question behind them is answered behind them.
-module(r_port_many_commands).
-export([main/0]).

-define(SENDERS, 4).
-define(COMMANDS, 3000).

main() ->
    P = open_port({spawn, "cat"}, [{line, 100}, {parallelism, true}, {busy_limits_msgq, disabled},
                                   {busy_limits_port, disabled}]),
    Senders = [spawn_monitor(fun() -> sends(P, I, 1) end) || I <- lists:seq(1, ?SENDERS)],
    io:format("~p~n", [heard(P, maps:from_list([{I, 1} || I <- lists:seq(1, ?SENDERS)]), ?SENDERS * ?COMMANDS)]),
    [receive {'DOWN', M, process, Pid, Reason} -> io:format("~p~n", [Reason]) end || {Pid, M} <- Senders],
    {input, In} = erlang:port_info(P, input),
    {output, Out} = erlang:port_info(P, output),
    io:format("~p~n", [In =:= Out]).

sends(P, _, N) when N > ?COMMANDS ->
    {output, Bytes} = erlang:port_info(P, output),
    exit(Bytes >= 4 * ?COMMANDS);
sends(P, I, N) ->
    Line = [integer_to_list(I), $\s, integer_to_list(N), $\n],
    case N rem 3 of
        0 -> P ! {whereis_owner(P), {command, Line}};
        1 -> true = erlang:port_command(P, Line);
        2 -> true = erlang:port_command(P, Line, [nosuspend])
    end,
    sends(P, I, N + 1).

whereis_owner(P) ->
    case get(owner) of
        undefined -> {connected, Owner} = erlang:port_info(P, connected), put(owner, Owner), Owner;
        Owner -> Owner
    end.

heard(_, Next, 0) -> Next;
heard(P, Next, Left) ->
    receive
        {P, {data, {eol, Line}}} ->
            [I, N] = [list_to_integer(Word) || Word <- string:tokens(Line, " ")],
            #{I := N} = Next,
            heard(P, Next#{I := N + 1}, Left - 1)
    after 60000 -> {lost, Next, Left}
    end.
