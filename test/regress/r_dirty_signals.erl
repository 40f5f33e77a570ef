%% Signals to a process in a dirty call take effect while it goes on, in their order, and once; what is left is there
%% when the call is over.
%% Not under leaks: a call of a library that nobody lets go on keeps its process.
-module(r_dirty_signals).
-export([main/0, hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1, make_fifo/1]).
-nifs([hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1, make_fifo/1]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    [io:format("~p~n", [{What, do(What)}]) || What <- [order, links, killed, killed_later, trapped, broken, monitors,
                                                       alive, sending, file, file_in_use, rounds]].

%% Before, during and after; small, copied and shared ones; of several senders.
do(order) ->
    Main = self(),
    P = spawn(fun() ->
        receive begin_call -> ok end,
        done = hold(1, done),
        receive all -> Main ! {all, queue()} end
    end),
    send(P, before, 300),
    P ! begin_call,
    executing(P),
    Senders = [spawn_monitor(fun() -> send(P, {during, S}, 2000) end) || S <- [1, 2, 3]],
    Len = [process_info(P, message_queue_len) || _ <- lists:seq(1, 50)] =/= [],
    [receive {'DOWN', R, _, _, normal} -> ok end || {_, R} <- Senders],
    {message_queue_len, Then} = process_info(P, message_queue_len),
    let_go(1),
    send(P, later, 300),
    P ! all,
    Queue = receive {all, Q} -> Q end,
    {Len, Then, [{Who, in_order(Who, Queue)} || Who <- [before, {during, 1}, {during, 2}, {during, 3}, later]]};
do(links) ->
    Main = self(),
    P = spawn(fun() ->
        process_flag(trap_exit, true),
        Workers = [spawn_link(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 20000)],
        Main ! {workers, Workers},
        done = hold(2, done),
        exit({length([x || W <- Workers, receive {'EXIT', W, normal} -> true end]), queue()})
    end),
    Workers = receive {workers, Ws} -> Ws end,
    executing(P),
    M = monitor(process, P),
    Ms = [monitor(process, W) || W <- Workers],
    [W ! stop || W <- Workers],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Ms],
    Left = process_info(P, links),
    let_go(2),
    {Left, down(P, M)};
%% All others hear of it while the call goes on; what came before the signal is seen to have come.
do(killed) ->
    Main = self(),
    Linked = linked(),
    P = spawn(fun() -> link(Linked), register(r_dirty_signals, self()), hold(3, Main) end),
    executing(P),
    M = monitor(process, P),
    [P ! {message, N, lists:seq(1, 50)} || N <- lists:seq(1, 1000)],
    {message_queue_len, Len} = process_info(P, message_queue_len),
    Alias = spawn_monitor(fun() -> link(P), receive never -> ok end end),
    until(fun() -> lists:member(element(1, Alias), element(2, process_info(P, links))) end),
    exit(P, kill),
    Alive = is_process_alive(P),
    Info = process_info(P),
    Down = down(P, M),
    Other = receive {'DOWN', _, process, _, Why} -> Why end,
    Heard = receive {Linked, {'EXIT', P, R}} -> R end,
    {Len, Alive, Info, Down, Other, Heard, whereis(r_dirty_signals), late(P)};
do(killed_later) -> % by the last of many signals
    P = spawn(fun() -> hold(3, 1) end),
    M = monitor(process, P),
    [P ! N || N <- lists:seq(1, 20000)],
    exit(P, normal),
    exit(P, stop),
    exit(P, kill),
    {is_process_alive(P), down(P, M)};
do(trapped) ->
    P = spawn(fun() -> process_flag(trap_exit, true), hold(4, done), exit({trapped, queue()}) end),
    executing(P),
    [exit(P, {reason, N}) || N <- [1, 2, 3]],
    P ! message,
    exit(P, normal),
    exit(P, {reason, binary:copy(<<1>>, 200)}),
    Self = self(),
    M = monitor(process, P),
    {messages, Messages} = process_info(P, messages),
    let_go(4),
    {trapped, Queue} = down(P, M),
    {Messages =:= Queue, [case E of {'EXIT', Self, R} -> {exit, R}; _ -> E end || E <- Queue]};
%% A link that is gone before the exit signal comes; one that comes back.
do(broken) ->
    P = spawn(fun() -> exit(hold(5, done)) end),
    executing(P),
    M = monitor(process, P),
    [spawn_monitor(fun() -> link(P), unlink(P), exit(bad) end) || _ <- lists:seq(1, 50)],
    [receive {'DOWN', _, process, _, bad} -> ok end || _ <- lists:seq(1, 50)],
    Alive = is_process_alive(P),
    {Other, R} = spawn_monitor(fun() -> link(P), unlink(P), link(P), exit(bad) end),
    receive {'DOWN', R, process, Other, bad} -> ok end,
    {Alive, is_process_alive(P), down(P, M)};
do(monitors) ->
    Main = self(),
    P = spawn(fun() ->
        A = alias([explicit_unalias]),
        {W, M} = spawn_monitor(fun() -> receive stop -> exit(worker) end end),
        Main ! {W, A},
        done = hold(6, done),
        exit([case E of {'DOWN', M, process, W, R} -> R; _ -> E end || E <- queue()])
    end),
    {W, A} = receive Pair -> Pair end,
    executing(P),
    Ms = [monitor(process, P) || _ <- lists:seq(1, 100)],
    M = monitor(process, P, [{alias, reply_demonitor}]),
    A ! {to_alias, 1},
    [demonitor(R) || R <- tl(Ms)],
    demonitor(M),
    W ! stop,
    until(fun() -> process_info(P, message_queue_len) =:= {message_queue_len, 2} end),
    {monitored_by, By} = process_info(P, monitored_by),
    {monitors, Made} = process_info(P, monitors),
    let_go(6),
    {length(By), Made, down(P, hd(Ms)), late(P)};
