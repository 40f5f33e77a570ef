%% Who has opened the first socket may ask for all of them: their registry had no name yet, where a program loads what it
%% needs as it goes.
-module(r_socket_registry).
-export([main/0]).

main() ->
    {ok, S} = socket:open(inet, stream, tcp),
    io:format("~p ~p~n", [socket:which_sockets() =:= [S], socket:number_of()]),
    ok = socket:close(S).
