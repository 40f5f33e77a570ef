%% What a traced process that spawns, asks for a process, or is spawned causes; and what flags its children get.
-module(trace_spawns).
-export([main/0]).
-include("trace.hrl").

main() ->
    Self = self(),
    [begin
         P = spawn(fun() -> process_flag(trap_exit, true), served(Self, ready) end),
         receive {P, ready} -> ok end,
         erlang:trace(P, true, Flags),
         run(P, Fun),
         All = without_waits(collected(P)),
         show({Name, Flags}, [told(T, P) || T <- All, element(2, T) =:= P]),
         erlang:trace(P, false, [all]),
         quiet(),
         show(child, [told(T, P) || T <- All ++ everything(), element(2, T) =/= P]),
         exit(P, kill)
     end || Flags <- [[procs], [procs, send, 'receive'], [procs, set_on_spawn], [procs, set_on_first_spawn],
                      [procs, set_on_link], [procs, set_on_first_link]], {Name, Fun} <- spawns()].

%% How often it waits until all is quiet, if at all, depends on who runs when.
without_waits(Events) -> [T || T <- Events, not is_wait(T)].

is_wait({trace, _, 'receive', timeout}) -> true;
is_wait(_) -> false.

%% Each waits until the child is gone.
spawns() ->
    Gone = fun(Pid) -> M = monitor(process, Pid), receive {'DOWN', M, _, _, _} -> ok end end,
    [{spawn, fun() -> Gone(spawn(erlang, date, [])) end},
     {spawn_fun, fun() -> Gone(spawn(fun() -> ok end)) end},
     {spawn_link, fun() -> P = spawn_link(erlang, date, []), receive {'EXIT', P, _} -> ok end end},
     {spawn_monitor, fun() -> {_, M} = spawn_monitor(erlang, date, []), receive {'DOWN', M, _, _, _} -> ok end end},
     {spawn_opt, fun() -> Gone(spawn_opt(erlang, abs, [1], [{priority, high}])) end},
     {request, fun() -> Gone(asked(spawn_request(erlang, date, [], []))) end},
     {request_fun, fun() -> Gone(asked(spawn_request(fun() -> ok end))) end},
     {request_link, fun() -> P = asked(spawn_request(erlang, date, [], [link])), receive {'EXIT', P, _} -> ok end end},
     {request_monitor, fun() ->
                               R = spawn_request(erlang, date, [], [monitor]),
                               asked(R), receive {'DOWN', R, _, _, _} -> ok end
                       end},
     {request_refused, fun() -> asked(spawn_request(erlang, date, [], [no_option])) end},
     {request_unanswered, fun() -> spawn_request(erlang, date, [], [{reply, no}]), quiet() end}].

asked(R) -> receive {spawn_reply, R, _, X} -> X end.

told(T, P) -> list_to_tuple([case E of
                                 P -> parent;
                                 _ when is_pid(E) -> pid;
                                 {spawn_reply, _, A, _} -> {spawn_reply, A};
                                 {'DOWN', _, process, _, _} -> 'DOWN'; % the child may be gone already
                                 {'EXIT', _, R} -> {'EXIT', R};
                                 {P, _} -> answer;
                                 {_, _, [F, []]} when is_function(F) -> 'fun';
                                 {erts_internal, I, [{_, _, [F, []]}]} when is_function(F) -> {I, 'fun'};
                                 {run, _} -> run;
                                 _ -> E
                             end || E <- tl(tl(tuple_to_list(T)))]).
