%% Processes that end while a dirty function runs for them: others hear of it at once, the function goes on.
%% Not under leaks: its libraries keep terms when they go.
-module(nif_dirty_end).
-export([main/0]).
-nifs([wait_cpu/3, wait_io/3, live/1, has_lived/0, open/1, result/1, object/0, count_destroyed/0]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_dirty_end"), 0),
    {module, timer} = code:ensure_loaded(timer), % not when all dirty threads are busy: they load code, too
    put(gate, 0),
    t(killed, fun() -> ended(fun wait_cpu/3, fun(P) -> exit(P, kill) end) end),
    t(killed_io, fun() -> ended(fun wait_io/3, fun(P) -> exit(P, kill) end) end),
    t(exit_signal, fun() -> ended(fun wait_io/3, fun(P) -> exit(P, {some, "reason", 1.5}) end) end),
    t(linked, fun linked/0),
    t(unlinked, fun unlinked/0),
    t(not_ended, fun not_ended/0),
    t(trapping, fun trapping/0),
    t(owner, fun owner/0),
    t(relations, fun relations/0),
    t(messages_before, fun messages_before/0),
    t(first_reason, fun first_reason/0),
    t(in_the_queue, fun in_the_queue/0),
    t(live, fun lives/0),
    t(literal, fun literal/0),
    t(destroyed, fun() -> destroyed(500), count_destroyed() end),
    t(race, fun race/0).

wait_cpu(_, _, _) -> erlang:nif_error(not_loaded).
wait_io(_, _, _) -> erlang:nif_error(not_loaded).
live(_) -> erlang:nif_error(not_loaded).
has_lived() -> erlang:nif_error(not_loaded).
result(_) -> erlang:nif_error(not_loaded).
open(_) -> erlang:nif_error(not_loaded).
object() -> erlang:nif_error(not_loaded).
count_destroyed() -> erlang:nif_error(not_loaded).

gate() -> put(gate, get(gate) + 1) + 1.

begun(Wait, Before) -> begun(Wait, Before, some_term).
begun(Wait, Before, Term) ->
    {Main, Gate} = {self(), gate()},
    P = spawn(fun() -> Before(), exit({went_on, Wait(Gate, Main, Term)}) end),
    receive {begun, Gate, true} -> {P, Gate} end.

down(P) ->
    M = erlang:monitor(process, P),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

%% What the function found when it may return at last: is its process alive, could it send a message, the term.
returned(P, Gate) ->
    open(Gate),
    wait_until(fun() -> result(Gate) =/= none end, 6000),
    {Alive, Sent, P, Term} = result(Gate),
    Came = receive Term -> true after 0 -> false end,
    {Alive, Sent =:= Came, Came, Term}.

nothing() -> ok.

ended(Wait, End) ->
    Term = {binary:copy(<<"b">>, 100), [make_ref() | 1 bsl 70]},
    {P, Gate} = begun(Wait, fun nothing/0, Term),
    M = erlang:monitor(process, P),
    End(P),
    Reason = receive {'DOWN', M, process, P, R} -> R end,
    Seen = {is_process_alive(P), lists:member(P, processes()), process_info(P), down(P)},
    Returned = returned(P, Gate),
    {Reason, Seen, setelement(4, Returned, element(4, Returned) =:= Term)}.

linked() ->
    process_flag(trap_exit, true),
    {P, Gate} = begun(fun wait_io/3, fun nothing/0),
    link(P),
    {Q, _} = spawn_monitor(fun() -> link(P), receive die -> exit(died) end end),
    link(Q),
    Q ! die,
    Reasons = [receive {'EXIT', X, Reason} -> Reason end || X <- [Q, P]],
    receive {'DOWN', _, process, Q, died} -> ok end,
    process_flag(trap_exit, false),
    {Reasons, is_process_alive(P), returned(P, Gate)}.

%% Linked and unlinked while the function runs: nothing ends it.
unlinked() ->
    {P, Gate} = begun(fun wait_io/3, fun nothing/0),
    {_, M} = spawn_monitor(fun() -> link(P), unlink(P), exit(died) end),
    receive {'DOWN', M, _, _, died} -> ok end,
    Reference = erlang:monitor(process, P),
    {returned(P, Gate), receive {'DOWN', Reference, _, _, Reason} -> Reason end}.

not_ended() ->
    {P, Gate} = begun(fun wait_cpu/3, fun nothing/0),
    exit(P, normal),
    M = erlang:monitor(process, P),
    {returned(P, Gate), receive {'DOWN', M, _, _, Reason} -> Reason end}.

trapping() ->
    {P, Gate} = begun(fun wait_cpu/3, fun() -> process_flag(trap_exit, true) end),
    exit(P, enough),
    M = erlang:monitor(process, P),
    Early = receive {'DOWN', M, _, _, _} -> early after 50 -> waits end,
    {Early, returned(P, Gate), receive {'DOWN', M, _, _, Reason} -> Reason end}.

%% What it owned is gone, its name is free.
owner() ->
    {P, Gate} = begun(fun wait_io/3, fun() ->
                                         register(dirty_owner, self()),
                                         ets:new(dirty_table, [named_table, public])
                                     end),
    Before = {whereis(dirty_owner) =:= P, ets:info(dirty_table, size)},
    exit(P, kill),
    killed = receive_down(P),
    After = {whereis(dirty_owner), ets:info(dirty_table), register(dirty_owner, self()), unregister(dirty_owner)},
    {Before, After, returned(P, Gate)}.

receive_down(P) ->
    case down(P) of
        noproc -> killed;
        Reason -> Reason
    end.

%% Its own monitors and links, of both directions.
relations() ->
    Main = self(),
    Others = [spawn(fun() ->
                        process_flag(trap_exit, true),
                        Main ! {traps, self()},
                        receive X -> Main ! {N, element(1, X)} end
                    end) || N <- lists:seq(1, 20)],
    [receive {traps, O} -> ok end || O <- Others],
    {P, Gate} = begun(fun wait_io/3, fun() -> [begin link(O), erlang:monitor(process, O) end || O <- Others] end),
    exit(P, kill),
    Told = [receive {N, What} -> What end || N <- lists:seq(1, 20)],
    {lists:usort(Told), returned(P, Gate)}.

messages_before() ->
    {P, Gate} = begun(fun wait_io/3, fun nothing/0),
    [P ! {N, lists:seq(1, N)} || N <- lists:seq(1, 200)],
    M = erlang:monitor(process, P),
    exit(P, kill),
    [P ! N || N <- lists:seq(1, 200)],
    {receive {'DOWN', M, _, _, Reason} -> Reason end, returned(P, Gate)}.

first_reason() ->
    {P, Gate} = begun(fun wait_io/3, fun nothing/0),
    M = erlang:monitor(process, P),
    exit(P, normal),
    exit(P, {first, [1, 2]}),
    exit(P, kill),
    {receive {'DOWN', M, _, _, Reason} -> Reason end, returned(P, Gate)}.

%% All dirty threads are busy; those who wait for one end as well.
in_the_queue() ->
    Main = self(),
    Busy = [begun(fun wait_cpu/3, fun nothing/0) || _ <- lists:seq(1, erlang:system_info(dirty_cpu_schedulers))],
    Gate = gate(),
    Waiting = [spawn_monitor(fun() -> Main ! {here, N}, wait_cpu(Gate, Main, x) end) || N <- lists:seq(1, 5)],
    [receive {here, N} -> ok end || N <- lists:seq(1, 5)],
    timer:sleep(20),
    [exit(P, kill) || {P, _} <- Waiting],
    Reasons = [receive {'DOWN', M, _, P, Reason} -> Reason end || {P, M} <- Waiting],
    Returned = [returned(P, G) || {P, G} <- Busy],
    open(Gate),
    {lists:usort(Reasons), lists:usort(Returned), receive {begun, Gate, _} -> begun after 50 -> never end}.

lives() ->
    Main = self(),
    P = spawn(fun() -> live(Main) end),
    receive lives -> ok end,
    M = erlang:monitor(process, P),
    exit(P, kill),
    {receive {'DOWN', M, _, _, Reason} -> Reason end, wait_until(fun has_lived/0, 6000)}.

%% A literal of code that is purged and gone, as far as others can see, while the function has it.
literal() ->
    Forms = [{attribute, 1, module, dirty_literal}, {attribute, 1, export, [{v, 0}]},
             {function, 1, v, 0, [{clause, 1, [], [], [erl_parse:abstract({"a literal", <<"bytes">>, [1, 2.5]})]}]},
             {eof, 1}],
    {ok, _, Code} = compile:forms(Forms, []),
    {module, _} = code:load_binary(dirty_literal, "", Code),
    {P, Gate} = begun(fun(G, Main, x) -> wait_io(G, Main, dirty_literal:v()) end, fun nothing/0, x),
    exit(P, kill),
    killed = receive_down(P),
    true = code:delete(dirty_literal),
    code:purge(dirty_literal),
    [erlang:garbage_collect(X) || X <- processes()],
    timer:sleep(50),
    {erlang:module_loaded(dirty_literal), returned(P, Gate)}.

%% The heap of a process that ended is released when its function has returned; the last term is kept as its result.
destroyed(N) ->
    Gate = gate(),
    Main = self(),
    [begin
         P = spawn(fun() -> wait_io(Gate, Main, {object(), binary:copy(<<"x">>, 1000)}) end),
         receive {begun, Gate, true} -> ok end,
         exit(P, kill),
         killed = receive_down(P)
     end || _ <- lists:seq(1, 5)],
    0 = count_destroyed(),
    open(Gate),
    wait_until(fun() -> count_destroyed() =:= 4 end, N).

wait_until(F, N) ->
    case F() orelse N =:= 0 of
        true -> ok;
        false -> timer:sleep(20), wait_until(F, N - 1)
    end.

%% The end at any moment around short calls.
race() ->
    Gate = gate(),
    open(Gate),
    Reasons = [begin
                   {P, M} = spawn_monitor(fun() -> calls(Gate) end),
                   [erlang:yield() || _ <- lists:seq(1, N rem 13)],
                   exit(P, case N rem 3 of 0 -> kill; _ -> killed end),
                   receive {'DOWN', M, _, _, Reason} -> Reason end
               end || N <- lists:seq(1, 900)],
    lists:usort(Reasons).

calls(Gate) ->
    _ = wait_cpu(Gate, nobody, [lists:seq(1, 10)]),
    _ = wait_io(Gate, nobody, {x, <<"y">>}),
    calls(Gate).
