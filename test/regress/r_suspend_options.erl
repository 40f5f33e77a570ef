%% suspend_process/2 with all its options, alone and together, on processes in all states: what it returns, what it
%% sends, how often the other one is suspended then, and what resuming gives.
-module(r_suspend_options).
-export([main/0]).

main() ->
    [io:format("~p ~w:~n    ~w~n", [State, Options, tried(State, Options)])
     || State <- [waiting, running, suspended, suspended_by_other, dead, dying, self, no_pid, name, dirty],
        Options <- options()],
    [io:format("~p: ~w~n", [What, F()])
     || {What, F} <- [{resumed_at_once, fun resumed_at_once/0}, {resumed_twice, fun resumed_twice/0},
                      {many, fun many/0}, {order, fun order/0}, {ended_in_between, fun ended_in_between/0},
                      {big_tag, fun big_tag/0}, {bad, fun bad/0}, {deep, fun deep/0}]].

options() ->
    [[], [asynchronous], [unless_suspending], [{asynchronous, tag}], [asynchronous, unless_suspending],
     [unless_suspending, {asynchronous, {a, "tag"}}], [{asynchronous, one}, {asynchronous, two}],
     [{asynchronous, one}, asynchronous], [asynchronous, {asynchronous, one}], [{asynchronous, tag}, nothing],
     [unless_suspending, unless_suspending], [{asynchronous, tag, more}], [{unless_suspending, true}], none,
     [unless_suspending | asynchronous]].

tried(State, Options) ->
    P = process(State),
    Tries = [{caught(fun() -> erlang:suspend_process(P, Options) end), messages(P), count(P)} || _ <- [1, 2]],
    Resumed = [caught(fun() -> erlang:resume_process(P) end) || _ <- [1, 2, 3]],
    {over(State, Tries), Resumed, messages(P), ended(P)}.

%% One that is dying may be dead before it is to be suspended.
over(dying, Tries) -> [{R, [case T of {Tag, badarg} -> {Tag, exited}; _ -> T end || T <- Told], Count} || {R, Told, Count} <- Tries];
over(_, Tries) -> Tries.

caught(F) -> try F() catch error:R -> R end.

process(waiting) -> spawn(fun() -> receive stop -> ok end end);
process(running) -> spawn(fun Loop() -> receive stop -> ok after 0 -> Loop() end end);
process(suspended) -> P = process(waiting), erlang:suspend_process(P), P;
process(suspended_by_other) ->
    P = process(waiting),
    Me = self(),
    spawn(fun() -> erlang:suspend_process(P), Me ! done, receive never -> ok end end),
    receive done -> P end;
process(dead) -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end;
process(dying) -> P = process(waiting), exit(P, kill), P;
process(self) -> self();
process(no_pid) -> make_ref();
process(name) -> logger;
process(dirty) ->
    Me = self(),
    P = spawn(fun() -> receive stop -> ok end end),
    spawn(fun() -> garbage_collect(P, [{async, x}]), Me ! done, receive stop -> ok end end),
    receive done -> P end.

%% What has come by the time that everything has been answered that was asked: who answers that he is there has answered
%% all before.
messages(P) when is_pid(P), P =/= self() ->
    Wait = case process_info(P, status) of undefined -> 20; _ -> 0 end,
    collect(Wait);
messages(_) -> collect(0).
collect(Wait) -> receive M -> [M | collect(Wait)] after Wait -> [] end.

count(P) when not is_pid(P); P =:= self() -> none;
count(P) ->
    {_, L} = process_info(self(), suspending),
    [{A, O} || {Pid, A, O} <- L, Pid =:= P].

ended(P) when not is_pid(P); P =:= self() -> none;
ended(P) ->
    M = monitor(process, P),
    exit(P, kill),
    receive {'DOWN', M, _, _, R} -> R end.

resumed_at_once() ->
    P = process(running),
    true = erlang:suspend_process(P, [{asynchronous, tag}]),
    true = erlang:resume_process(P),
    {lists:member(messages(P), [[{tag, suspended}], [{tag, not_suspended}]]), ended(P)}.

resumed_twice() ->
    P = process(waiting),
    Suspended = [erlang:suspend_process(P, [{asynchronous, N}]) || N <- [1, 2]],
    States = [{caught(fun() -> erlang:resume_process(P) end), messages(P), process_info(P, status)} || _ <- [1, 2, 3]],
    {Suspended, States, ended(P)}.

many() ->
    P = process(waiting),
    R = [erlang:suspend_process(P, [{asynchronous, N}]) || N <- lists:seq(1, 20)],
    {lists:usort(R), messages(P), count(P), [erlang:resume_process(P) || _ <- R], ended(P)}.

%% The answer comes after the state has changed.
order() ->
    P = process(running),
    erlang:suspend_process(P, [{asynchronous, tag}]),
    receive {tag, What} -> {What, process_info(P, status), ended(P)} end.

ended_in_between() ->
    P = process(waiting),
    exit(P, kill),
    R = caught(fun() -> erlang:suspend_process(P, [{asynchronous, tag}]) end),
    ended(P),
    Answers = messages(P),
    {lists:member({R, Answers}, [{true, [{tag, exited}]}, {true, [{tag, badarg}]}, {badarg, []}]),
     caught(fun() -> erlang:suspend_process(P, [{asynchronous, tag}]) end), messages(P),
     caught(fun() -> erlang:resume_process(P) end)}.

big_tag() ->
    P = process(waiting),
    Tag = {lists:seq(1, 50), binary:copy(<<"x">>, 200), #{a => self()}, 1 bsl 100},
    erlang:suspend_process(P, [{asynchronous, Tag}]),
    receive {Tag, What} -> {What, ended(P)} after 60000 -> nothing end.

bad() ->
    Results = [caught(fun() -> erlang:suspend_process(P, O) end)
     || {P, O} <- [{self(), [{asynchronous, tag}]}, {dead, []}, {process(dead), [{asynchronous, tag}]},
                   {process(dead), [{asynchronous, tag}, unless_suspending]}, {process(dead), [bad]}]],
    {Results, messages(self())}.

%% A process that is suspended answers another's request for it.
deep() ->
    Me = self(),
    P = process(waiting),
    erlang:suspend_process(P),
    {Q, M} = spawn_monitor(fun() ->
        R = erlang:suspend_process(P, [{asynchronous, tag}]),
        receive A -> Me ! {R, A, count(P)} end
    end),
    Told = receive T -> T after 60000 -> nothing end,
    receive {'DOWN', M, process, Q, normal} -> ok end,
    {Told, process_info(P, status), erlang:resume_process(P), messages(P), process_info(P, status)}.
