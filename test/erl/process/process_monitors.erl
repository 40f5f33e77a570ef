-module(process_monitors).
-export([main/0]).
-include("p.hrl").

main() ->
    process_flag(trap_exit, false),
    p(self, self()),
    basic(),
    names(),
    flushing(),
    options(),
    aliases(),
    many(),
    bad().

basic() ->
    [begin
         P = spawn(fun() -> receive go -> exit(How) end end),
         R = monitor(process, P),
         p(monitors, process_info(self(), monitors)),
         p(monitored_by, process_info(P, monitored_by)),
         P ! go,
         p({down, How}, flush())
     end || How <- [normal, {big, lists:seq(1, 20), <<"binary">>}]],
    {P, R} = spawn_monitor(fun() -> ok end),
    p(down, flush()),
    p(again, monitor(process, P)),
    p(noproc, flush()),
    p(self_monitor, is_reference(monitor(process, self()))),
    p(nothing, flush(20)),
    p(demonitor_unknown, demonitor(R)),
    p(time_offset, is_reference(monitor(time_offset, clock_service))),
    Two = spawn(fun() -> receive after infinity -> ok end end),
    R1 = monitor(process, Two), R2 = monitor(process, Two),
    true = demonitor(R1),
    exit(Two, kill),
    p(second, flush()),
    p(same, R2).

names() ->
    p(by_unknown_name, monitor(process, nobody_here)),
    p(down, flush()),
    P = spawn(fun() -> receive go -> ok end end),
    register(some_name, P),
    p(by_name, monitor(process, some_name)),
    p(by_name_and_node, monitor(process, {some_name, node()})),
    p(monitors, lists:sort(element(2, process_info(self(), monitors)))),
    P ! go,
    p(down, lists:sort(same(flush()))).

flushing() ->
    {P, R} = spawn_monitor(fun() -> exit(x) end),
    ok = eventually(fun() -> element(2, process_info(self(), message_queue_len)) =:= 1 end),
    p(flush, demonitor(R, [flush])),
    p(none, flush(20)),
    {_, R2} = spawn_monitor(fun() -> exit(x) end),
    ok = eventually(fun() -> element(2, process_info(self(), message_queue_len)) =:= 1 end),
    p(info, demonitor(R2, [info])),
    p(flush_info, demonitor(R2, [flush, info])),
    Q = spawn(fun() -> receive after infinity -> ok end end),
    R3 = monitor(process, Q),
    p(info_there, demonitor(R3, [info])),
    p(info_gone, demonitor(R3, [info])),
    p(info_flush_gone, demonitor(R3, [flush, info])),
    exit(Q, kill),
    p(none, flush(20)),
    P.

options() ->
    [begin
         P = spawn(fun() -> receive go -> ok end end),
         monitor(process, P, [{tag, Tag}]),
         P ! go,
         p({tag, Tag}, flush())
     end || Tag <- [my_tag, {a, "b", 3.0}, 'DOWN']],
    p(spawn_opt, spawn_opt(fun() -> ok end, [{monitor, [{tag, {t, 1}}]}, link])),
    p(down, flush()),
    p(request, spawn_request(fun() -> exit(y) end, [monitor, {reply_tag, {r, "x"}}])),
    p(answers, lists:sort(same(flush()))).

aliases() ->
    A = alias(),
    A ! one, A ! two,
    p(explicit, flush(20)),
    p(unalias, unalias(A)),
    A ! three,
    p(gone, flush(20)),
    p(unalias_again, unalias(A)),
    B = alias([reply]),
    B ! one, B ! two,
    p(reply, flush(20)),
    p(unalias, unalias(B)),
    [begin
         P = spawn(fun Loop() -> receive {go, R} -> exit(R); {say, R, X} -> R ! X, R ! again, Loop() end end),
         M = monitor(process, P, [{alias, Mode}]),
         P ! {say, M, hello},
         p({Mode, said}, flush(30)),
         P ! {go, bye},
         p({Mode, down}, flush(30)),
         M ! late,
         p({Mode, late}, flush(30)),
         p({Mode, unalias}, unalias(M))
     end || Mode <- [explicit_unalias, demonitor, reply_demonitor]],
    P = spawn(fun() -> receive after infinity -> ok end end),
    M = monitor(process, P, [{alias, demonitor}]),
    demonitor(M),
    M ! x,
    p(demonitored, flush(20)),
    M2 = monitor(process, P, [{alias, explicit_unalias}]),
    demonitor(M2),
    M2 ! x,
    p(still_alias, flush(20)),
    p(unalias, unalias(M2)),
    f(unalias_other, fun() -> Self = self(), spawn(fun() -> Self ! alias() end), receive R -> unalias(R) end end).

many() ->
    N = 2000,
    Ps = [spawn(fun() -> receive go -> exit(I) end end) || I <- lists:seq(1, N)],
    Rs = [monitor(process, P) || P <- Ps],
    p(count, length(element(2, process_info(self(), monitors)))),
    [P ! go || P <- Ps],
    L = [receive {'DOWN', R, process, _, I} -> I end || R <- Rs],
    p(all, L =:= lists:seq(1, N)),
    Q = spawn(fun() -> receive go -> ok end end),
    Ws = [spawn_monitor(fun() -> R = monitor(process, Q), receive {'DOWN', R, _, _, X} -> exit({heard, X}) end end)
          || _ <- lists:seq(1, N)],
    ok = eventually(fun() -> length(element(2, process_info(Q, monitored_by))) =:= N end),
    Q ! go,
    p(heard, lists:usort([receive {'DOWN', R, _, _, X} -> X end || {_, R} <- Ws])).

bad() ->
    [f({T, same(X)}, fun() -> monitor(T, X) end)
        || {T, X} <- [{process, 1}, {process, "x"}, {process, {a, b, c}}, {foo, self()},
                                                         {port, self()}, {time_offset, x}, {process, {1, node()}}]],
    [f({O}, fun() -> monitor(process, self(), O) end) || O <- [x, [x], [{alias, x}], [{tag, a} | b]]],
    [f({demonitor, same(X)}, fun() -> demonitor(X) end) || X <- [a, self()]],
    [f({demonitor, O}, fun() -> demonitor(make_ref(), O) end) || O <- [x, [x], [flush | x]]],
    [f({alias, O}, fun() -> alias(O) end) || O <- [x, [x]]],
    f(unalias, fun() -> unalias(x) end).
