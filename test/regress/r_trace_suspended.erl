%% Messages that came to a suspended process are told to who traces it when it looks at them: when it goes on, or when
%% another kind of signal comes: a question is one, a collection or a check of its code is none. And what others do to
%% a process's name is told before what it has not looked at.
-module(r_trace_suspended).
-export([main/0]).

main() ->
    [io:format("~p: ~0p~n", [Name, in_between(Fun)]) || {Name, Fun} <- cases()],
    [io:format("traced, ~p: ~0p~n", [Name, while_traced(Fun)]) || {Name, Fun} <- cases() ++ more_cases()],
    io:format("names: ~0p~n", [names()]).

%% Between two messages to a suspended process; a third one follows when it is traced.
cases() ->
    [{nothing, fun(_) -> ok end},
     {untraced, fun(P) -> erlang:trace(P, true, ['receive']), P ! traced, erlang:trace(P, false, ['receive']) end},
     {trace_info, fun(P) -> erlang:trace_info(P, flags) end},
     {asked, fun(P) -> process_info(P, message_queue_len) end},
     {linked, fun(P) -> link(P), process_info(P, links) end},
     {by_alias, fun(P) -> get(alias) ! by_alias, process_info(P, links) end},
     {collected, fun(P) -> garbage_collect(P) end},
     {named, fun(P) -> register(r_trace_suspended_name, P), r_trace_suspended_name ! by_name end},
     {suspended_twice, fun(P) -> erlang:suspend_process(P), erlang:resume_process(P) end}].

more_cases() ->
    [{{info, Item}, fun(P) -> process_info(P, Item) end}
     || Item <- [priority, registered_name, status, heap_size, current_function, trap_exit, messages, [], [links]]] ++
    [{alive, fun(P) -> is_process_alive(P) end},
     {delivered, fun(P) -> R = erlang:trace_delivered(P), receive {trace_delivered, P, R} -> ok end end},
     {collected_minor, fun(P) -> garbage_collect(P, [{type, minor}]) end},
     {checked, fun(P) -> erlang:check_process_code(P, lists) end},
     {suspended_with_a_tag, fun(P) ->
         erlang:suspend_process(P, [{asynchronous, tag}]),
         receive {tag, _} -> erlang:resume_process(P) end
      end},
     {suspended_already, fun(P) -> erlang:suspend_process(P, [unless_suspending]) end},
     {led, fun(P) -> group_leader(group_leader(), P) end},
     {monitored, fun(P) -> demonitor(monitor(process, P)) end},
     {told_normal, fun(P) -> exit(P, normal) end}].

%% What is told before it goes on, and after.
while_traced(Fun) ->
    P = spawn(fun() -> served(none) end),
    put(alias, none),
    erlang:trace(P, true, ['receive']),
    erlang:suspend_process(P),
    P ! one,
    catch Fun(P),
    Before = told(P),
    erlang:resume_process(P),
    process_info(P, links),
    After = told(P),
    ended(P),
    {Before, After}.

in_between(Fun) ->
    Main = self(),
    P = spawn(fun() -> Main ! {alias, alias()}, served(Main) end),
    receive {alias, A} -> put(alias, A) end,
    erlang:suspend_process(P),
    P ! one,
    Fun(P),
    P ! two,
    erlang:trace(P, true, ['receive', procs]),
    P ! three,
    erlang:resume_process(P),
    asked(P),
    Events = told(P),
    ended(P),
    Events.

%% It has no chance to look in between: `register` and its like do not give it a slice, and it is suspended.
names() ->
    Main = self(),
    P = spawn(fun() -> served(Main) end),
    asked(P),
    erlang:trace(P, true, [procs, 'receive']),
    erlang:suspend_process(P),
    told(P),
    P ! one,
    register(r_trace_suspended_name, P), unregister(r_trace_suspended_name),
    P ! two,
    erlang:resume_process(P),
    asked(P),
    told(P).

served(Main) ->
    receive
        {asked, Ref} -> Main ! Ref;
        _ -> ok
    end,
    served(Main).

asked(P) ->
    Ref = make_ref(),
    P ! {asked, Ref},
    receive Ref -> ok end.

ended(P) ->
    unlink(P),
    Monitor = monitor(process, P),
    exit(P, kill),
    receive {'DOWN', Monitor, process, P, _} -> ok end.

told(P) ->
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    taken(P).

taken(P) ->
    receive
        {trace, P, Tag, Info} when is_pid(Info); is_tuple(Info) -> [Tag | taken(P)];
        {trace, P, Tag, Info} -> [{Tag, Info} | taken(P)]
    after 0 -> []
    end.
