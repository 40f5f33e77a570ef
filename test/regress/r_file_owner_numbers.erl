%% Numbers that files take: owners are any of 32 bits with a sign, of modes what is neither permission nor set-id is
%% left out, a descriptor below 0 is a bad one. Owners below -1 and such descriptors were badarg, and the
%% sticky bit was set.
-module(r_file_owner_numbers).
-include_lib("kernel/include/file.hrl").
-export([main/0]).

main() ->
    Name = "r_file_owner_numbers.tmp",
    ok = file:write_file(Name, "x"),
    [io:format("~p ~p~n", [Owner, told(file:change_owner(Name ++ ".none", Owner, Group))])
     || {Owner, Group} <- [{-1, -1}, {-2, 0}, {0, -2}, {-(1 bsl 31), -(1 bsl 31)}, {-(1 bsl 31) - 1, 0},
                           {0, -(1 bsl 31) - 1}, {1 bsl 31 - 1, 0}, {1 bsl 31, 0}, {-(1 bsl 70), 0}]],
    [begin
         Told = file:change_mode(Name, Mode),
         {ok, #file_info{mode = Is}} = file:read_file_info(Name),
         io:format("~p ~p ~.8B~n", [Mode, Told, Is])
     end || Mode <- [8#644, 8#1644, 8#2744, 8#7777, 8#17777, 1 bsl 32 - 1, 1 bsl 32, -1, 8#600]],
    [io:format("~p ~p~n", [N, prim_file:file_desc_to_ref(N, [read])])
     || N <- [-1, -2, -(1 bsl 31), -(1 bsl 31) - 1, 1 bsl 31 - 1, 1 bsl 31]],
    file:delete(Name).

told({error, Reason}) -> Reason.
