%% The driver udp_inet: what packets look like in each mode, who hears of them and of errors, who waits, and what becomes of
%% all that when a socket is closed, lost or given away.
-module(r_udp_states).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    process_flag(trap_exit, true),
    _ = [F() || F <- [fun forms/0, fun local_forms/0, fun controls/0, fun active/0, fun waiting/0, fun sizes/0,
                      fun refused/0, fun closing/0, fun owner/0, fun many/0, fun no_descriptors/0]],
    ok.

w(Label, X) -> io:format("~s ~0tp~n", [Label, clean(X)]).
clean(X) when is_port(X) -> port;
clean(X) when is_pid(X) -> pid;
%% The sender's own number is the system's.
clean({udp, _, A, _, D}) -> {udp, A, D};
clean({udp, _, A, _, C, D}) -> {udp, A, C, D};
clean({data, [F, _, _ | D]}) when F < 3 -> {data, D};
clean({data, [1 | <<_:16, D/binary>>]}) -> {data, [1 | D]};
clean({data, <<1, _:16, D/binary>>}) -> {data, D};
clean({ok, {[F, _, _ | L], C}}) when F < 3 -> {ok, {[F | L], C}};
clean({ok, [F, _, _ | L]}) when F < 3, is_integer(F) -> {ok, [F | L]};
clean({inet_reply, _, R, 5}) -> {inet_reply, port, R};
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 50 -> [] end.
%% So many are sure to come.
fl(0) -> fl();
fl(N) -> receive X -> [X | fl(N - 1)] after 60000 -> [] end.
ctl(S, Command, Data) ->
    try erlang:port_control(S, Command + 16#03f1a300, Data) of [H | T] -> {H, T} catch C:R -> {C, R} end.
fresh() -> open_port({spawn_driver, "udp_inet"}, [binary]).
fresh(Family) -> S = fresh(), {1, []} = ctl(S, 1, [Family, 2]), S.
bound(F) -> P = fresh(F), {1, _} = ctl(P, 6, [4, 0, 0]), {1, [_, A, B | _]} = ctl(P, 5, []), {P, [4, A, B]}.
bound() -> bound(1).
set(P, O) -> prim_inet:setopts(P, O).
get(P, O) -> prim_inet:getopts(P, O).
tagged(Data) -> [[<<0, 3, 131, 97, 5>> || erlang:system_info(otp_release) >= "26"], Data].
send(P, To, Data) -> send(P, To, [], Data).
send(P, To, Options, Data) ->
    true = port_command(P, tagged([To, <<(iolist_size(Options)):32>>, Options, Data])),
    receive {inet_reply, P, R} -> R; {inet_reply, P, R, 5} -> R after 60000 -> none end.
rc(P) -> rc(P, 0).
rc(P, N) -> {ctl(P, 60, <<1000:32, N:32>>), receive {inet_async, P, _, R} -> R after 60000 -> none end}.

forms() ->
    {P, To} = bound(),
    Q = fresh(1),
    [begin
         ok = set(P, [{mode, M}, {header, H}, {deliver, D}, {active, true}]),
         _ = [ok = send(Q, To, X) || X <- ["", "a", "ab", "abcdefgh"]],
         w("form", {M, H, D, fl()}),
         ok = set(P, [{active, false}]),
         w("waited", [begin ok = send(Q, To, X), rc(P) end || X <- ["", "a", "ab", "abcdefgh"]])
     end || M <- [list, binary], H <- [0, 1, 3, 8, 100], D <- [term, port]],
    ok.

local_forms() ->
    Name = "/tmp/r_udp_states." ++ os:getpid(),
    {P, Q} = {fresh(5), fresh(5)},
    To = [5, length(Name), Name],
    {1, _} = ctl(P, 6, To),
    Each = fun(X) ->
                   [begin
                        ok = set(P, [{mode, M}, {deliver, D}, {active, true}]),
                        _ = [ok = send(X, To, Data) || Data <- ["", "abc"]],
                        Active = fl(),
                        ok = set(P, [{active, false}]),
                        {M, D, Active, [begin ok = send(X, To, Data), rc(P) end || Data <- ["", "abc"]]}
                    end || M <- [list, binary], D <- [term, port]]
           end,
    w("local, no name", Each(Q)),
    true = lists:prefix("/tmp/", Name),
    {ok, Cwd} = prim_file:get_cwd(),
    ok = prim_file:set_cwd("/tmp"),
    {1, _} = ctl(Q, 6, [5, 12, "r_udp_states"]),
    w("local", Each(Q)),
    _ = [prim_file:delete(N) || N <- [Name, "/tmp/r_udp_states"]],
    ok = prim_file:set_cwd(Cwd),
    w("local, gone", [send(Q, To, "abc"), port_close(P), send(Q, To, "abc")]).

controls() ->
    [begin
         {P, To} = bound(F),
         Q = fresh(F),
         [begin
              w("set", {F, O, set(P, O)}),
              ok = set(P, [{active, true}]),
              w("controls", [begin R = send(Q, To, Option, "abc"), {R, fl()} end || Option <- ["", [9, <<32:32>>], [46, <<7:32>>], [41, <<5:32>>]]]),
              ok = set(P, [{deliver, port}]),
              w("as a port", [send(Q, To, "abc"), fl()]),
              ok = set(P, [{deliver, term}, {active, false}]),
              w("waited", [begin R = send(Q, To, Option, "abc"), {R, rc(P)} end || Option <- ["", [9, <<32:32>>]], F =:= 1])
          end || O <- [[], [{recvtos, true}], [{recvttl, true}], [{recvtclass, true}], [{recvtos, false}, {raw, 0, 8, <<1:32/native>>}]]]
     end || F <- [1, 2]],
    ok.

active() ->
    {P, To} = bound(),
    Q = fresh(1),
    _ = [ok = send(Q, To, [X]) || X <- "abcdefghijkl"],
    How = fun(O) -> {set(P, [{active, O}]), fl(), get(P, [active])} end,
    w("active", [How(O) || O <- [once, false, 2, once, 1, -1, 3, -1, true]]),
    w("counted", [set(P, [{active, 3}]), send(Q, To, "1"), fl(), get(P, [active]), set(P, [{active, 32767}]), set(P, [{active, -3}]), fl(), get(P, [active])]),
    N = fresh(),
    w("before it is open", [set(N, [{active, true}]), ctl(N, 1, [1, 2]), element(1, ctl(N, 6, [4, 0, 0]))]),
    {1, [_, A, B | _]} = ctl(N, 5, []),
    w("then", [send(Q, [4, A, B], "abc"), fl(), ctl(N, 60, <<0:64>>)]).

waiting() ->
    {P, To} = bound(),
    Q = fresh(1),
    w("nothing", [{ctl(P, 60, X), fl(N)} || {X, N} <- [{<<0:64>>, 1}, {<<10:32, 5:32>>, 1}, {<<1:32>>, 0}, {<<0:72>>, 0}, {<<>>, 0}]]),
    w("twice", [ctl(P, 60, <<-1:32, 0:32>>), ctl(P, 60, <<-1:32, 0:32>>), ctl(P, 60, <<0:64>>), send(Q, To, "abc"), fl()]),
    Self = self(),
    _ = spawn(fun() -> Self ! {asked, ctl(P, 60, <<-1:32, 0:32>>)}, receive X -> Self ! {heard, X} end end),
    w("another", [fl(), send(Q, To, "abc"), fl()]),
    _ = spawn(fun() -> Self ! {asked, ctl(P, 60, <<-1:32, 0:32>>)} end),
    w("gone", [fl(), ctl(P, 60, <<0:64>>), send(Q, To, "abc"), fl(), rc(P)]),
    w("active meanwhile", [ctl(P, 60, <<-1:32, 0:32>>), set(P, [{active, true}]), send(Q, To, "abc"), fl(), ctl(P, 60, <<0:64>>)]).

sizes() ->
    {P, To} = bound(),
    Q = fresh(1),
    Data = "0123456789abcdefghijklmnopqrstuvwxyz",
    w("buffer", [begin ok = set(P, [{buffer, B}]), ok = send(Q, To, Data), {B, N, rc(P, N)} end || B <- [1, 10, 36, 100], N <- [0, 5, 36, -1, 16#7fffffff, 16#4000001]]),
    w("buffer, active", [begin ok = set(P, [{buffer, B}, {active, once}]), ok = send(Q, To, Data), fl() end || B <- [1, 10, 36, 100]]),
    ok = set(P, [{buffer, 100000}]),
    [begin
         ok = set(P, [{mode, M}]),
         w("sizes", [begin
                         ok = send(Q, To, binary:copy(<<"x">>, N)),
                         case rc(P) of
                             {_, {ok, [1, _, _, _, _, _, _ | B]}} when is_binary(B) -> {N, byte_size(B), binary:referenced_byte_size(B) < 2 * N + 64};
                             {_, {ok, L}} -> {N, length(L)}
                         end
                     end || N <- [63, 64, 65, 1000, 10000, 65507]])
     end || M <- [list, binary]],
    w("too long", [send(Q, To, binary:copy(<<"x">>, N)) || N <- [65508, 1000000]]).

refused() ->
    {G, _} = bound(),
    {1, [_, A, B | _]} = ctl(G, 5, []),
    true = port_close(G),
    _ = fl(),
    {P, _} = bound(),
    w("connect", [prim_inet:connect(P, {127, 0, 0, 1}, A * 256 + B), prim_inet:getstatus(P)]),
    Send = fun() -> send(P, [4, A, B], "abc") end,
    w("passive", [Send(), Send(), rc(P), Send(), rc(P), rc(P)]),
    w("waiting", [ctl(P, 60, <<-1:32, 0:32>>), Send(), fl()]),
    [w("active", {O, set(P, [{active, O}]), Send(), fl(), get(P, [active]), Send(), fl(), get(P, [active])}) || O <- [once, 2, true]],
    ok = set(P, [{active, false}]),
    w("active late", [Send(), fl(), set(P, [{active, true}]), fl()]),
    w("disconnected", [ctl(P, 3, []), fl(), Send(), Send(), fl()]).

closing() ->
    {P, _} = bound(),
    w("closed", [ctl(P, 60, <<-1:32, 0:32>>), port_close(P), lists:sort(fl())]),
    {P1, _} = bound(),
    w("by request", [ctl(P1, 60, <<-1:32, 0:32>>), ctl(P1, 2, []), fl(), prim_inet:getstatus(P1), ctl(P1, 1, [1, 2]), ctl(P1, 60, <<0:64>>), port_close(P1), lists:sort(fl())]),
    {P2, _} = bound(),
    w("by request, for a while", [ctl(P2, 60, <<20:32, 0:32>>), ctl(P2, 2, []), fl(1), ctl(P2, 1, [1, 2]), ctl(P2, 60, <<0:64>>), fl()]),
    {P3, To} = bound(),
    Q = fresh(1),
    ok = set(P3, [{active, true}]),
    w("active, by request", [ctl(P3, 2, []), send(Q, To, "abc"), fl(), get(P3, [active, mode, buffer]), port_close(P3), fl()]).

owner() ->
    {P, To} = bound(),
    Q = fresh(1),
    Self = self(),
    New = spawn(fun() -> receive go -> ok end, Self ! {owner, port_connect(P, self()), set(P, [{active, true}])}, receive X -> Self ! {heard, X} end end),
    true = port_connect(P, New),
    true = unlink(P),
    New ! go,
    w("new owner", [fl(), send(Q, To, "abc"), fl(), erlang:port_info(P)]),
    {Pid, M} = spawn_monitor(fun() -> {X, XTo} = bound(), Self ! {x, X, XTo}, receive s -> ok end end),
    receive
        {x, X, _} ->
            w("its end", [ctl(X, 60, <<-1:32, 0:32>>), exit(Pid, kill), receive {'DOWN', M, _, _, R} -> R end, fl(), erlang:port_info(X)])
    end,
    w("command", [is_tuple(Q ! {self(), {command, tagged([To, 0, 0, 0, 0, "x"])}}), fl(), Q ! {self(), close}, fl()]).

many() ->
    {P, To} = bound(),
    Q = fresh(1),
    ok = set(P, [{recbuf, 1000000}, {read_packets, 2}]),
    _ = [ok = send(Q, To, <<X:32>>) || X <- lists:seq(1, 500)],
    ok = set(P, [{mode, binary}, {active, true}]),
    w("in order", [X || {udp, _, _, _, <<X:32>>} <- fl()] =:= lists:seq(1, 500)),
    w("counted", prim_inet:getstat(P, [recv_cnt, recv_oct])).

%% As many as there may be are taken; who comes then is refused.
no_descriptors() ->
    Ports = taken(),
    w("no descriptors", [prim_inet:open(udp, inet, dgram), ctl(fresh(), 1, [1, 2])]),
    _ = [port_close(P) || P <- Ports],
    _ = fl(),
    w("some", element(1, prim_inet:open(udp, inet, dgram))).

taken() -> taken([]).
taken(Ports) when length(Ports) > 200000 -> Ports;
taken(Ports) ->
    P = fresh(),
    case ctl(P, 1, [1, 2]) of
        {1, []} -> taken_more(P, Ports);
        {0, "emfile"} -> Ports;
        Other -> w("other", Other), Ports
    end.
taken_more(P, Ports) -> taken([P | Ports]).
