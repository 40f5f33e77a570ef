%% What files are asked for by numbers that they cannot take: badarg is what is no number, einval what is none from 0 on
%% that fits 64 bits, enomem what is too much. And nothing of a place in a file is its end.
-module(r_file_numbers).
-export([main/0]).

main() ->
    Name = "r_file_numbers.tmp",
    ok = file:write_file(Name, <<3:32, 9:32, 5, "hello world">>),
    {ok, F} = file:open(Name, [read, write, raw, binary]),
    {ok, G} = prim_file:open(Name, [read, write, binary]),
    Numbers = [0, 3, -1, 1.5, a, 1 bsl 31, 1 bsl 60, 1 bsl 62, 1 bsl 63, 1 bsl 64, -(1 bsl 70)],
    show(read, [[fun() -> file:read(F, N) end] || N <- Numbers]),
    show(pread, [[fun() -> file:pread(F, At, N) end] || At <- [0, 100 | Numbers -- [0]], N <- [0, 3, -1, 1.5, a, 1 bsl 62]]),
    show(prim_pread, [[fun() -> prim_file:pread(G, At, N) end] || At <- [0, -1, a, 1 bsl 63], N <- [0, 3, -1, a]]),
    show(pread_list, [[fun() -> file:pread(F, L) end] || L <- [[], [{0, 0}], [{0, 2}, {3, 0}, {100, 1}], [{0, 1 bsl 63}], [{a, 1}]]]),
    show(pwrite, [[fun() -> prim_file:pwrite(G, At, <<>>) end] || At <- Numbers]),
    show(ipread, [[fun() -> prim_file:ipread_s32bu_p32bu(G, At, N) end]
                  || At <- [0, -1, 4, 100, 1 bsl 63], N <- [0, 2, 3, 10, -1, (1 bsl 31) - 1, 1 bsl 31, 1 bsl 60, infinity]]),
    show(allocate, [[fun() -> file:allocate(F, At, N) end] || At <- [0, -1, a, 1.5, 1 bsl 63], N <- [-1, a, 1.5, 1 bsl 64]]),
    show(advise, [[fun() -> file:advise(F, At, N, normal) end] || At <- [0, -1, a, 1.5, 1 bsl 63], N <- [0, -1, a, 1 bsl 64]]),
    file:close(F),
    prim_file:close(G),
    file:delete(Name).

show(What, Calls) ->
    [io:format("~p ~p~n", [What, try Call() catch Class:Reason -> {Class, Reason} end]) || [Call] <- Calls].
