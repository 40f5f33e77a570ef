%% Lists that share their parts say more than is there: large binaries among them are counted as fast as bytes, and what
%% is more than 2^60 bytes is counted exactly (binary_SUITE t_iolist_size_huge_list).
-module(r_iolist_size_shared).
-export([main/0]).

main() ->
    Large = binary:copy(<<7>>, 1 bsl 20),
    Part = binary:part(Large, 3, 1000),
    [io:format("~p~n", [{N, iolist_size(doubled([Large, Part, 1, "ab", <<"c">>, []], N))}]) || N <- [0, 1, 5, 16, 18]],
    io:format("~p~n", [iolist_size([doubled(Large, 16) | Large])]),
    Huge = binary:copy(<<7>>, 1 bsl 30),
    Same = lists:duplicate(1 bsl 15, Huge),
    io:format("~p~n", [iolist_size(Same)]),
    Rows = lists:duplicate(1 bsl 9, Same),
    io:format("~p~n", [iolist_size(Rows)]),
    [io:format("~p~n", [try iolist_size([doubled(Large, 10), Bad]) catch error:R -> R end])
     || Bad <- [bad, [bad], <<1:3>>, [<<1:3>>], 256, -1, [[1 | bad]]]],
    [io:format("~p~n", [try iolist_to_binary([Part, Bad]), ok catch error:R -> R end]) || Bad <- [bad, [<<1:3>>], 256]].

doubled(List, 0) -> List;
doubled(List, N) -> doubled([List, List], N - 1).
