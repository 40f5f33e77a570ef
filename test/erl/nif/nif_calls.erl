%% Calls of native functions: exceptions, chains of functions, dirty threads, time slices.
-module(nif_calls).
-export([main/0, private_data/0]).
-nifs([fails/2, pending/2, thread_type/0, thread_type_load/0, thread_type_cpu/0, thread_type_io/0, dirty_fails/2,
       is_alive/0, is_alive_io/0, until_dead/0, endless/0, slice/1, slices/1, dirty_slices/1, count_slices/1,
       sum/2, chain/2, schedule_raise/2, schedule_many/2, schedule_unnamed/1, schedule_bad_flags/1, work/2,
       dirty_work/2, self_pid/0, dirty_self_pid/0, private_data/0, dirty_private_data/0]).
-compile({no_auto_import, [is_alive/0]}).
-include("n.hrl").

main() ->
    t(before, fun() -> self_pid() end),
    ok = erlang:load_nif(library("nif_calls"), "private"),
    t(private_data, fun() -> {private_data(), dirty_private_data()} end),
    check(fails, fun fails/2, [[N, R] || N <- lists:seq(0, 6), R <- [reason, {a, "tuple"}]]),
    check(dirty_fails, fun dirty_fails/2, [[N, R] || N <- lists:seq(0, 6), R <- [reason, {a, "tuple"}]]),
    t(stack_trace, fun() -> trace(fun() -> fails(1, deep) end) end),
    t(dirty_stack_trace, fun() -> trace(fun() -> dirty_fails(0, deep) end) end),
    check(pending, fun(N, R) -> {(catch error_of(fun() -> pending(N, R) end)), flush()} end,
          [[0, why], [0, [1, 2, 3]], [1, why]]),
    t(threads, fun() -> {thread_type(), thread_type_cpu(), thread_type_io(), thread_type_load()} end),
    t(alive, fun() -> {is_alive(), is_alive_io()} end),
    t(until_dead, fun until_dead_test/0),
    check(slice, fun(Percent) -> used(Percent, slice(Percent)) end, [[1], [50], [100]]),
    t(after_the_slice, fun() -> {used(1, slice(1)), used(1, slice(1))} end),
    t(beyond_the_slice, fun beyond_the_slice/0),
    check(dirty_slices, fun dirty_slices/1, [[[100, 100]], [[1]]]),
    check(count_slices, fun count_slices/1, [[a], [{b, "c"}]]),
    check(sum, fun sum/2, [[10, 0], [1000, 0], [100000, 5]]),
    check(chain, fun chain/2, [[L, []] || L <- [[], [0], [1], [2], [0, 1, 2, 0, 2, 1, 1, 0], [2, 2, 2]]]),
    check(schedule_raise, fun schedule_raise/2, [[R, F] || R <- [ball, {x, [y]}], F <- [0, 1, 2]]),
    t(schedule_raise_trace, fun() -> trace(fun() -> schedule_raise(deep, 0) end) end),
    check(schedule_many, fun schedule_many/2, [[N, F] || N <- [0, 1, 10, 255], F <- [0, 1]]),
    check(schedule_unnamed, fun schedule_unnamed/1, [[a]]),
    check(schedule_bad_flags, fun schedule_bad_flags/1, [[a]]),
    t(work, fun() -> {erlang:phash2(work(10000, {a, "b"})), erlang:phash2(dirty_work(10000, {a, "b"}))} end),
    t(self, fun() -> {self_pid() =:= self(), dirty_self_pid() =:= self()} end),
    t(many_at_once, fun many_at_once/0),
    t(applied, fun() -> {apply(?MODULE, private_data, []), lists:map(fun sum1/1, [1, 2, 300])} end),
    t(killed_in_a_chain, fun killed_in_a_chain/0).

sum1(N) -> sum(N, 0).

%% Torture ends every slice at its first call: any part of it is all of it.
used(Percent, Used) when Percent < 100, Used =:= 1 ->
    case os:getenv("VIV_ONE_REDUCTION") of false -> 1; _ -> 0 end;
used(_, Used) -> Used.

%% No more is consumed than is left: the next slice is a whole one.
beyond_the_slice() ->
    {reductions, Before} = process_info(self(), reductions),
    Said = slices(lists:duplicate(20, 100)),
    {reductions, After} = process_info(self(), reductions),
    {Said, After - Before < 5000}.

trace(Fun) -> try deeper(Fun) catch E:R:S -> {E, R, [top(X) || X <- lists:sublist(S, 4)]} end.

deeper(Fun) -> [Fun()].

error_of(Fun) -> try Fun() catch C:R -> {C, R} end.

until_dead_test() ->
    {Pid, Ref} = spawn_monitor(fun() -> until_dead() end),
    timer:sleep(20),
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, R} -> R end.

many_at_once() ->
    Pids = [spawn_monitor(fun() -> exit({sum(N, 0), length(chain([N rem 3, 2, 0, 1], []))}) end) || N <- lists:seq(1, 200)],
    lists:sum([receive {'DOWN', Ref, _, _, {Sum, Length}} -> Sum * Length end || {_, Ref} <- Pids]).

killed_in_a_chain() ->
    Pids = [spawn_monitor(fun() -> endless() end) || _ <- lists:seq(1, 5)],
    timer:sleep(5),
    [exit(Pid, stop) || {Pid, _} <- Pids],
    [receive {'DOWN', Ref, _, _, R} -> R end || {_, Ref} <- Pids].

fails(_, _) -> erlang:nif_error(not_loaded).
pending(_, _) -> erlang:nif_error(not_loaded).
thread_type() -> erlang:nif_error(not_loaded).
thread_type_load() -> erlang:nif_error(not_loaded).
thread_type_cpu() -> erlang:nif_error(not_loaded).
thread_type_io() -> erlang:nif_error(not_loaded).
dirty_fails(_, _) -> erlang:nif_error(not_loaded).
is_alive() -> erlang:nif_error(not_loaded).
is_alive_io() -> erlang:nif_error(not_loaded).
until_dead() -> erlang:nif_error(not_loaded).
slice(_) -> erlang:nif_error(not_loaded).
slices(_) -> erlang:nif_error(not_loaded).
dirty_slices(_) -> erlang:nif_error(not_loaded).
count_slices(_) -> erlang:nif_error(not_loaded).
endless() -> erlang:nif_error(not_loaded).
sum(_, _) -> erlang:nif_error(not_loaded).
chain(_, _) -> erlang:nif_error(not_loaded).
schedule_raise(_, _) -> erlang:nif_error(not_loaded).
schedule_many(_, _) -> erlang:nif_error(not_loaded).
schedule_unnamed(_) -> erlang:nif_error(not_loaded).
schedule_bad_flags(_) -> erlang:nif_error(not_loaded).
work(_, _) -> erlang:nif_error(not_loaded).
dirty_work(_, _) -> erlang:nif_error(not_loaded).
self_pid() -> erlang:nif_error(not_loaded).
dirty_self_pid() -> erlang:nif_error(not_loaded).
private_data() -> erlang:nif_error(not_loaded).
dirty_private_data() -> erlang:nif_error(not_loaded).
