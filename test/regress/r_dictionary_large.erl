%% A large dictionary of small things: its process is not collected at every few words that it builds; it dies of its
%% max_heap_size; what was erased takes no memory, and is not walked.
%% Not under torture: there are more collections.
-module(r_dictionary_large).
-export([main/0]).

main() ->
    io:format("collected seldom: ~w~n", [in_process([], fun seldom/0)]),
    [io:format("~p pairs: ~w~n", [N, in_process([limit(100000)], fun() -> fill(N), lives end)])
     || N <- [1000, 4000, 40000, 1000000]],
    io:format("erased: ~w~n", [in_process([], fun erased/0)]),
    io:format("erased and put, in turn: ~w~n", [in_process([], fun in_turn/0)]).

limit(Words) -> {max_heap_size, #{size => Words, kill => true, error_logger => false}}.

in_process(Options, F) ->
    {P, M} = spawn_opt(fun() -> exit(F()) end, [monitor | Options]),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

fill(0) -> ok;
fill(N) -> put(N, N), fill(N - 1).

seldom() ->
    fill(20000),
    garbage_collect(),
    garbage(20000),
    {garbage_collection, L} = process_info(self(), garbage_collection),
    proplists:get_value(minor_gcs, L) < 60.

garbage(0) -> ok;
garbage(N) -> put(garbage, {N, N, N, N}), garbage(N - 1).

memory() ->
    garbage_collect(),
    {memory, Bytes} = process_info(self(), memory),
    Bytes.

erased() ->
    fill(200000),
    Before = memory(),
    [I = erase(I) || I <- lists:seq(1, 200000), I rem 1000 > 0],
    Is = memory() * 20 < Before,
    {Is, lists:sort(get()) =:= [{I, I} || I <- lists:seq(1000, 200000, 1000)]}.

%% All counts of pairs come up and down again; what is there is always what was put.
in_turn() ->
    Left = lists:foldl(fun(N, Have) ->
                           New = lists:seq(N * 1000, N * 1000 + N rem 37 * 9),
                           [undefined = put(I, N) || I <- New],
                           [_ = erase(I) || I <- Have, (I + N) rem 5 > 0],
                           Keys = [I || I <- Have, (I + N) rem 5 =:= 0] ++ New,
                           true = lists:sort(get_keys()) =:= lists:sort(Keys),
                           true = lists:all(fun(I) -> get(I) =:= I div 1000 end, Keys),
                           Keys
                       end, [], lists:seq(1, 300)),
    [_ = erase(I) || I <- Left],
    get().
