%% What is deleted, counted or replaced by a match specification makes no garbage: a process with a small limit does so
%% with ever so many large objects. And it goes on behind what it has deleted, in both kinds of trees, whatever lies in
%% between.
-module(r_ets_no_garbage).
-export([main/0]).

main() ->
    Long = lists:seq(1, 100),
    [io:format("~w: ~w~n", [Options, [limited(Options, Long, F, Spec) || {F, Spec} <- specs()]])
     || Options <- [[ordered_set], [ordered_set, {write_concurrency, true}], [ordered_set, compressed], [set]]],
    [io:format("~w: ~w~n", [Options, mixed(Options)])
     || Options <- [[ordered_set], [ordered_set, {write_concurrency, true}]]].

specs() ->
    [{select_delete, [{{'_', '$1'}, [{'>', '$1', 5}], [true]}]},
     {select_delete, [{{'_', '$1'}, [{'=:=', {'rem', '$1', 3}, 1}], [true]}]},
     {select_delete, [{{'$2', '$1'}, [{'=<', '$1', 4500}], [{'=/=', '$1', {{'$2'}}}]}]},
     {select_delete, [{{['$1' | '_'], '$1'}, [], ['$$']}]},
     {select_count, [{{'$1', '_'}, [], [{{'$1', '$1'}}]}]},
     {select_replace, [{{'$1', '$2'}, [{'>', '$2', 100}], [{{'$1', {'+', '$2', 1}, ['$2' | '$1']}}]}]}].

limited(Options, Long, F, Spec) ->
    T = ets:new(t, [public | Options]),
    [ets:insert(T, {[I | Long], I}) || I <- lists:seq(1, 5000)],
    Limit = #{size => 200000, kill => true, error_logger => false},
    {P, M} = spawn_opt(fun() -> exit(ets:F(T, Spec)) end, [monitor, {max_heap_size, Limit}]),
    receive
        {'DOWN', M, process, P, Result} ->
            Left = lists:sum([element(2, O) || O <- ets:tab2list(T)]),
            ets:delete(T),
            {Result, Left}
    end.

%% Keys of all kinds, some gone and some left.
mixed(Options) ->
    T = ets:new(t, Options),
    Keys = [K || I <- lists:seq(1, 1500), K <- [I * 1.5, {I}, [I], <<I:20>>, #{I => I}, I bsl 61]],
    [ets:insert(T, {K, erlang:phash2(K, 7)}) || K <- Keys],
    [begin
         Deleted = ets:select_delete(T, [{{'_', N}, [], [true]}]),
         {N, Deleted, ets:info(T, size), erlang:phash2(ets:tab2list(T))}
     end || N <- [3, 0, 6, 9]].
