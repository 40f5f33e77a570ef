%% A port that is closed and still writes what it was given: nobody can trace it any more, and nobody is told its flags,
%% though it is among ports() and says its name.
-module(r_trace_closing_port).
-export([main/0]).

main() ->
    P = open_port({spawn, "sleep 1"}, []),
    1 = erlang:trace(P, true, [ports]),
    port_command(P, binary:copy(<<"x">>, 300000)), % more than a pipe takes
    port_close(P),
    io:format("~p ~p~n", [erlang:trace_info(P, flags), erlang:trace_info(P, tracer)]),
    io:format("~p ~p~n", [try erlang:trace(P, How, Flags) catch error:badarg -> badarg end
                          || {How, Flags} <- [{true, [ports]}, {false, [all]}]]),
    io:format("~p ~p~n", [lists:member(P, erlang:ports()), erlang:port_info(P, name)]).
