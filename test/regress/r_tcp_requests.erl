%% The driver tcp_inet: what each request and option answers, byte by byte, of a socket that is not open, is open in each
%% family, or is connected.
-module(r_tcp_requests).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    process_flag(trap_exit, true),
    requests(),
    [options(F) || F <- [none, 1, 2, 5]],
    addresses(),
    local(),
    marks(),
    statistics(),
    late(),
    ok.

w(Label, X) -> io:format("~s ~w~n", [Label, clean(X)]).
clean(X) when is_port(X) -> port;
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 50 -> [] end.
ctl(S, Command, Data) ->
    try erlang:port_control(S, Command + 16#03f1a300, Data) of [H | T] -> {H, T} catch C:R -> {C, R} end.
fresh() -> open_port({spawn_driver, "tcp_inet"}, [binary]).
fresh(none) -> fresh();
fresh(Family) -> S = fresh(), {1, []} = ctl(S, 1, [Family, 1]), S.
family({1, [F | _]}) -> F;
family(X) -> X.

pair(O) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 5),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:close(L),
    [ok = prim_inet:setopts(X, [{mode, binary} | O]) || X <- [C, S]],
    {C, S}.

requests() ->
    P = fresh(),
    w("no magic", catch erlang:port_control(P, 1, [])),
    w("info", [erlang:port_info(P, I) || I <- [name, input, output, queue_size]]),
    All = lists:seq(2, 10) ++ [11, 15, 16, 17, 18, 19, 20, 24, 26, 27, 28, 29, 30, 40, 42, 43, 44, 45, 50, 60, 62, 63, 64, 200],
    w("closed", [{I, ctl(P, I, [])} || I <- [13 | All]]),
    w("open", [{A, ctl(P, 1, A)} || A <- [[1], [9, 1], [1, 9], [1, 2], [1, 1, 1], [1, 1], [1, 1]]]),
    w("open", [{I, ctl(P, I, [])} || I <- All, I =/= 2]),
    N = fresh(),
    w("fd", [ctl(N, 13, [1, 1, 0, 0, 0, 99, 0]), ctl(N, 14, []), element(1, ctl(P, 14, []))]),
    w("names", [{I, ctl(P, I, A)} || I <- [29, 30], A <- [<<0:32>>, <<1:32>>, <<0:40>>]]),
    w("services", [ctl(P, 17, [4, "http", 3, "tcp"]), ctl(P, 17, [4, "httx", 3, "tcp"]), ctl(P, 17, [4, "htt"]),
                   ctl(P, 18, [0, 80, 3, "tcp"]), ctl(P, 18, [0, 81, 3, "txx"]), element(1, ctl(P, 12, []))]),
    w("statistics", [ctl(P, 11, lists:seq(1, 10)), ctl(P, 11, [1, 11]), ctl(P, 24, [1]), ctl(P, 24, [2]), ctl(P, 28, [1])]),
    w("close", [ctl(P, 2, []), ctl(P, 16, []), ctl(P, 29, <<0:32>>), ctl(P, 1, [2, 1]), ctl(P, 15, []), port_close(P)]).

