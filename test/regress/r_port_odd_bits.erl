%% Bitstrings of odd bits are not bytes for a port; ports of programs and of descriptors took the bits for lost. Those of
%% less than a byte are nothing, and no error, for a driver that takes its bytes in a row.
-module(r_port_odd_bits).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    logger:set_primary_config(level, none),
    Drivers = ["r_port_odd_bits", "r_port_odd_bits_v"],
    [ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), Name) || Name <- Drivers],
    [io:format("~s ~p~n", [Name, [sent(To, Data) || To <- [cat, fd | Drivers]]]) || {Name, Data} <- data()],
    [io:format("~s ~p ~p~n", [Name, tcp(Data), udp(Data)]) || {Name, Data} <- data()],
    ok.

data() ->
    Big = binary:copy(<<1>>, 300),
    <<_:3, Behind/bitstring>> = <<1, 2, 3, 4:5>>,
    <<_:3, Within:16/bitstring, _/bitstring>> = <<1, 2, 3, 4:5>>,
    [{alone, <<1, 2:4>>},
     {listed, [<<1, 2:4>>]},
     {first, [<<1, 2:4>>, "a"]},
     {tail, [1 | <<2:12>>]},
     {big, <<Big/binary, 1:1>>},
     {big_listed, ["abc", <<Big/binary, 1:1>> | <<>>]},
     {behind, [Behind]},
     {within, [Within]},
     {less, <<1:3>>},
     {less_listed, ["a", <<1:3>>, "b"]},
     {less_tail, [1 | <<2:4>>]},
     {less_and_more, [<<1:3>>, <<1, 1:1>>]}].

%% What port_command/2 says, how the port ends, what it has told; the same by a message.
sent(To, Data) ->
    Port = open(To),
    Answer = try port_command(Port, Data) catch error:Why -> Why end,
    Told = told(To, Port),
    port_close(Port),
    receive {'EXIT', Port, _} -> ok end,
    Other = open(To),
    Other ! {self(), {command, Data}},
    By = told(To, Other),
    Other ! {self(), close},
    receive {'EXIT', Other, _} -> ok; {Other, closed} -> ok after 0 -> ok end,
    {Answer, Told, By}.

open(cat) -> open_port({spawn, "cat; true"}, [{packet, 2}]);
open(fd) -> open_port({fd, 2, 2}, [out]);
open(Driver) -> open_port({spawn_driver, Driver}, []).

%% What it told before it answers what is sent behind; a descriptor to write to tells its end alone.
told(fd, Port) ->
    erlang:port_info(Port, name),
    receive {'EXIT', Port, Why} -> Why after 0 -> nothing end;
told(To, Port) ->
    Behind = lists:duplicate(999, $-),
    try port_command(Port, Behind) catch error:badarg -> ended end,
    Last = case To of cat -> Behind; _ -> "999" end,
    receive
        {Port, {data, Last}} -> nothing;
        {Port, {data, Data}} -> Data;
        {'EXIT', Port, Why} -> Why
    end.

tcp(Data) ->
    {ok, Listener} = gen_tcp:listen(0, []),
    {ok, Number} = inet:port(Listener),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Number, []),
    Result = gen_tcp:send(Socket, Data),
    gen_tcp:close(Socket),
    gen_tcp:close(Listener),
    Result.

udp(Data) ->
    {ok, Socket} = gen_udp:open(0),
    {ok, Number} = inet:port(Socket),
    Result = gen_udp:send(Socket, {127, 0, 0, 1}, Number, Data),
    gen_udp:close(Socket),
    Result.
