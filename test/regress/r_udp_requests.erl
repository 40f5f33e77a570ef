%% The driver udp_inet: what each request and option answers, byte by byte, of a socket that is not open, is open in each
%% family, or is connected; and what is no request at all.
-module(r_udp_requests).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    process_flag(trap_exit, true),
    _ = [F() || F <- [fun requests/0, fun kinds/0, fun addresses/0, fun local/0, fun buffers/0, fun statistics/0,
                      fun sending/0, fun connecting/0, fun others_fd/0, fun groups/0, fun interfaces/0, fun garbage/0]],
    [options(F) || F <- [none, 1, 2, 5]],
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
fresh() -> open_port({spawn_driver, "udp_inet"}, [binary]).
fresh(none) -> fresh();
fresh(Family) -> S = fresh(), {1, []} = ctl(S, 1, [Family, 2]), S.
bound() -> P = fresh(1), {1, _} = ctl(P, 6, [4, 0, 0]), {1, [_, A, B | _]} = ctl(P, 5, []), {P, A, B}.
first({1, [F | _]}) -> F;
first(X) -> X.

%% From OTP 26 on a term stands in front.
command(P, Data) -> port_command(P, [[<<0, 3, 131, 97, 5>> || erlang:system_info(otp_release) >= "26"], Data]).
sd(P, Data) -> {catch command(P, Data), fl(), prim_inet:getstatus(P)}.

requests() ->
    P = fresh(),
    w("no magic", catch erlang:port_control(P, 1, [])),
    w("info", [erlang:port_info(P, I) || I <- [name, input, output, queue_size]]),
    All = lists:seq(2, 10) ++ [11, 15, 16, 17, 18, 19, 20, 22, 23, 24, 26, 27, 28, 29, 30, 40, 42, 43, 44, 45, 50, 60, 62, 63, 64, 200],
    w("closed", [{I, ctl(P, I, [])} || I <- [13, 21, 25 | All]]),
    w("closed, sent", [sd(P, X) || X <- ["", [1, 0, 9, 127, 0, 0, 1, 0, 0, 0, 0, "abc"]]]),
    w("open", [{A, ctl(P, 1, A)} || A <- [[1], [9, 2], [1, 9], [1, 1], [1, 2, 1], [1, 2], [1, 2]]]),
    w("open", [{I, ctl(P, I, [])} || I <- All, I =/= 2]),
    w("names", [{I, ctl(P, I, A)} || I <- [29, 30], A <- [<<0:32>>, <<1:32>>, <<0:40>>]]),
    w("services", [ctl(P, 17, [6, "domain", 3, "udp"]), ctl(P, 17, [4, "httx", 3, "udp"]), ctl(P, 18, [0, 53, 3, "udp"])]),
    w("statistics", [ctl(P, 11, lists:seq(1, 10)), ctl(P, 11, [1, 11]), ctl(P, 24, [1]), ctl(P, 24, [2]), ctl(P, 28, [1])]),
    w("close", [ctl(P, 2, []), fl(), [{I, ctl(P, I, [])} || I <- All], ctl(P, 29, <<0:32>>), ctl(P, 1, [2, 2]), ctl(P, 15, []), port_close(P)]).

kinds() ->
    w("kinds", [{F, T, ctl(fresh(), 1, [F, T])} || F <- [0, 1, 2, 3, 5, 6], T <- [0, 1, 2, 3, 4]]).

