-module(insn_receive).
-export([main/0, loop/1]).
-include("../t.hrl").

main() ->
    t(self, fun() -> self() ! hello, receive X -> X end end),
    t(order, fun() -> [self() ! N || N <- lists:seq(1, 10)], [receive X -> X end || _ <- lists:seq(1, 10)] end),
    t(selective, fun() -> self() ! a, self() ! b, self() ! c, {receive b -> 1 end, receive c -> 2 end, receive a -> 3 end} end),
    t(after0, fun() -> receive X -> X after 0 -> none end end),
    t(after10, fun() -> receive X -> X after 10 -> none end end),
    t(after_match, fun() -> self() ! x, receive X -> X after 10 -> none end end),
    t(after_infinity, fun() -> self() ! x, receive X -> X after id(infinity) -> none end end),
    t(after_bad, fun() -> receive X -> X after id(foo) -> none end end),
    t(after_neg, fun() -> receive X -> X after id(-1) -> none end end),
    t(after_big, fun() -> receive X -> X after id(1 bsl 40) -> none end end),
    t(after_only, fun() -> receive after 5 -> done end end),
    t(call, fun() -> P = spawn(?MODULE, loop, [0]), [call(P, {add, N}) || N <- [1, 2, 3]] ++ [call(P, get), call(P, stop)] end),
    t(ref, fun() -> P = spawn(?MODULE, loop, [0]), [P ! junk || _ <- lists:seq(1, 100)], [refcall(P, {add, N}) || N <- [1, 2, 3]] end),
    t(big_message, fun() -> P = spawn(?MODULE, loop, [0]), M = {lists:seq(1, 1000), <<0:8000>>, #{a => "b"}, 1 bsl 100, 1.5}, call(P, {echo, M}) =:= M end),
    t(timeout_in_other, fun() -> S = self(), spawn(fun() -> receive after 10 -> S ! {late, 1} end end), receive {late, X} -> X after 60000 -> no end end),
    t(guard, fun() -> [self() ! N || N <- [1, 5, 9]], R = [receive X when X > 3 -> X end, receive Y when Y > 3 -> Y end], receive Z -> {R, Z} end end),
    t(nested, fun() -> self() ! {a, 1}, self() ! {b, 2}, receive {b, B} -> receive {a, A} -> {A, B} end end end),
    t(exception_inside, fun() -> self() ! x, receive X -> error({got, X}) end end),
    t(flush, fun() -> [self() ! N || N <- lists:seq(1, 1000)], flush(0) end),
    t(link_exit, fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> exit(why) end), R = receive {'EXIT', P, W} -> W after 60000 -> no end, process_flag(trap_exit, false), R end),
    t(monitor, fun() -> {P, M} = spawn_monitor(fun() -> exit({down, 1}) end), receive {'DOWN', M, process, P, R} -> R after 60000 -> no end end),
    t(monitor_dead, fun() -> P = spawn(fun() -> ok end), receive after 20 -> ok end, M = monitor(process, P), receive {'DOWN', M, process, P, R} -> R after 60000 -> no end end),
    t(registered, fun() -> register(insn_receive_me, self()), insn_receive_me ! hi, R = receive X -> X end, unregister(insn_receive_me), R end),
    t(send_unregistered, fun() -> nobody_is_called_this ! hi end),
    t(send_bad, fun() -> id("list") ! hi end),
    t(send_dead, fun() -> P = spawn(fun() -> ok end), receive after 10 -> ok end, P ! x end),
    t(pingpong, fun() -> P = spawn(?MODULE, loop, [0]), [call(P, {add, 1}) || _ <- lists:seq(1, 1000)], call(P, get) end),
    t(ring, fun() -> ring(200, 20) end),
    t(many, fun() -> S = self(), Ps = [spawn(fun() -> receive {S, X} -> S ! {self(), X * X} end end) || _ <- lists:seq(1, 1000)], [P ! {S, 3} || P <- Ps], lists:sum([receive {P, V} -> V end || P <- Ps]) end).

call(P, R) -> P ! {self(), R}, receive {P, A} -> A after 500 -> timeout end. % three do: a receive has failed before
refcall(P, R) -> Ref = make_ref(), P ! {self(), Ref, R}, receive {Ref, A} -> A after 60000 -> timeout end.
loop(N) ->
    receive
        {From, {add, K}} -> From ! {self(), N + K}, loop(N + K);
        {From, Ref, {add, K}} -> From ! {Ref, N + K}, loop(N + K);
        {From, {echo, M}} -> From ! {self(), M}, loop(N);
        {From, get} -> From ! {self(), N}, loop(N);
        {From, stop} -> From ! {self(), stopped}
    end.
flush(N) -> receive _ -> flush(N + 1) after 0 -> N end.
ring(Procs, Rounds) ->
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> node_loop(Next) end) end, self(), lists:seq(1, Procs)),
    [begin Last ! {token, N}, receive {token, N} -> ok end end || N <- lists:seq(1, Rounds)],
    Last ! stop,
    receive stop -> done end.
node_loop(Next) ->
    receive
        stop -> Next ! stop;
        M -> Next ! M, node_loop(Next)
    end.
