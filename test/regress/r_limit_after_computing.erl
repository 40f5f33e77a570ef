%% Who has computed for some slices sets a limit to its heap, and keeps little: what its heap was by then does not count.
%% And who has computed and waits has a heap for what it keeps. Blocks that were larger while it computed were counted,
%% and stayed.
-module(r_limit_after_computing).
-export([main/0]).

main() ->
    [io:format("~p ~p: ~p~n", [Limit, Steps, limited(Limit, Steps)])
     || Limit <- [1000, 3000, 10000], Steps <- [10, 20000, 200000]],
    [io:format("waits after ~p: ~p~n", [Steps, waiting(Steps)]) || Steps <- [10, 20000, 200000]].

limited(Limit, Steps) ->
    {P, M} = spawn_monitor(fun() ->
                                   loop(Steps, {0, [0]}),
                                   process_flag(max_heap_size, #{size => Limit, kill => true, error_logger => false}),
                                   loop(200000, {0, [0]}),
                                   exit(survived)
                           end),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

waiting(Steps) ->
    P = spawn(fun() -> loop(Steps, {0, [0]}), receive stop -> ok end end),
    Small = waits(P) andalso element(2, process_info(P, total_heap_size)) < 1000,
    P ! stop,
    Small.

waits(P) ->
    case process_info(P, status) of
        {status, waiting} -> true;
        _ -> erlang:yield(), waits(P)
    end.

loop(0, A) -> A;
loop(N, {_, _}) -> loop(N - 1, {N, [N]}).
