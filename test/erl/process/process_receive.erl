-module(process_receive).
-export([main/0]).
-include("p.hrl").

main() ->
    process_flag(trap_exit, false),
    order(),
    selective(),
    timeouts(),
    kept_parts(),
    references(),
    big_messages(),
    names(),
    destinations().

%% Messages of one sender arrive in the order in which they were sent, from many senders at once.
order() ->
    Self = self(),
    [spawn(fun() -> [Self ! {S, I} || I <- lists:seq(1, 1000)] end) || S <- lists:seq(1, 10)],
    L = [receive {S, I} -> {S, I} end || _ <- lists:seq(1, 10000)],
    p(order, [[I || {S1, I} <- L, S1 =:= S] =:= lists:seq(1, 1000) || S <- lists:seq(1, 10)]).

selective() ->
    [self() ! {I rem 3, I} || I <- lists:seq(1, 30)],
    Zero = [receive {0, I} -> I end || _ <- lists:seq(1, 10)],
    p(zero, Zero),
    p(rest, flush(0)),
    [self() ! I || I <- lists:seq(1, 5)],
    p(guard, receive X when X > 3, length([X]) =:= 1 -> X end),
    p(big, receive Y when is_integer(Y), Y * 1000000000000000000000 > 4000000000000000000000 -> Y end),
    p(rest, flush(0)),
    %% passed over while the heap is collected again and again
    [self() ! {keep, I, lists:seq(1, I)} || I <- lists:seq(1, 50)],
    self() ! last,
    receive last -> ok end,
    garbage_collect(),
    _ = [lists:seq(1, 1000) || _ <- lists:seq(1, 20)],
    self() ! last2,
    receive last2 -> garbage_collect() end,
    p(kept, lists:all(fun({keep, I, L}) -> L =:= lists:seq(1, I) end, flush(0))).

timeouts() ->
    p(zero, receive _ -> no after 0 -> yes end),
    T0 = erlang:monotonic_time(millisecond),
    receive never -> ok after 30 -> ok end,
    D = erlang:monotonic_time(millisecond) - T0,
    p(not_early, D >= 30 andalso D < 1000),
    self() ! a, self() ! b,
    p(zero_with_messages, receive c -> c after 0 -> none end),
    p(left, flush(0)),
    erlang:send_after(20, self(), ping),
    p(wakes, receive ping -> pong after 60000 -> late end),
    p(again, receive ping -> pong after 20 -> late end),
    [f({timeout, T}, fun() -> receive x -> x after T -> done end end) || T <- [-1, a, 1.0, 4294967296, 1 bsl 70]],
    %% other messages do not restart the time
    Self = self(),
    S = spawn(fun Loop() -> Self ! noise, receive stop -> ok after 5 -> Loop() end end),
    T1 = erlang:monotonic_time(millisecond),
    p(noise, receive never -> ok after 60 -> done end),
    p(in_time, erlang:monotonic_time(millisecond) - T1 < 2000),
    S ! stop,
    flush(30),
    Ps = [spawn_monitor(fun() -> receive after I rem 50 -> ok end end) || I <- lists:seq(1, 2000)],
    p(many, length([receive {'DOWN', R, process, P, normal} -> ok end || {P, R} <- Ps])).

%% Parts of a message stay good after the message has gone.
kept_parts() ->
    [self() ! {I, {deep, [I, {I, <<I:800>>}], #{I => "x"}}} || I <- lists:seq(1, 100)],
    L = [receive {I, {deep, [_, Part], Map}} -> {Part, Map} end || I <- lists:seq(100, 1, -1)],
    garbage_collect(),
    p(parts, lists:all(fun({I, {{I, <<I:800>>}, M}}) -> M =:= #{I => "x"} end, lists:zip(lists:seq(100, 1, -1), L))).

%% Receives for a fresh reference, with a long queue before it.
references() ->
    Server = spawn(fun Loop() -> receive {F, R, X} -> F ! {R, X}, Loop(); stop -> ok end end),
    [self() ! {old, I} || I <- lists:seq(1, 1000)],
    p(calls, lists:sum([call(Server, I) || I <- lists:seq(1, 1000)])),
    Server ! stop,
    p(left, length(flush(0))).

call(Server, X) ->
    R = make_ref(),
    Server ! {self(), R, X},
    receive {R, Y} -> Y end.

big_messages() ->
    Big = [{I, list_to_binary(integer_to_list(I)), I * 1.5, I bsl 80, "text"} || I <- lists:seq(1, 5000)],
    Echo = spawn(fun Loop() -> receive {F, X} -> F ! {self(), X}, Loop() end end),
    [begin Echo ! {self(), Big}, receive {Echo, X} -> X = Big end end || _ <- lists:seq(1, 5)],
    Bin = binary:copy(<<"0123456789">>, 100000),
    Echo ! {self(), {Bin, binary:part(Bin, 10, 500000)}},
    receive {Echo, {A, B}} -> p(binaries, {A =:= Bin, byte_size(B), erlang:phash2(B)}) end,
    F = fun(X) -> X + length(Big) end,
    Echo ! {self(), F},
    receive {Echo, G} -> p(funs, {G(1), G =:= F}) end,
    exit(Echo, kill).

names() ->
    P = spawn(fun Loop() -> receive {F, X} -> F ! {named, X}, Loop() end end),
    p(register, register(a_name, P)),
    a_name ! {self(), 1}, {a_name, node()} ! {self(), 2},
    p(by_name, flush(30)),
    p(whereis, whereis(a_name) =:= P),
    p(registered, lists:member(a_name, registered())),
    f(twice, fun() -> register(a_name, self()) end),
    f(other_name, fun() -> register(b_name, P) end),
    p(unregister, unregister(a_name)),
    p(whereis, whereis(a_name)),
    f(send, fun() -> a_name ! x end),
    p(send_node, {a_name, node()} ! x),
    f(unregister, fun() -> unregister(a_name) end),
    register(a_name, P),
    exit(P, kill),
    p(gone, eventually(fun() -> whereis(a_name) =:= undefined end)),
    p(again, register(a_name, self())),
    unregister(a_name),
    [f({register, N, same(W)}, fun() -> register(N, W) end)
        || {N, W} <- [{undefined, self()}, {1, self()}, {x, 1}, {x, P}]],
    f(whereis, fun() -> whereis(1) end).

destinations() ->
    [f({send, D}, fun() -> D ! x end) || D <- [1, "a", {a, b, c}, {1, node()}, {a, 1}, [], 1.0]],
    [f({send3, same(D), O}, fun() -> erlang:send(D, x, O) end) || D <- [self(), nobody_x, {nobody_x, node()}],
                                                         O <- [[], [noconnect], [nosuspend], [x], x]],
    p(ref, make_ref() ! x),
    p(got, flush(0)).