options(Family) ->
    P = fresh(Family),
    Each = fun(O) -> {O, ctl(P, 8, [O]), [case ctl(P, 7, [O, <<V:32>>]) of {1, []} -> ctl(P, 8, [O]); R -> R end || V <- [0, 1, 5, -1]]} end,
    w("family", Family),
    [w("option", Each(O)) || O <- lists:seq(0, 50) ++ [100, 255], not lists:member(O, [3, 6, 7, 11, 34])],
    w("buffers", [{1, []} =:= ctl(P, 7, [O, <<100000:32>>]) || O <- [6, 7]]),
    w("several", [{ctl(P, 7, [3, <<A:32, B:32>>]), ctl(P, 8, [3])} || {A, B} <- [{1, 5}, {0, 5}]] ++ [ctl(P, 7, [3, <<1:32>>])]),
    w("raw", [ctl(P, I, [34 | A]) || {I, A} <- [{7, <<1:32, 2:32, 4:32, 1:32/native>>}, {8, <<1:32, 2:32, 0, 4:32>>},
                                                {8, <<1:32, 2:32, 1, 4:32, 0:32>>}, {8, <<1:32, 2222:32, 0, 4:32>>},
                                                {7, <<1:32, 2222:32, 4:32, 1:32/native>>}, {7, <<1:32, 2:32, 4:32, 1>>},
                                                {8, <<1:32, 2:32, 0, 4:16>>}, {8, <<1:32, 2:32, 2, 4:32, 0:32>>}, {8, <<1:32, 2:32, 0, 0:32>>}]]),
    w("sizes", [case ctl(P, 8, [34, <<1:32, 13:32, 0, N:32>>]) of {1, []} -> none; {1, _} -> ok; X -> X end
                || N <- [0, 4, 7, 8, 1024, 65000, 65520, 65530, 70000]]),
    w("device", [ctl(P, 7, [42, <<2:32, "lo">>]), ctl(P, 8, [42]), ctl(P, 7, [42, <<4:32, "nono">>]),
                 ctl(P, 7, [42, <<30:32, "nononononononononononononononono">>]), ctl(P, 7, [42, <<0:32>>])]),
    w("space", [ctl(P, 7, [38, <<2:32, "lo">>]), ctl(P, 8, [38]), ctl(P, 7, [38, <<4:32, "no">>]), ctl(P, 7, [38, <<0:32>>]), ctl(P, 8, [38])]),
    w("active", [ctl(P, 7, [22, <<3:32, 5:16>>]), ctl(P, 8, [22]), ctl(P, 7, [22, <<4:32>>]), ctl(P, 8, [22]), ctl(P, 7, [22, <<0:32>>])]),
    w("many", [ctl(P, 7, [10, 0, 0, 0, 1, 1, 0, 0, 0, 1, 20, 0, 0, 2, 0]), ctl(P, 8, [10, 1, 20]),
               ctl(P, 7, [10, 0, 0, 0, 1, 1, 0, 0, 0, 1, 20, 0, 0, 2]), ctl(P, 8, [10, 1, 20]), ctl(P, 7, [200, 0, 0, 0, 0]), ctl(P, 7, [200])]),
    w("tos", [prim_inet:setopts(P, [{priority, 3}, {tos, 96}]), prim_inet:getopts(P, [priority, tos]),
              prim_inet:setopts(P, [{tos, 64}, {priority, 2}]), prim_inet:getopts(P, [priority, tos, tclass])]),
    true = port_close(P).

addresses() ->
    P = fresh(1),
    w("bad", [ctl(P, I, A) || I <- [6], A <- [[], [9], [1], [1, 0], [1, 0, 0, 1, 2, 3], [5], [5, 3, "ab"], [7, 0], [2, 0, 0, 1]]]),
    w("elsewhere", [ctl(P, 6, [1, 0, 0, 1, 2, 3, 4]), ctl(P, 6, [2, 0, 0 | lists:duplicate(16, 0)])]),
    w("any", [element(1, ctl(P, 6, [3, 0, 0])), tl(tl(tl(element(2, ctl(P, 5, [])))))]),
    P2 = fresh(1),
    w("loopback", [element(1, ctl(P2, 6, [4, 0, 0])), tl(tl(tl(element(2, ctl(P2, 5, [])))))]),
    P6 = fresh(2),
    w("any of 6", [element(1, ctl(P6, 6, [3, 0, 0])), tl(tl(tl(element(2, ctl(P6, 5, [])))))]),
    P7 = fresh(2),
    w("loopback of 6", [element(1, ctl(P7, 6, [4, 0, 0])), tl(tl(tl(element(2, ctl(P7, 5, [])))))]),
    P8 = fresh(1),
    w("said", [ctl(P8, I, A) || {I, A} <- [{19, [1, 0, 80, 1, 2, 3, 4]}, {5, []}, {29, <<0:32>>}, {19, [1, 0]}, {20, [1, 0, 80, 1, 2, 3, 4]},
                                           {4, []}, {20, [9]}, {19, []}, {5, []}]]),
    {C, _} = pair([]),
    w("peer", [ctl(C, 20, [1, 0, 80, 1, 2, 3, 4]), ctl(C, 4, []), ctl(C, 20, []), family(ctl(C, 4, [])), family(ctl(C, 30, <<0:32>>))]).

