%% Messages through the native interface, from functions and from threads.
-module(nif_send).
-export([main/0]).
-nifs([send/3, dirty_send/3, send_twice/1, from_threads/4, is_process_alive/1, is_alive_by_thread/1, whereis/1,
       dirty_whereis/1, pids/2, undefined_pid/0, port/1]).
-compile({no_auto_import, [is_process_alive/1, whereis/1]}).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_send"), 0),
    Terms = [a, 1 bsl 70, {a, "list", [1.0]}, binary:copy(<<"b">>, 300), maps:from_list([{N, N} || N <- lists:seq(1, 50)]),
             lists:seq(1, 1000)],
    t(send, fun() -> [{send(self(), T, How), flush() =:= copies(T, How)} || T <- Terms, How <- [0, 1, 2]] end),
    t(dirty_send, fun() -> [{dirty_send(self(), T, How), flush() =:= copies(T, How)} || T <- Terms, How <- [0, 1, 2]] end),
    t(send_twice, fun() -> [{send_twice(T), flush() =:= [{0, T}, {1, T}]} || T <- Terms] end),
    t(send_to_dead, fun() -> D = dead(), [send(D, hello, How) || How <- [0, 1, 2]] end),
    t(dirty_send_to_dead, fun() -> D = dead(), [dirty_send(D, hello, How) || How <- [0, 1, 2]] end),
    check(send, fun send/3, [[a, b, 0], [1, b, 1], [make_ref, x, 0]]),
    t(order, fun() -> [send(self(), N, N rem 2) || N <- lists:seq(1, 100)], flush() =:= lists:seq(1, 100) end),
    t(order_among_others,
      fun() -> [begin send(self(), N, N rem 2), self() ! N end || N <- lists:seq(1, 100)],
               flush() =:= lists:append([[N, N] || N <- lists:seq(1, 100)])
      end),
    t(from_threads, fun() -> from_threads_test(4, 500, {some, "term", <<"and binary">>}) end),
    t(from_threads_large, fun() -> from_threads_test(3, 20, {lists:seq(1, 1000), binary:copy(<<"x">>, 1000)}) end),
    t(from_threads_to_dead, fun() -> from_threads(dead(), 2, 100, a) end),
    t(from_threads_to_dying, fun from_threads_to_dying/0),
    t(selected, fun() ->
                    from_threads(self(), 1, 50, x),
                    First = receive {from_thread, 0, 30, x} -> found end,
                    {First, length(flush())}
                end),
    t(alive, fun() -> {is_process_alive(self()), is_process_alive(dead()), is_alive_by_thread(self()),
                       is_alive_by_thread(dead()), is_process_alive(a)} end),
    t(whereis, fun() ->
                   register(some_name, self()),
                   R = {whereis(some_name), dirty_whereis(some_name), whereis(no_name), whereis("text")},
                   unregister(some_name),
                   {setelement(1, setelement(2, R, element(2, R) =:= {self(), false}), element(1, R) =:= {self(), false}),
                    whereis(some_name)}
               end),
    t(pids, fun() ->
                P = spawn(fun() -> ok end),
                {element(1, pids(self(), P)), element(1, pids(P, self())), pids(P, P) =:= {0, P, P}, pids(a, P), pids(P, 1)}
            end),
    t(remote_pid, fun() -> R = binary_to_term(<<131, 88, 119, 5, "a@b.c", 1:32, 2:32, 3:32>>), {is_pid(R), pids(R, R)} end),
    t(undefined_pid, fun undefined_pid/0),
    t(port, fun() -> {port(list_to_port("#Port<0.268435455>")), port(a), port(self())} end).

copies(T, 2) -> [T, T, T];
copies(T, _) -> [T].

dead() -> {Pid, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> Pid end.

%% Messages of each thread are in order.
from_threads_test(Threads, Messages, Term) ->
    Sent = from_threads(self(), Threads, Messages, Term),
    Got = flush(),
    {Sent, [[N || {from_thread, T, N, X} <- Got, T =:= Thread, X =:= Term] =:= lists:seq(0, Messages - 1)
            || Thread <- lists:seq(0, Threads - 1)]}.

%% Dies in the middle of it.
from_threads_to_dying() ->
    {Pid, Ref} = spawn_monitor(fun() -> receive {from_thread, _, 40, _} -> exit(enough) end end),
    Sent = from_threads(Pid, 3, 2000, lists:seq(1, 20)),
    {receive {'DOWN', Ref, _, _, Why} -> Why end, Sent =< 6000, Sent > 40}.

send(_, _, _) -> erlang:nif_error(not_loaded).
dirty_send(_, _, _) -> erlang:nif_error(not_loaded).
send_twice(_) -> erlang:nif_error(not_loaded).
from_threads(_, _, _, _) -> erlang:nif_error(not_loaded).
is_process_alive(_) -> erlang:nif_error(not_loaded).
is_alive_by_thread(_) -> erlang:nif_error(not_loaded).
whereis(_) -> erlang:nif_error(not_loaded).
dirty_whereis(_) -> erlang:nif_error(not_loaded).
pids(_, _) -> erlang:nif_error(not_loaded).
undefined_pid() -> erlang:nif_error(not_loaded).
port(_) -> erlang:nif_error(not_loaded).