do(alive) ->
    Main = self(),
    Sees = fun(End) ->
        flush(alive),
        P = spawn(fun() -> hold_alive(7, Main) end),
        receive alive -> ok end,
        M = monitor(process, P),
        End(P),
        Down = down(P, M),
        {Down, receive {ended, Sent} -> Sent end}
    end,
    [Sees(E) || E <- [fun(P) -> exit(P, kill) end, fun(P) -> exit(P, stop) end,
                      fun(P) -> spawn(fun() -> link(P), exit(linked) end) end]];
%% What it sends meanwhile comes.
do(sending) ->
    Main = self(),
    flush(alive),
    P = spawn(fun() -> hold_alive(8, Main) end),
    receive alive -> ok end,
    [P ! N || N <- lists:seq(1, 5000)],
    {message_queue_len, Len} = process_info(P, message_queue_len),
    M = monitor(process, P),
    let_go(8),
    Reason = down(P, M),
    receive {ended, true} -> ok end,
    flush(alive),
    {Len, Reason};
%% A built-in function that waits for ever, and is not let go.
do(file) ->
    Path = fifo(),
    P = spawn(fun() -> exit(file:open(Path, [read, raw])) end),
    executing(P, open_nif),
    P ! message,
    Info = process_info(P, [status, current_function, message_queue_len]),
    M = monitor(process, P),
    exit(P, kill),
    Answer = {Info, down(P, M), is_process_alive(P), release(Path)},
    ok = file:delete(Path),
    Answer;
do(file_in_use) ->
    Path = fifo(),
    {Other, _} = spawn_monitor(fun() -> writer(Path) end),
    P = spawn(fun() ->
        {ok, File} = file:open(Path, [read, raw, binary]),
        {ok, <<"first">>} = file:read(File, 5),
        exit(file:read(File, 5))
    end),
    Other ! {write, <<"first">>},
    executing(P, read_nif),
    M = monitor(process, P),
    exit(P, kill),
    Down = down(P, M),
    Own = [file:open(?FILE, [read, raw, binary]) || _ <- [1, 2, 3]], % their descriptors are not the one in use
    Other ! {write, <<"later">>},
    Good = lists:usort([file:read(F, 2) || {ok, F} <- Own]),
    [file:close(F) || {ok, F} <- Own],
    Other ! stop,
    ok = file:delete(Path),
    {Down, Good, receive {'DOWN', _, process, Other, R} -> R end};
%% Many calls and many signals, whatever meets: nothing is lost.
do(rounds) ->
    Main = self(),
    let_go(9),
    P = spawn(fun() -> calls(9, 0, Main) end),
    Senders = [spawn_monitor(fun() -> link(P), [P ! N || N <- lists:seq(1, 2000)], unlink(P) end) || _ <- [1, 2, 3]],
    Infos = [process_info(P, [message_queue_len, links, status]) || _ <- lists:seq(1, 1000)],
    [receive {'DOWN', M, _, _, Why} -> normal = Why end || {_, M} <- Senders],
    P ! {stop, self()},
    {length(Infos), receive {total, Total} -> Total end}.

calls(Slot, Count, Main) ->
    done = hold(Slot, done),
    receive
        N when is_integer(N) -> calls(Slot, Count + 1, Main);
        {stop, Main} -> Main ! {total, Count}
    end.

%% The same test may run elsewhere at the same time.
fifo() ->
    Path = filename:join(os:getenv("NIF_LIBRARIES"), "r_dirty_signals_fifo." ++ os:getpid()),
    true = make_fifo(Path),
    Path.

writer(Path) ->
    {ok, File} = file:open(Path, [write, raw]),
    writes(File).

writes(File) ->
    receive
        {write, Data} -> file:write(File, Data), writes(File);
        stop -> ok
    end.

%% Who waits for a writer in a call that nobody needs any more gets one: its thread is free again. It may have been killed
%% before it got there: to read and write does not wait for a reader.
release(Path) -> element(1, file:open(Path, [read, write, raw])).

linked() ->
    Main = self(),
    spawn(fun() -> process_flag(trap_exit, true), receive E -> Main ! {self(), E} end end).

send(P, Who, N) ->
    Shared = binary:copy(<<"shared">>, 100),
    [P ! case I rem 3 of
             0 -> {Who, I, small};
             1 -> {Who, I, lists:seq(1, 100)};
             2 -> {Who, I, Shared}
         end || I <- lists:seq(1, N)].

in_order(Who, Queue) ->
    Numbers = [N || {W, N, _} <- Queue, W =:= Who],
    {length(Numbers), Numbers =:= lists:seq(1, length(Numbers))}.

queue() -> receive M -> [M | queue()] after 0 -> [] end.

executing(P) -> executing(P, hold).
executing(P, Function) ->
    until(fun() ->
        case process_info(P, current_function) of
            {_, {_, Function, _}} -> true;
            _ -> false
        end
    end).

down(P, M) -> receive {'DOWN', M, process, P, Reason} -> Reason after 60000 -> late end.

late(P) -> receive {'DOWN', _, process, P, R} -> {late, R} after 20 -> nothing end.

flush(M) -> receive M -> flush(M) after 0 -> ok end.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold(_, _) -> erlang:nif_error(not_loaded).
hold_later(_, _) -> erlang:nif_error(not_loaded).
hold_building(_) -> erlang:nif_error(not_loaded).
hold_alive(_, _) -> erlang:nif_error(not_loaded).
let_go(_) -> erlang:nif_error(not_loaded).
begun(_) -> erlang:nif_error(not_loaded).
make_fifo(_) -> erlang:nif_error(not_loaded).
