%% What prim_buffer:write takes for nothing: less than a byte, among binaries. It was badarg.
-module(r_buffer_less_than_byte).
-export([main/0]).

main() ->
    B = prim_buffer:new(),
    <<_:3, Within:5/bits, _/bits>> = <<1, 2>>,
    [io:format("~p ~p ~p~n", [try prim_buffer:write(B, V) catch error:R -> R end, prim_buffer:size(B), length(V)])
     || V <- [[<<1:3>>], [<<1:7>>, <<"ab">>, Within], [Within], [<<1:12>>], [<<"a">>, <<1:12>>], [<<0:8000, 1:3>>],
              [<<"c">>, a], [<<>>, <<0:1>>, <<"d">>]]],
    io:format("~p~n", [prim_buffer:read(B, prim_buffer:size(B))]).
