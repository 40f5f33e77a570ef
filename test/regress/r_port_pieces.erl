%% Lines and packets of all lengths around what is read at once, short and long by turns: each comes whole, in its order.
-module(r_port_pieces).
-export([main/0]).

main() ->
    ok = file:write_file("r_port_pieces.tmp", [[binary:copy(<<"x">>, N), $\n] || N <- sizes()]),
    [w({line, L}, told([{line, L}])) || L <- [1000, 4096, 5000, 100000, 1000000]],
    [begin
         ok = file:write_file("r_port_pieces.tmp", [<<N:B/unit:8, 0:N/unit:8>> || N <- sizes(), N < 1 bsl (8 * B)]),
         w({packet, B}, told([{packet, B}]))
     end || B <- [1, 2, 4]],
    ok = file:delete("r_port_pieces.tmp").

w(What, Answer) -> io:format("~0p ~0p~n", [What, Answer]).

sizes() ->
    [0, 1, 4094, 4095, 4096, 4097, 0, 8191, 8192, 8193, 255, 65534, 65535, 3, 65536, 65537, 300000, 7] ++
        lists:duplicate(20000, 1) ++ [70000, 2, 131072, 5].

%% Their sizes, those in a row that are the same counted.
told(Options) ->
    Port = open_port({spawn_executable, "/bin/cat"}, [{args, ["r_port_pieces.tmp"]}, binary, exit_status | Options]),
    counted(all(Port)).

all(Port) ->
    receive
        {Port, {data, {Kind, Bytes}}} -> [{Kind, byte_size(Bytes)} | all(Port)];
        {Port, {data, Bytes}} -> [byte_size(Bytes) | all(Port)];
        {Port, {exit_status, Status}} -> [{ended, Status}]
    after 20000 -> [nothing]
    end.

counted([X | Rest]) ->
    {Same, Others} = lists:splitwith(fun(Y) -> Y =:= X end, Rest),
    [{X, 1 + length(Same)} | counted(Others)];
counted([]) -> [].