addresses() ->
    P = fresh(1),
    w("bad", [ctl(P, 6, A) || A <- [[], [9], [1], [1, 0], [1, 0, 0, 1, 2, 3], [5], [5, 3, "ab"], [7, 0], [2, 0, 0, 1]]]),
    w("closed", [ctl(fresh(), 6, A) || A <- [[], [1], [1, 0], [1, 0, 0, 127, 0, 0, 1]]]),
    w("elsewhere", [ctl(P, 6, [1, 0, 0, 1, 2, 3, 4]), ctl(P, 6, [2, 0, 0 | lists:duplicate(16, 0)])]),
    w("bound", [begin S = fresh(F), {element(1, ctl(S, 6, [K, 0, 0])), tl(tl(tl(element(2, ctl(S, 5, [])))))} end || F <- [1, 2], K <- [3, 4]]),
    {B, X, Y} = bound(),
    w("taken", [ctl(B, 6, [1, 0, 0, 127, 0, 0, 1]), ctl(fresh(1), 6, [1, X, Y, 127, 0, 0, 1])]),
    w("said", [ctl(P, I, A) || {I, A} <- [{19, [1, 0, 80, 1, 2, 3, 4]}, {5, []}, {29, <<0:32>>}, {19, [1, 0]}, {20, [1, 0, 80, 1, 2, 3, 4]},
                                          {4, []}, {20, [9]}, {19, []}, {5, []}]]),
    w("peer", [ctl(P, 3, [<<0:32>>, 1, X, Y, 127, 0, 0, 1]) =/= x, fl(), ctl(P, 4, []), ctl(P, 20, []), ctl(P, 4, []) =:= {1, [1, X, Y, 127, 0, 0, 1]}]).

local() ->
    Name = "/tmp/r_udp_requests." ++ os:getpid(),
    To = [5, length(Name), Name],
    [P, C, B] = [fresh(5) || _ <- "abc"],
    w("bind", [ctl(P, 5, []), ctl(P, 6, To), ctl(P, 5, []) =:= {1, lists:flatten(To)}, ctl(P, 4, []), ctl(P, 15, [])]),
    w("sent", [sd(C, [To, 0, 0, 0, 0, "abc"]), ctl(P, 60, <<0:64>>), fl(), ctl(P, 60, <<0:64>>), fl()]),
    w("none there", [sd(C, [5, 4, "/xyz", 0, 0, 0, 0, "abc"]), sd(C, [5, 4, "/x"]), sd(C, [1, 0, 9, 127, 0, 0, 1, 0, 0, 0, 0, "a"])]),
    w("named", [ctl(B, 6, [5, 0]), first(ctl(B, 5, [])), sd(B, [To, 0, 0, 0, 0, "abc"]), ctl(P, 60, <<0:64>>)]),
    w("name", [{ok, N} || {inet_async, _, _, {ok, [5, 6, 0 | N]}} <- fl()] =/= []),
    w("connect", [ctl(C, 3, [<<-1:32>>, To]), fl(), sd(C, [5, 0, 0, 0, 0, 0, "x"]), ctl(C, 4, []) =:= {1, lists:flatten(To)}, ctl(C, 3, []), fl(),
                  ctl(C, 3, [<<-1:32>>, 5, 3, "abc"]), fl(), prim_inet:getstatus(C)]),
    w("wrong", [ctl(B, 6, [5, 5, "abc"]), ctl(B, 6, [1, 0, 0, 1, 2, 3, 4]), ctl(B, 6, [3, 0, 0]), ctl(B, 6, [5, 200, lists:duplicate(200, $a)])]),
    Full = [receive {inet_reply, _, R} -> R; {inet_reply, _, R, 5} -> R after 60000 -> none end
            || _ <- lists:seq(1, 1000), command(C, [To, 0, 0, 0, 0, "abc"])],
    w("full", [lists:usort(Full), erlang:port_info(C, queue_size)]),
    _ = prim_file:delete(Name).