local() ->
    Name = "/tmp/r_tcp_requests." ++ os:getpid(),
    P = fresh(5),
    w("bind", [ctl(P, 6, [5, length(Name), Name]), ctl(P, 5, []) =:= {1, [5, length(Name) | Name]}, ctl(P, 4, []), ctl(P, 27, [0, 5]), ctl(P, 15, [])]),
    C = fresh(5),
    w("connect", [ctl(C, 3, [0, 0, 0, 100, 5, length(Name), Name]), fl(), ctl(C, 5, []), ctl(C, 4, []) =:= {1, [5, length(Name) | Name]}]),
    B = fresh(5),
    w("wrong", [ctl(B, 3, [0, 0, 0, 100, 5, length(Name) + 1, Name ++ "x"]), fl(), ctl(B, 3, [0, 0, 0, 100, 1, 0, 0, 127, 0, 0, 1]), ctl(B, 6, [5, 5, "abc"]),
                ctl(B, 6, [1, 0, 0, 1, 2, 3, 4]), ctl(B, 6, [3, 0, 0]), ctl(B, 6, [5, 200, lists:duplicate(200, $a)]), ctl(B, 6, [5, 0])]),
    {1, [5, 6, 0 | _]} = ctl(B, 5, []),
    {1, [_, _]} = ctl(P, 26, <<-1:32>>),
    w("accepted", [receive {inet_async, P, _, {ok, S}} -> {ctl(S, 5, []) =:= ctl(P, 5, []), ctl(S, 4, []), ctl(S, 16, []), ctl(S, 15, [])} after 60000 -> none end]),
    _ = prim_file:delete(Name).

marks() ->
    P = fresh(1),
    w("marks", [begin ctl(P, 7, [O, <<V:32>>]), ctl(P, 8, [27, 28]) end || {O, V} <- [{27, 100}, {28, 50}, {28, 200}, {27, 1000}, {27, 100}, {28, -1}, {27, -1}]]),
    w("queue", [begin R = ctl(P, 7, [O, <<V:32>>]), {R, ctl(P, 8, [36, 37])} end || {O, V} <- [{36, 100}, {37, 50}, {37, 200}, {36, 1000}, {36, 100}, {37, 0}]]),
    w("buffer", [begin ctl(P, 7, [O, <<V:32>>]), ctl(P, 8, [20]) end || {O, V} <- [{7, 5000}, {6, 6000}, {7, 1000}, {20, 67108865}, {20, 2147483647}]]).

statistics() ->
    {C, S} = pair([{packet, 2}]),
    [begin ok = prim_inet:send(S, lists:duplicate(N, 1)), {ok, _} = prim_inet:recv(C, 0) end || N <- [1, 5, 100, 37, 2]],
    All = [recv_cnt, recv_max, recv_avg, recv_dvi, send_cnt, send_max, send_avg, send_oct, recv_oct, send_pend],
    w("counted", [prim_inet:getstat(X, All) || X <- [C, S]]),
    prim_inet:setopts(C, [{packet, raw}]),
    ok = prim_inet:send(S, binary:copy(<<1>>, 3000)),
    {ok, _} = prim_inet:recv(C, 1000),
    {ok, _} = prim_inet:recv(C, 3),
    w("counted", [prim_inet:getstat(X, All) || X <- [C, S]]).

late() ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 1),
    Cs = [begin {ok, C} = prim_inet:open(tcp, inet, stream), {ok, _, _} = prim_inet:async_connect(C, {127, 0, 0, 1}, Port, 1500), C end || _ <- "abcde"],
    Told = [receive Message -> Message end || _ <- Cs],
    w("no room", {[prim_inet:getstatus(C) || C <- Cs], Told ++ fl()}),
    C = lists:last(Cs),
    w("after", [prim_inet:async_connect(C, {127, 0, 0, 1}, Port, 100), ctl(C, 1, [1, 1]), prim_inet:getstatus(C)]),
    {ok, X} = prim_inet:open(tcp, inet, stream),
    w("pending", [element(1, prim_inet:async_connect(X, {127, 0, 0, 1}, Port, 10000)), prim_inet:getstatus(X), ctl(X, 3, [0, 0, 0, 0, 1, 0, 1, 127, 0, 0, 1]),
                  ctl(X, 42, <<0:64>>), ctl(X, 44, [1]), catch port_command(X, "abc"), fl(), ctl(X, 27, [0, 1]), ctl(X, 2, []), fl(), prim_inet:getstatus(X)]).
