%% process_flag(save_calls, N), process_flag(Pid, save_calls, N) and process_info(_, last_calls).
-module(process_save_calls).
-export([main/0, a/1]).
-include("../t.hrl").

main() ->
    _ = [code:ensure_loaded(M) || M <- [lists, timer, io_lib, error_handler]],
    t(first, fun() -> process_flag(save_calls, 20) end),
    t(saved, fun saved/0),
    t(resized, fun() -> {process_flag(save_calls, 3), last()} end),
    t(ring, fun() -> ?MODULE:a(1), ?MODULE:a(2), ?MODULE:a(3), last() end),
    t(off, fun() -> {process_flag(save_calls, 0), last()} end),
    t(sends, fun sends/0),
    t(receives, fun receives/0),
    t(applied, fun applied/0),
    t(caught, fun caught/0),
    t(long, fun long/0),
    t(other, fun other/0),
    t(bad_sizes, fun() -> [bad(fun() -> process_flag(save_calls, N) end) || N <- [-1, 10001, a, 1.0, []]] end),
    t(limits, fun() -> [process_flag(save_calls, N) || N <- [10000, 0]] end),
    Gone = spawn(fun() -> ok end),
    Ref = monitor(process, Gone),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    [t({bad_call, B}, fun() -> bad(fun() -> process_flag(P, F, V) end) end)
     || {B, P, F, V} <- [{gone, Gone, save_calls, 1}, {gone_too, Gone, save_calls, a}, {atom, foo, save_calls, 1},
                         {number, 1, save_calls, 1}, {size, self(), save_calls, 10001}, {type, self(), save_calls, x},
                         {flag, self(), trap_exit, true}]],
    t(self, fun() -> [process_flag(self(), save_calls, N) || N <- [5, 0]] end),
    t(yield, fun() -> erlang:yield() end).

a(X) -> X.

bad(F) ->
    try F()
    catch C:R:S ->
        [{M, N, _, Info} | _] = S,
        {C, R, M, N, proplists:get_value(error_info, Info)}
    end.

last() -> element(2, process_info(self(), last_calls)).

saved() ->
    process_flag(save_calls, 20),
    ?MODULE:a(1), a(2), local(3),
    _ = lists:map(fun(X) -> X end, [1]),
    _ = length(id([1])),
    _ = atom_to_list(id(abc)),
    last().

local(X) -> X + 1.

sends() ->
    process_flag(save_calls, 20),
    self() ! x, erlang:send(self(), y), erlang:send(self(), z, []),
    L = last(),
    process_flag(save_calls, 0),
    [receive M -> M end || M <- [x, y, z]],
    L.

receives() ->
    self() ! x,
    process_flag(save_calls, 20),
    receive x -> ok end,
    receive y -> ok after 1 -> ok end,
    receive z -> ok after 0 -> ok end,
    L = last(),
    process_flag(save_calls, 0),
    L.

applied() ->
    F = fun lists:sum/1,
    G = fun(X) -> X end,
    M = id(?MODULE),
    process_flag(save_calls, 20),
    G(1), _ = apply(lists, max, [[1]]), _ = apply(F, [[1]]), M:a(2), M:a(3), _ = apply(M, a, [1]),
    L = last(),
    process_flag(save_calls, 0),
    L.

caught() ->
    process_flag(save_calls, 20),
    _ = (catch erlang:error(x)), _ = (catch throw(x)), _ = (catch exit(x)),
    L = last(),
    process_flag(save_calls, 0),
    L.

%% Slices end as they do elsewhere, and nothing is lost over them.
long() ->
    process_flag(save_calls, 4),
    100000 = count(100000, 0),
    Before = element(2, process_info(self(), reductions)),
    100000 = count(100000, 0),
    After = element(2, process_info(self(), reductions)),
    L = last(),
    process_flag(save_calls, 0),
    {L, After - Before >= 100000, After - Before < 1000000}.

count(0, N) -> N;
count(I, N) -> count(I - 1, ?MODULE:a(N) + 1).

other() ->
    Pid = spawn_link(fun loop/0),
    Pid ! {self(), hello},
    receive {Pid, hello} -> ok end,
    wait_until_waiting(Pid),
    A = process_flag(Pid, save_calls, 10),
    Pid ! {self(), again},
    receive {Pid, again} -> ok end,
    wait_until_waiting(Pid),
    B = process_info(Pid, last_calls),
    C = process_flag(Pid, save_calls, 0),
    D = process_info(Pid, last_calls),
    unlink(Pid),
    exit(Pid, kill),
    {A, B, C, D}.

wait_until_waiting(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), wait_until_waiting(Pid)
    end.

loop() ->
    receive {From, What} -> ?MODULE:a(5), From ! {self(), What}, loop() end.
