%% What all processes share, under many of them: persistent terms, atomics, counters, atoms, binaries, names of nodes, calls
%% on dirty threads; and what a process leaves behind that ends in the middle of one.
-module(stress_shared).
-export([main/0]).

main() ->
    io:format("persistent terms: ~p~n", [persistent()]),
    io:format("atomics: ~p~n", [atomic()]),
    io:format("atoms: ~p~n", [atoms()]),
    io:format("binaries: ~p~n", [binaries()]),
    io:format("nodes: ~p~n", [nodes_known()]),
    io:format("dirty: ~p~n", [dirty()]),
    io:format("killed in dirty calls: ~p~n", [killed()]).

all(Count, F) ->
    Pids = [spawn_monitor(fun() -> exit({result, F(I)}) end) || I <- lists:seq(1, Count)],
    [receive {'DOWN', R, process, P, Reason} -> Reason end || {P, R} <- Pids].

results(Count, F) -> lists:usort(all(Count, F)).

%% A value is one that somebody put, whole.
persistent() ->
    persistent_term:put({?MODULE, k}, {0, [0]}),
    R = results(8, fun(I) ->
        lists:foldl(fun(N, Good) ->
            {V, [V]} = persistent_term:get({?MODULE, k}),
            N rem 50 =:= 0 andalso persistent_term:put({?MODULE, k}, {{I, N}, [{I, N}]}),
            persistent_term:put({?MODULE, I}, <<N:2000>>),
            Mine = persistent_term:get({?MODULE, I}) =:= <<N:2000>>,
            N rem 3 =:= 0 andalso persistent_term:erase({?MODULE, I}),
            Good andalso Mine
        end, true, lists:seq(1, 200))
    end),
    [persistent_term:erase({?MODULE, I}) || I <- [k | lists:seq(1, 8)]],
    R.

atomic() ->
    A = atomics:new(3, []),
    C = counters:new(2, [write_concurrency]),
    results(8, fun(_) ->
        [begin
             atomics:add(A, 1, 1),
             X = atomics:get(A, 2),
             atomics:compare_exchange(A, 2, X, X + 1),
             atomics:exchange(A, 3, N),
             counters:add(C, 1, 1),
             counters:sub(C, 2, 1)
         end || N <- lists:seq(1, 2000)],
        ok
    end),
    {atomics:get(A, 1), atomics:get(A, 2) =< 16000, atomics:get(A, 3), counters:get(C, 1), counters:get(C, 2)}.

%% All of them make the same atoms, in other orders.
atoms() ->
    Names = fun(I) -> [["stress_atom_", integer_to_list((N * 7 + I * 131) rem 3000)] || N <- lists:seq(1, 3000)] end,
    [{result, First} | Others] = all(8, fun(I) -> lists:sort([list_to_atom(lists:flatten(T)) || T <- Names(I)]) end),
    {length(First), [X || X <- Others, X =/= {result, First}], [X || X <- First, list_to_existing_atom(atom_to_list(X)) =/= X]}.

%% One binary goes round, parts of it are kept, appended to, and sent on.
binaries() ->
    Big = binary:copy(<<"0123456789">>, 1000),
    Ring = lists:foldl(fun(_, Next) -> spawn_link(fun() -> pass(Next, []) end) end, self(), lists:seq(1, 20)),
    [Ring ! {part, Big, N, <<>>} || N <- lists:seq(1, 100)],
    Seen = lists:sort([receive {part, B, N, Acc} -> {N, B =:= Big, byte_size(Acc), erlang:crc32(Acc)} end || _ <- lists:seq(1, 100)]),
    erlang:phash2(Seen).

pass(Next, Kept) ->
    receive
        {part, B, N, Acc} ->
            Part = binary:part(B, N, 70),
            Next ! {part, B, N, <<Acc/binary, Part/binary>>},
            pass(Next, lists:sublist([Part, Acc | Kept], 6))
    end.

nodes_known() ->
    results(8, fun(I) ->
        lists:usort([begin
            B = <<131, 88, 119, 6, (list_to_binary(io_lib:format("n~3..0b@h", [N rem 50])))/binary, N:32, 0:32, 7:32>>,
            P = binary_to_term(B),
            binary_to_term(term_to_binary(P)) =:= P andalso atom_to_list(node(P)) =:= lists:flatten(io_lib:format("n~3..0b@h", [N rem 50]))
        end || N <- lists:seq(I, I + 300)])
    end).

%% Files, compression: each gets its own answer.
dirty() ->
    Folder = filename:join("/tmp", "viv_stress_" ++ os:getpid()),
    ok = file:make_dir(Folder),
    R = results(12, fun(I) ->
        Name = filename:join(Folder, integer_to_list(I)),
        Data = binary:copy(<<I:32>>, 20000),
        lists:usort([begin
            ok = file:write_file(Name, Data),
            {ok, Data} = file:read_file(Name),
            Data =:= zlib:uncompress(zlib:compress(Data)) andalso zlib:gunzip(zlib:gzip(Data)) =:= Data
        end || _ <- lists:seq(1, 8)])
    end),
    [ok = file:delete(filename:join(Folder, integer_to_list(I))) || I <- lists:seq(1, 12)],
    ok = file:del_dir(Folder),
    R.

killed() ->
    Data = binary:copy(<<"some text that compresses ">>, 40000),
    lists:usort([begin
        {P, M} = spawn_monitor(fun() -> Loop = fun Loop() -> file:list_dir("/"), zlib:compress(Data), Loop() end, Loop() end),
        receive after N rem 8 -> ok end,
        if N rem 2 =:= 0 -> exit(P, kill); true -> exit(P, enough) end,
        receive {'DOWN', M, process, P, Why} -> {N rem 2, Why} end
    end || N <- lists:seq(1, 40)]).