buffers() ->
    Each = fun(P) -> [begin _ = ctl(P, 7, [O, <<V:32>>]), {O, V, ctl(P, 8, [20])} end
                      || {O, V} <- [{7, 500}, {7, 5000}, {20, 3000}, {7, 9000}, {20, 10}, {20, 0}, {20, -1}, {7, 100000}]] end,
    w("buffer", [Each(P) || P <- [fresh(), fresh(1), fresh(5)]]),
    w("much", [begin P = fresh(F), [{ctl(P, 7, [7, <<V:32>>]), ctl(P, 8, [20])} || V <- [65535, 65536, 65537, 1000000]] end || F <- [1, 5]]),
    P = fresh(1),
    w("packets", [{V, ctl(P, 7, [33, <<V:32>>]), ctl(P, 8, [33])} || V <- [0, 1, 7, -1, 100000]]),
    w("queue", [begin R = ctl(P, 7, [O, <<V:32>>]), {R, ctl(P, 8, [36, 37])} end || {O, V} <- [{36, 100}, {37, 50}, {37, 200}, {36, 1000}, {36, 100}, {37, 0}]]),
    w("active", [{ctl(P, 7, [22 | X]), fl(), ctl(P, 8, [22])}
                 || X <- [<<3:32, 5:16>>, <<3:32, -3:16>>, <<3:32, 32767:16>>, <<3:32, -9:16>>, <<4:32>>, <<1:32>>, <<2:32>>, <<0:32>>]]).

-define(ALL, [recv_cnt, recv_max, recv_avg, recv_dvi, send_cnt, send_max, send_avg, send_oct, recv_oct, send_pend]).

statistics() ->
    {P, A, B} = bound(),
    Q = fresh(1),
    [begin true = command(Q, [1, A, B, 127, 0, 0, 1, 0, 0, 0, 0, lists:duplicate(N, 1)]), fl(), ctl(P, 60, <<0:64>>), fl() end
     || N <- [1, 5, 0, 100, 37, 2, 3000]],
    [sd(Q, X) || X <- ["", [0], [1, A, B, 127, 0, 0, 1, 0, 0, 0, 5, "abc"], [1, A, B, 127, 0, 0, 1, 0, 0, 0, 0, lists:duplicate(70000, 1)]]],
    w("counted", [prim_inet:getstat(X, ?ALL) || X <- [P, Q]]).

