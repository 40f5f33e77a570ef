%% What message_queue_data says of the messages of a queue: those on the heap count as part of it, for max_heap_size too,
%% even when nobody has looked at them; those off the heap do not, also when a receive has passed over them or a
%% collection has come while it looked.
-module(r_queue_data).
-export([main/0, deaf/0, picky/0, guarding/0]).

main() ->
    io:format("killed by its queue: ~p~n", [[{Kind, killed_by_queue(Kind)} || Kind <- [on_heap, off_heap]]]),
    io:format("queue counts: ~p~n", [[{Kind, grows(deaf, Kind), grows(picky, Kind)} || Kind <- [on_heap, off_heap]]]),
    io:format("received: ~p~n", [[received(Kind) || Kind <- [on_heap, off_heap]]]),
    io:format("guarded: ~p~n", [[guarded(Kind) || Kind <- [on_heap, off_heap]]]),
    io:format("own: ~p~n", [[own(Kind) || Kind <- [on_heap, off_heap]]]).

deaf() -> receive after infinity -> ok end.

picky() -> receive {From, Tag} when is_pid(From) -> From ! {Tag, self()}, picky() end.

start(Function, Kind, Options) ->
    spawn_opt(?MODULE, Function, [], [monitor, {message_queue_data, Kind} | Options]).

%% The queue has been seen when the question about it is answered.
filled(Pid) ->
    [Pid ! lists:seq(1, N) || N <- lists:seq(1, 100)],
    {message_queue_len, 100} = process_info(Pid, message_queue_len),
    Pid.

killed_by_queue(Kind) ->
    {Pid, Ref} = start(deaf, Kind, [{max_heap_size, #{size => 2000, error_logger => false}}]),
    erlang:garbage_collect(filled(Pid)),
    erlang:garbage_collect(Pid),
    Pid ! one_more,
    Killed = not is_process_alive(Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, killed} -> Killed end.

grows(Function, Kind) ->
    {Pid, Ref} = start(Function, Kind, []),
    Before = total(asked(Function, Pid)),
    After = total(asked(Function, filled(Pid))),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, killed} -> After - Before > 5000 end.

asked(deaf, Pid) -> Pid;
asked(picky, Pid) ->
    Pid ! {self(), here},
    receive {here, Pid} -> Pid end.

total(Pid) ->
    {total_heap_size, Words} = process_info(Pid, total_heap_size),
    Words.

%% Small and large messages, some passed over first; what they hold outlives collections.
received(Kind) ->
    Self = self(),
    {Pid, Ref} = spawn_opt(fun() -> Self ! {all, collected(20, [])} end, [monitor, {message_queue_data, Kind}]),
    [Pid ! {N, message(N)} || N <- lists:seq(1, 20)],
    receive {all, List} -> ok end,
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    {length(List), lists:all(fun({N, Term}) -> Term =:= message(N) end, List)}.

message(N) -> {lists:seq(1, N * N), <<N:800>>, float(N) / 3, "text" ++ integer_to_list(N)}.

collected(0, Got) -> Got;
collected(N, Got) ->
    receive
        {N, Term} ->
            _ = N rem 3 =:= 0 andalso erlang:garbage_collect(),
            _ = process_info(self(), messages),
            collected(N - 1, [{N, Term} | Got])
    end.

%% The guard builds what makes a collection come while the receive has parts of the message in its hands.
guarded(Kind) ->
    Self = self(),
    {Pid, Ref} = spawn_opt(?MODULE, guarding, [], [monitor, {message_queue_data, Kind}]),
    [Pid ! {Self, N, lists:seq(1, 50), 1 bsl 6000} || N <- lists:seq(1, 200)],
    Sum = lists:sum([receive {sum, Pid, Sum} -> Sum end || _ <- lists:seq(1, 200)]),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, killed} -> Sum end.

guarding() ->
    receive
        {From, N, List, Big} when (Big * Big) rem 7 =:= N rem 3 + 1, hd(List) =:= 1, is_pid(From) ->
            From ! {sum, self(), lists:sum(List)},
            guarding();
        {From, _, [_ | List], Big} when Big bxor (Big - 1) > Big, is_pid(From) ->
            From ! {sum, self(), length(List)},
            guarding()
    end.

own(Kind) ->
    Old = process_flag(message_queue_data, Kind),
    [self() ! {N, lists:duplicate(N, a)} || N <- [1, 50, 3]],
    {messages, List} = process_info(self(), messages),
    Got = [receive {N, Term} -> Term end || N <- [3, 1, 50]],
    erlang:garbage_collect(),
    process_flag(message_queue_data, Old),
    {[{N, length(Term)} || {N, Term} <- List], [length(Term) || Term <- Got]}.
