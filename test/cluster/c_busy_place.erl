%% Who waits for a busy connection, after what he has done, and where process_info/2 shows him meanwhile.
-module(c_busy_place).
-export([main/0, tail_link/1]).

-import(cluster, [do/2, call/2, call/4, start/1, wait/1, connect/1, named/2]).

main() ->
    B = start(b),
    connect(B),
    do("where", fun() -> where(B, call(B, os, getpid, [])) end).

where(B, Program) ->
    Other = fun() -> call(B, fun() -> spawn(fun() -> timer:sleep(infinity) end) end) end,
    Ways = ways(B),
    Ready = [begin
                 {Pid, Monitor} = spawn_monitor(fun() -> doer(Prepare, Act) end),
                 Pid ! {go, self(), Other()},
                 receive {Pid, ready} -> {Name, Pid, Monitor} end
             end || {Name, Prepare, Act} <- Ways],
    "" = os:cmd("kill -STOP " ++ Program),
    Places = try
        cluster:fill(B, binary:copy(<<1>>, 100000)),
        [begin
             wait(fun() -> rests(process_info(Pid, status)) end), %% before it does it
             Pid ! act,
             wait(fun() -> get_state(Pid) =/= ready andalso rests(process_info(Pid, status)) end),
             Items = [status, current_function, current_location],
             {Name, short(process_info(Pid, Items))}
         end || {Name, Pid, _} <- Ready]
    after
        os:cmd("kill -CONT " ++ Program)
    end,
    [cluster:say("  ~0tp", [Place]) || Place <- Places],
    [begin
         Pid ! stop,
         receive {'DOWN', Monitor, process, Pid, Reason} -> {Name, named(Reason, #{})} end
     end || {Name, Pid, Monitor} <- Ready].

rests({status, Status}) -> Status =:= suspended orelse Status =:= waiting.
get_state(Pid) ->
    {dictionary, Words} = process_info(Pid, dictionary),
    proplists:get_value(state, Words).

short([{status, Status}, {current_function, Function}, {current_location, {M, F, A, _}}]) ->
    {M, F, A} = Function,
    {Status, Function}.

doer(Prepare, Act) ->
    {Parent, Other} = receive {go, From, Pid} -> {From, Pid} end,
    Prepared = Prepare(Other),
    put(state, ready),
    Parent ! {self(), ready},
    receive act -> ok end,
    put(state, acting),
    Answer = Act(Prepared),
    put(state, acted),
    receive stop -> exit({answer, Answer}) end.

tail_link(Pid) -> link(Pid).

ways(B) ->
    Same = fun(Pid) -> Pid end,
    Linked = fun(Pid) -> link(Pid), Pid end,
    Watched = fun(Pid) -> monitor(process, Pid) end,
    [{'!', Same, fun(Pid) -> Pid ! x end},
     {'! name', Same, fun(_) -> {nobody, B} ! x end},
     {send_2, Same, fun(Pid) -> erlang:send(Pid, x) end},
     {send_3, Same, fun(Pid) -> erlang:send(Pid, x, []) end},
     {send_3_noconnect, Same, fun(Pid) -> erlang:send(Pid, x, [noconnect]) end},
     {send_3_nosuspend, Same, fun(Pid) -> erlang:send(Pid, x, [nosuspend]) end},
     {link, Same, fun(Pid) -> link(Pid) end},
     {tail_link, Same, fun(Pid) -> tail_link(Pid) end},
     {apply_link, Same, fun(Pid) -> apply(erlang, link, [Pid]) end},
     {link_again, Linked, fun(Pid) -> link(Pid) end},
     {unlink, Linked, fun(Pid) -> unlink(Pid) end},
     {unlink_nothing, Same, fun(Pid) -> unlink(Pid) end},
     {monitor, Same, fun(Pid) -> monitor(process, Pid) end},
     {monitor_name, Same, fun(_) -> monitor(process, {nobody, B}) end},
     {monitor_3, Same, fun(Pid) -> erlang:monitor(process, Pid, [{alias, demonitor}, {tag, tag}]) end},
     {demonitor, Watched, fun(R) -> demonitor(R) end},
     {demonitor_flush, Watched, fun(R) -> demonitor(R, [flush]) end},
     {demonitor_info, Watched, fun(R) -> demonitor(R, [info]) end},
     {demonitor_flush_info, Watched, fun(R) -> demonitor(R, [flush, info]) end},
     {demonitor_nothing, Same, fun(_) -> demonitor(make_ref()) end},
     {exit_2, Same, fun(Pid) -> exit(Pid, reason) end},
     {group_leader, Same, fun(Pid) -> group_leader(self(), Pid) end},
     {spawn_request, Same, fun(_) -> spawn_request(B, erlang, date, []) end},
     {spawn_request_monitor, Same, fun(_) -> spawn_request(B, erlang, date, [], [monitor, link]) end},
     {monitor_node, Same, fun(_) -> monitor_node(B, true) end}].