sending() ->
    {P, A, B} = bound(),
    Q = fresh(1),
    To = [1, A, B, 127, 0, 0, 1],
    Wrong = ["", [0], [9], [1], [1, A, B], To, [To, 0, 0], [To, 0, 0, 0, 5], [To, 0, 0, 0, 0], [0, 0, 0, 0, 0, "x"], [2, A, B, 0, 0, 0, 0, 0, 0],
             [4, A, B, 0, 0, 0, 0, "x"], [3, A, B, 0, 0, 0, 0, "x"], [1, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, "x"],
             [1, 0, 9, 255, 255, 255, 255, 0, 0, 0, 0, "x"], [5, 3, "abc", 0, 0, 0, 0, "x"]],
    w("wrong", [{lists:flatlength(X), sd(Q, X)} || X <- Wrong]),
    Option = fun(Size, X) -> [To, <<Size:32>>, X, "x"] end,
    w("options", [sd(Q, Option(S, X)) || {S, X} <- [{5, [9, <<32:32>>]}, {5, [10, <<4:32>>]}, {5, [46, <<64:32>>]}, {5, [46, <<0:32>>]}, {5, [46, <<256:32>>]},
                                                   {5, [9, <<256:32>>]}, {5, [41, <<7:32>>]}, {6, [46, <<64:32>>, 9]}, {10, [46, <<64:32>>, 9, <<32:32>>]},
                                                   {2, [9, 0]}, {4, [9, 0, 0, 0]}, {5, [43, <<1:32>>]}, {-1, [9, 0]}, {16#7fffffff, []}, {0, []}]]),
    w("long", [sd(Q, [To, 0, 0, 0, 0, lists:duplicate(N, 1)]) || N <- [65507, 65508, 70000, 200000]]),
    w("parts", sd(Q, [To, 0, 0, 0, 0, lists:duplicate(3000, <<"0123456789abcdefX">>)])),
    {1, []} = ctl(P, 7, [20, <<65536:32>>]),
    w("came", [begin _ = ctl(P, 60, <<0:64>>), [case R of {ok, L} -> {iolist_size(L), erlang:phash2(list_to_binary(lists:nthtail(7, L)))}; E -> E end || {inet_async, _, _, R} <- fl()] end || _ <- lists:seq(1, 22)]).

connecting() ->
    {P, A, B} = bound(),
    Q = fresh(1),
    How = fun(X) -> R = ctl(Q, 3, X), {R, fl(), prim_inet:getstatus(Q), first(ctl(Q, 4, []))} end,
    w("connect", [How(X) || X <- [[], [0], [0, 0], <<0:32>>, <<0:40>>, [<<-1:32>>, 9], [<<-1:32>>, 1, A, B, 127, 0, 0], [<<-1:32>>, 1, A, B, 127, 0, 0, 1],
                                  [<<-1:32>>, 1, A, B, 127, 0, 0, 1], [<<-1:32>>, 0], <<-1:32, 0:24>>, [], [<<0:32>>, 4, A, B], []]]),
    w("sent", [How([<<0:32>>, 4, A, B]), sd(Q, [4, 0, 9, 0, 0, 0, 0, "abc"]), sd(Q, [0, 0, 0, 0, 0, "abc"]), ctl(P, 60, <<0:64>>)]),
    w("came", [lists:nthtail(7, L) || {inet_async, _, _, {ok, L}} <- fl()]),
    w("again", [How([<<0:32>>, 1, 0, 9 | X]) || X <- [[127, 0, 0, 1], [127, 0, 0, 2], [255, 255, 255, 255], [127, 0, 0, 1], [255, 255, 255, 255]]]).

fd_of(P) -> {1, L} = ctl(P, 14, []), list_to_binary(L).

others_fd() ->
    {P, A, B} = bound(),
    Q = fresh(1),
    _ = {ctl(Q, 3, [<<0:32>>, 1, A, B, 127, 0, 0, 1]), fl()},
    {ok, T} = prim_inet:open(tcp, inet, stream),
    [begin
         N = fresh(),
         w("fd", [ctl(N, 13, [X, fd_of(F), Y]), prim_inet:getstatus(N), ctl(N, 15, []), ctl(N, 28, [1])]),
         _ = [ctl(N, 7, [22, <<0:32>>])]
     end || F <- [P, Q, T], X <- [[1, 2], [1, 1], [2, 2], [1, 9]], Y <- [[], <<1:32>>, <<0:32>>, [1]]],
    N = fresh(),
    w("bad fd", [ctl(N, 13, [1, 2, X]) || X <- [<<99:16>>, <<999:32>>, <<-1:32>>, <<0:32>>]]).

groups() ->
    P = fresh(1),
    set(P, [{reuseaddr, true}]),
    Group = {{224, 1, 2, 3}, {127, 0, 0, 1}},
    w("groups", [set(P, [{O, Group}]) || O <- [add_membership, add_membership, drop_membership, drop_membership]]),
    w("multicast", [set(P, [{multicast_if, {127, 0, 0, 1}}, {multicast_ttl, 3}, {multicast_loop, false}]),
                    prim_inet:getopts(P, [multicast_ttl, multicast_loop])]),
    w("no groups", [set(fresh(5), [{add_membership, Group}]), set(fresh(2), [{add_membership, Group}]), set(fresh(), [{add_membership, Group}])]).
set(P, O) -> prim_inet:setopts(P, O).

%% Nothing of a real one is ever set.
interfaces() ->
    Get = [[2, "lo", 1, 2, 3, 4, 5, 6, 7], [2, "l"], [2, "lo", 9], [2, "lo", 0], [4, "nono", 1], [4, "nono", 6], [0], [2, "lo", 1, 200, 5], [40, lists:duplicate(40, $a), 1], [2, "lo"], []],
    [w("interface", {F, [ctl(fresh(F), 22, K) || K <- Get]}) || F <- [none, 1, 2, 5]],
    Set = [[1, 1, 10, 0, 0, 1], [1, 2, 10, 0, 0, 1], [1, 1, 10, 0], [2, 1, 1, 2, 3, 4], [3, 1, 1, 2, 3, 4], [5, 1, 1, 2, 3, 4], [4, 0, 0, 5, 0], [4, 0, 0, 5],
           [4, 0, 0, 5, 0, 9], [6, 0, 0, 0, 1], [6, 0, 0], [7, 0, 2, 1, 2], [7, 0, 6, 1, 2], [7, 0], [9], [0], []],
    [w("interface, set", {F, [ctl(fresh(F), 23, K) || K <- [[5, "n"], []] ++ [[4, "nono" | X] || X <- Set]]}) || F <- [none, 1, 2, 5]],
    [w("interfaces", {F, I, ctl(fresh(F), I, [])}) || F <- [none, 1, 2, 5], I <- [21, 25]],
    {ok, T} = prim_inet:open(tcp, inet, stream),
    w("of tcp", {prim_inet:getiflist(T), prim_inet:getifaddrs(T), prim_inet:ifget(T, "lo", [addr, mtu, flags, hwaddr, netmask])}).

%% Numbers and bytes of any kind, but for interfaces, which they might change, and other descriptors, which they might take.
garbage() ->
    _ = rand:seed(exsss, {1, 2, 3}),
    [begin
         P = fresh(F),
         All = [begin
                    Bytes = rand:bytes(rand:uniform(24) - 1),
                    answer(N, ctl(P, N, Bytes))
                end || N <- lists:seq(1, 70), not lists:member(N, [2, 5, 6, 7, 8, 12, 13, 14, 21, 22, 23, 25]), _ <- lists:seq(1, 10)],
         w("garbage", {F, [{N, [X || {M, X} <- All, M =:= N]} || N <- lists:usort([N || {N, _} <- All])]}),
         _ = fl(),
         port_close(P),
         _ = fl()
     end || F <- [none, 1, 2, 5]],
    ok.
answer(N, {1, _}) -> {N, ok};
answer(N, X) -> {N, X}.

options(Family) ->
    P = fresh(Family),
    Each = fun(O) -> {O, ctl(P, 8, [O]), [case ctl(P, 7, [O, <<V:32>>]) of {1, []} -> ctl(P, 8, [O]); R -> R end || V <- [0, 1, 5, -1]]} end,
    w("family", Family),
    [w("option", Each(O)) || O <- lists:seq(0, 50) ++ [100, 255], not lists:member(O, [3, 6, 7, 11, 34, 45])],
    w("lists of options", [ctl(P, 8, [45]), ctl(P, 7, [45, 0, 0, 0, 1])]),
    w("several", [{ctl(P, 7, [3, <<A:32, B:32>>]), ctl(P, 8, [3])} || {A, B} <- [{1, 5}, {0, 5}]] ++ [ctl(P, 7, [3, <<1:32>>])]),
    w("raw", [ctl(P, I, [34 | A]) || {I, A} <- [{7, <<1:32, 2:32, 4:32, 1:32/native>>}, {8, <<1:32, 2:32, 0, 4:32>>}, {7, <<1:32, 2:32, 4:32, 1>>}, {8, <<1:32, 2:32, 0, 4:16>>}]]),
    w("device", [ctl(P, 7, [42, <<2:32, "lo">>]), ctl(P, 8, [42]), ctl(P, 7, [42, <<4:32, "nono">>]), ctl(P, 7, [42, <<0:32>>])]),
    w("space", [ctl(P, 7, [38, <<4:32, "/no/">>]), ctl(P, 8, [38]), ctl(P, 1, [1, 2])]),
    w("many", [ctl(P, 7, [33, 0, 0, 0, 9, 4, 0, 0, 0, 1, 20, 0, 0, 2, 0]), ctl(P, 8, [33, 4, 20]), ctl(P, 7, [200, 0, 0, 0, 0])]),
    true = port_close(P).
