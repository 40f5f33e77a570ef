%% A process with a long queue that looks at some of its messages: what it has passed over is in its heap, lies anywhere
%% in the queue, and outlives collections; what it takes out is garbage then. Collections do not walk the queue.
-module(r_long_queue).
-export([main/0]).

main() ->
    passed_over(),
    taken_anywhere(),
    nested_calls(),
    io:format("~p~n", [ends_with_messages()]).

term(I) -> {msg, I, [I, {I}], integer_to_binary(I), binary:copy(<<I:32>>, 20)}.

is_term(I, Term) -> Term =:= term(I).

fill(N) -> [self() ! term(I) || I <- lists:seq(1, N)].

flush() -> receive X -> [X | flush()] after 0 -> [] end.

in_order(Numbers) ->
    Found = flush(),
    {length(Found), lists:all(fun({I, X}) -> is_term(I, X) end, lists:zip(Numbers, Found))}.

%% A receive that finds nothing moves all into the heap.
passed_over() ->
    _ = fill(2000),
    nothing = receive none -> found after 0 -> nothing end,
    [begin garbage_collect(), _ = lists:seq(1, 10000) end || _ <- lists:seq(1, 5)],
    io:format("~p~n", [in_order(lists:seq(1, 2000))]).

%% Every third, from both ends and the middle, with collections in between.
taken_anywhere() ->
    _ = fill(1500),
    Thirds = [I || I <- lists:seq(1, 1500), I rem 3 =:= 0],
    Taken = [begin
                 _ = I rem 50 =:= 0 andalso garbage_collect(),
                 receive {msg, I, _, _, _} = X -> is_term(I, X) end
             end || I <- lists:reverse(Thirds)],
    io:format("~p ~p~n", [lists:all(fun(T) -> T end, Taken),
                          in_order([I || I <- lists:seq(1, 1500), I rem 3 =/= 0])]).

%% Calls within calls beside a queue that nobody looks at.
nested_calls() ->
    process_flag(message_queue_data, off_heap),
    _ = [self() ! {later, I} || I <- lists:seq(1, 200000)],
    Server = spawn_link(fun server/0),
    Sum = lists:sum([call(Server, I, fun() -> call(Server, I, fun() -> call(Server, I, fun() -> 0 end) end) end)
                     || I <- lists:seq(1, 3000)]),
    io:format("~p ~p~n", [Sum, length(flush())]).

server() -> receive {From, Ref, Value} -> From ! {Ref, {answer, Value, [Value]}}, server() end.

call(Server, Value, Within) ->
    Ref = monitor(process, Server),
    Server ! {self(), Ref, Value},
    Inner = Within(),
    receive
        {Ref, {answer, Value, [Value]}} ->
            demonitor(Ref, [flush]),
            garbage_collect(),
            1 + Inner;
        {'DOWN', Ref, _, _, Reason} ->
            exit(Reason)
    end.

%% Processes that end with messages in their heaps, and without.
ends_with_messages() ->
    Pids = [spawn_monitor(fun() ->
                                  _ = fill(100 * (I rem 3)),
                                  receive none -> ok after 0 -> ok end,
                                  _ = I rem 2 =:= 0 andalso garbage_collect(),
                                  exit({over, I})
                          end) || I <- lists:seq(1, 30)],
    [receive {'DOWN', Ref, process, Pid, {over, I}} -> I end || {Pid, Ref} <- Pids].
