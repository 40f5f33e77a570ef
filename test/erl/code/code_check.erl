%% check_process_code in all its forms, and requests of system tasks.
-module(code_check).
-export([main/0]).
-include("purge.hrl").

main() ->
    One = build(code_check_m, "wait/0, call/1, hibernate/0, catches/0, spin/0, wake/0",
                ["wait() -> receive stop -> ok end.",
                 "call(F) -> X = F(), {X, done}.",
                 "hibernate() -> erlang:hibernate(code_check_m, wake, []).",
                 "wake() -> receive stop -> ok end.",
                 "catches() -> try timer:sleep(infinity) catch _:_ -> ok end.",
                 "spin() -> code_check_m:spin(lists:seq(1, 100)).",
                 "spin(_) -> spin()."]),
    load(One),
    Starts = [{waiting, fun() -> code_check_m:wait() end},
              {waiting_last, {code_check_m, wait, []}},
              {frame_below, fun() -> code_check_m:call(fun() -> timer:sleep(infinity) end) end},
              {deep_below, fun() -> code_check_m:call(fun() -> deep(20000) end) end},
              {hibernating, fun() -> code_check_m:hibernate() end},
              {catching, fun() -> code_check_m:catches() end},
              {elsewhere, fun() -> timer:sleep(infinity) end},
              {holds_fun, fun() -> F = fun code_check_m:wait/0, timer:sleep(infinity), F() end}],
    Pids = [{Name, start(F)} || {Name, F} <- Starts],
    [waits(P) || {_, P} <- Pids],
    Suspended = start(fun() -> code_check_m:call(fun() -> busy(0) end) end),
    wait_until(fun() -> process_info(Suspended, current_function) =:= {current_function, {?MODULE, busy, 1}} end),
    true = erlang:suspend_process(Suspended),
    Ended = start(fun() -> ok end),
    wait_until(fun() -> not is_process_alive(Ended) end),
    All = Pids ++ [{suspended, Suspended}, {ended, Ended}, {self, self()}],
    show("~p", [{before_old, [{N, check_process_code(P, code_check_m)} || {N, P} <- All]}]),
    load(One),
    true = erlang:check_old_code(code_check_m),
    show("~p", [[{N, check_process_code(P, code_check_m)} || {N, P} <- All]]),
    show("~p", [[{N, check_process_code(P, code_check_m, [])} || {N, P} <- All]]),
    show("~p", [[{N, check_process_code(P, code_check_m, [{allow_gc, false}])} || {N, P} <- All]]),
    show("~p", [[{N, async(P, N)} || {N, P} <- All]]),
    show("~p", [[{N, task(P, Prio, {check_process_code, {N, [x]}, code_check_m})} ||
                    {N, P} <- All, Prio <- [low, normal, high, max, inherit]]]),
    show("~p", [[{N, task(P, Prio, {garbage_collect, "id", Kind})} ||
                    {N, P} <- All, Prio <- [low, max], Kind <- [major, minor]]]),
    show("~p", [[{N, task(P, normal, {check_process_code, N, lists})} || {N, P} <- All]]),
    show("~p", [code_check_m:call(fun() -> check_process_code(self(), code_check_m) end)]),
    %% Many at once, answered in the order of their asking.
    Waiting = proplists:get_value(waiting, All),
    [check_process_code(Waiting, code_check_m, [{async, I}]) || I <- lists:seq(1, 50)],
    show("~p", [[receive {check_process_code, I, B} -> {I, B} end || _ <- lists:seq(1, 50)]]),
    show("~p", [[bad(fun() -> check_process_code(P, M, O) end) ||
                   {P, M, O} <- [{self(), 1, []}, {x, lists, []}, {self(), lists, x}, {self(), lists, [x]},
                                 {self(), lists, [{allow_gc, x}]}, {Ended, lists, [{async}]}]]]),
    show("~p", [[bad(fun() -> erts_internal:request_system_task(P, Prio, R) end) ||
                   {P, Prio, R} <- [{self(), normal, {garbage_collect, x}}, {self(), x, {garbage_collect, x, major}},
                                    {x, normal, {garbage_collect, x, major}}, {self(), normal, {x, x, x}},
                                    {self(), normal, {garbage_collect, x, all}}, {self(), normal, x},
                                    {self(), normal, {check_process_code, x, 1}}]]]),
    [finish(P) || {N, P} <- All, N =/= self, N =/= ended],
    show("~p", [receive Any -> {left, Any} after 0 -> none end]).

start({M, F, A}) -> spawn(M, F, A);
start(F) -> spawn(F).

deep(0) -> timer:sleep(infinity);
deep(N) -> [N | deep(N - 1)].

busy(N) -> busy(N + 1).

async(P, Id) ->
    async = check_process_code(P, code_check_m, [{async, {Id, "text"}}]),
    receive {check_process_code, {Id, "text"}, Answer} -> Answer end.

task(P, Priority, Request) ->
    ok = erts_internal:request_system_task(P, Priority, Request),
    receive Answer -> Answer end.

bad(F) ->
    try F()
    catch
        Class:Reason:Stack ->
            {M, N, A, _} = hd(Stack),
            {Class, Reason, M, N, case is_list(A) of true -> length(A); false -> A end}
    end.
