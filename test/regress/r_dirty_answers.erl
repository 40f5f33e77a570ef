%% What one asks of a process in a dirty call it answered when the call was over. Here the call is let go only after the
%% answers have come. And who is to be suspended then counted as suspended already.
-module(r_dirty_answers).
-export([main/0, hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1]).
-nifs([hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Results = [{What, do(What)} || What <- [items, all, sensitive, second_part, suspended, relations, leader,
                                            flags, saved_calls, code, later, building]],
    [io:format("~p~n", [R]) || R <- Results].

do(items) ->
    Main = self(),
    P = held(1, fun() ->
        register(r_dirty_answers, self()),
        put(key, {value, 1}),
        process_flag(trap_exit, true),
        process_flag(message_queue_data, off_heap),
        link(Main)
    end),
    M = monitor(process, P),
    P ! {one, lists:seq(1, 40), self()},
    P ! two,
    Infos = [process_info(P, I)
             || I <- [status, current_function, current_location, current_stacktrace, registered_name, initial_call,
                      message_queue_len, messages, links, monitors, monitored_by, dictionary,
                      trap_exit, error_handler, priority, catchlevel, suspending, last_calls, trace, min_heap_size,
                      sequential_trace_token, message_queue_data]],
    Numbers = [is_integer(element(2, process_info(P, I)))
               || I <- [memory, heap_size, total_heap_size, stack_size, reductions]],
    {garbage_collection, _} = process_info(P, garbage_collection),
    {garbage_collection_info, _} = process_info(P, garbage_collection_info),
    {backtrace, Text} = process_info(P, backtrace),
    Same = fun(X) when X =:= Main -> main; (X) -> X end,
    unlink(P),
    let_go(1),
    {[{K, map_terms(Same, V)} || {K, V} <- Infos], lists:usort(Numbers), byte_size(Text) > 100, down(P, M)};
do(all) ->
    P = held(2),
    Keys = [K || {K, _} <- process_info(P)],
    List = process_info(P, [status, message_queue_len]),
    {Keys, List, is_process_alive(P), ended(P, 2)};
do(sensitive) ->
    P = held(3, fun() -> put(secret, 1), process_flag(sensitive, true) end),
    P ! secret,
    Info = process_info(P, [messages, dictionary, current_stacktrace]),
    {Info, ended(P, 3)};
do(second_part) ->
    P = spawn(fun() -> exit(hold_later(4, done)) end),
    until(fun() -> process_info(P, status) =:= {status, running} end),
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    {process_info(P, [current_function, status]), ended(P, 4)};
do(suspended) ->
    P = held(5),
    true = erlang:suspend_process(P, [asynchronous]),
    Once = suspending(P),
    true = erlang:suspend_process(P, [asynchronous]),
    false = erlang:suspend_process(P, [asynchronous, unless_suspending]),
    Twice = suspending(P),
    true = erlang:resume_process(P),
    M = monitor(process, P),
    let_go(5),
    until(fun() -> suspending(P) =:= [{1, 0}] end),
    Status = process_info(P, status),
    Early = receive {'DOWN', M, _, _, _} -> early after 20 -> not_yet end,
    true = erlang:resume_process(P),
    {Once, Twice, Status, Early, suspending(P), down(P, M)};
do(relations) ->
    P = held(7),
    process_flag(trap_exit, true),
    link(P),
    Linked = process_info(P, links),
    unlink(P),
    Unlinked = process_info(P, links),
    M = monitor(process, P),
    Watched = process_info(P, monitored_by),
    demonitor(M),
    Unwatched = process_info(P, monitored_by),
    exit(P, normal),
    Self = self(),
    {Linked =:= {links, [Self]}, Unlinked, Watched =:= {monitored_by, [Self]}, Unwatched, is_process_alive(P),
     ended(P, 7)};
do(leader) ->
    P = held(8),
    Leader = group_leader(),
    true = group_leader(self(), P),
    Changed = process_info(P, group_leader) =:= {group_leader, self()},
    true = group_leader(Leader, P),
    {Changed, process_info(P, group_leader) =:= {group_leader, Leader}, ended(P, 8)};
do(flags) ->
    P = held(9),
    1 = erlang:trace(P, true, ['receive', procs]),
    Set = erlang:trace_info(P, flags),
    P ! hello,
    link(P),
    unlink(P),
    {links, []} = process_info(P, links),
    Delivered = erlang:trace_delivered(P),
    receive {trace_delivered, P, Delivered} -> ok end,
    Events = events(P),
    1 = erlang:trace(P, false, [all]),
    {Set, Events, erlang:trace_info(P, flags), ended(P, 9)};
do(saved_calls) ->
    P = held(10),
    {erlang:process_flag(P, save_calls, 5), process_info(P, last_calls), ended(P, 10)};
do(code) ->
    P = held(11),
    Answers = [erlang:check_process_code(P, Module) || Module <- [lists, ?MODULE]],
    async = erlang:check_process_code(P, lists, [{async, 1}]),
    Async = receive {check_process_code, 1, A} -> A after 60000 -> never end,
    {Answers, Async, ended(P, 11)};
do(later) ->
    P = held(12),
    async = erlang:garbage_collect(P, [{async, 2}]),
    Early = receive {garbage_collect, 2, _} -> early after 20 -> not_yet end,
    M = monitor(process, P),
    let_go(12),
    {Early, receive {garbage_collect, 2, G} -> is_boolean(G) after 60000 -> never end, down(P, M)};
do(building) ->
    P = spawn(fun() ->
        List = hold_building(13),
        Good = [x || {N, B} <- List, B =:= binary:copy(<<N>>, 100)],
        receive {last, Binary} -> exit({length(Good) =:= length(List), message_count(), byte_size(Binary)}) end
    end),
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    Bytes = binary:copy(<<"x">>, 200),
    [P ! {N, Bytes, lists:seq(1, N rem 100)} || N <- lists:seq(1, 2000)],
    Infos = [process_info(P, [message_queue_len, memory, binary, garbage_collection_info]) || _ <- lists:seq(1, 200)],
    {message_queue_len, Len} = hd(lists:last(Infos)),
    P ! {last, Bytes},
    {Len, ended(P, 13)}.

message_count() -> {message_queue_len, N} = process_info(self(), message_queue_len), N.

held(Slot) -> held(Slot, fun() -> ok end).
held(Slot, Before) ->
    P = spawn(fun() -> Before(), exit(hold(Slot, done)) end),
    until(fun() -> begun(Slot) end),
    P.

ended(P, Slot) ->
    M = monitor(process, P),
    let_go(Slot),
    down(P, M).

down(P, M) -> receive {'DOWN', M, process, P, Reason} -> Reason after 60000 -> late end.

events(P) ->
    receive
        {trace, P, What, A} when is_pid(A) -> [What | events(P)];
        {trace, P, What, A} -> [{What, A} | events(P)]
    after 0 -> []
    end.

map_terms(F, L) when is_list(L) -> [map_terms(F, E) || E <- L];
map_terms(F, T) when is_tuple(T) -> list_to_tuple(map_terms(F, tuple_to_list(T)));
map_terms(F, T) -> F(T).

%% How often it is suspended by us, and how often it is to be.
suspending(P) ->
    {suspending, All} = process_info(self(), suspending),
    [{Active, Outstanding} || {Pid, Active, Outstanding} <- All, Pid =:= P].

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold(_, _) -> erlang:nif_error(not_loaded).
hold_later(_, _) -> erlang:nif_error(not_loaded).
hold_building(_) -> erlang:nif_error(not_loaded).
hold_alive(_, _) -> erlang:nif_error(not_loaded).
let_go(_) -> erlang:nif_error(not_loaded).
begun(_) -> erlang:nif_error(not_loaded).
