%% Sequence tokens and exit signals: a process that ends sends its token along its links, and who traps exits takes it up;
%% exit/2, and what the runtime itself says of a link, carries none. What the system tracer hears, and what the others
%% hold afterwards.
-module(trace_tokens).
-export([main/0]).
-include("trace.hrl").

main() ->
    logger:set_primary_config(level, none),
    Collector = spawn(fun() -> collect([]) end),
    seq_trace:set_system_tracer(Collector),
    [scenario(Collector, Name, Fun) || {Name, Fun} <- scenarios()].

collect(L) ->
    receive
        {get, P} -> P ! {told, lists:reverse(L)}, collect([]);
        M -> collect([M | L])
    end.

scenario(Collector, Name, Fun) ->
    {P, M} = spawn_monitor(Fun),
    receive {'DOWN', M, process, _, _} -> ok end,
    quiet(), % those that it was linked to are through with it
    Collector ! {get, self()},
    receive {told, L} -> show(Name, plain_from(P, L)) end.

%% The process that it is about is p0.
plain_from(P, L) -> {[_ | Plain], _} = plain([P | L], #{}), Plain.

begin_trace() ->
    [seq_trace:set_token(F, true) || F <- [send, 'receive', print]],
    seq_trace:set_token(label, 17).

%% One that traps exits, and prints with its token what it gets.
trapper() ->
    S = self(),
    P = spawn(fun() -> process_flag(trap_exit, true), S ! {self(), up}, trap() end),
    receive {P, up} -> P end.

trap() ->
    receive
        {'EXIT', _, Reason} -> seq_trace:print({exit, Reason, seq_trace:get_token()}), trap();
        {forward, To} -> receive {'EXIT', _, Reason} -> To ! {forwarded, Reason} end, trap();
        M -> seq_trace:print({got, M, seq_trace:get_token()}), trap()
    end.

%% One that does not, and is linked to another.
victim(Linked) ->
    S = self(),
    P = spawn(fun() -> link(Linked), S ! {self(), up}, receive never -> ok end end),
    receive {P, up} -> P end.

%% Ends with a token and a link to P.
ended(P, How) ->
    link(P),
    begin_trace(),
    How().

scenarios() ->
    [{exit, fun() -> ended(trapper(), fun() -> exit(bye) end) end},
     {large_reason, fun() -> ended(trapper(), fun() -> exit({lists:seq(1, 100), self()}) end) end},
     {normal, fun() -> ended(trapper(), fun() -> exit(normal) end) end},
     {return, fun() -> ended(trapper(), fun() -> ok end) end},
     {error, fun() -> ended(trapper(), fun() -> error(oops, none) end) end},
     {killed, fun() -> ended(trapper(), fun() -> exit(self(), kill), timer:sleep(1000) end) end},
     {not_trapped, fun() -> ended(victim(trapper()), fun() -> exit(bye) end) end},
     {not_trapped_twice, fun() -> ended(victim(victim(trapper())), fun() -> exit(bye) end) end},
     {unlinked, fun() -> T = trapper(), ended(T, fun() -> unlink(T), exit(bye) end) end},
     {passed_on, fun() -> T = trapper(), T ! {forward, trapper()}, ended(T, fun() -> exit(bye) end) end},
     {token_laid_down, fun() -> ended(trapper(), fun() -> seq_trace:set_token([]), exit(bye) end) end},
     {without_send, fun() -> ended(trapper(), fun() -> seq_trace:set_token(send, false), exit(bye) end) end},
     {exit_2, fun() -> T = trapper(), begin_trace(), exit(T, hello), quiet(), seq_trace:print(still) end},
     {exit_2_to_victim, fun() -> V = victim(trapper()), begin_trace(), exit(V, hello), quiet() end},
     {exit_2_to_itself, fun() ->
          process_flag(trap_exit, true), begin_trace(), exit(self(), hello), receive X -> seq_trace:print(X) end end},
     {in_between, fun() ->
          T = trapper(), begin_trace(), T ! one, exit(T, two), T ! three, quiet() end},
     {link_to_nobody, fun() ->
          process_flag(trap_exit, true),
          {V, M} = spawn_monitor(fun() -> ok end),
          receive {'DOWN', M, process, _, _} -> ok end,
          begin_trace(),
          link(V),
          receive {'EXIT', V, noproc} -> seq_trace:print(seq_trace:get_token()) end end},
     {child, fun() ->
          process_flag(trap_exit, true),
          spawn_link(fun() -> begin_trace(), exit(oops) end),
          receive {'EXIT', _, oops} -> seq_trace:print(seq_trace:get_token()) end end},
     {monitor, fun() ->
          S = self(),
          spawn(fun() ->
                    M = monitor(process, S),
                    S ! go,
                    receive {'DOWN', M, _, _, bye} -> seq_trace:print(seq_trace:get_token()) end end),
          receive go -> ok end,
          begin_trace(),
          exit(bye) end}].
