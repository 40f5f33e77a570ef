%% {erl_tracer, State} where the state is no process: a tracer that is not there, which nothing is set for; as a meta
%% tracer it is until the next call. Of the system tracer it is refused.
-module(r_trace_no_such_tracer).
-export([main/0, f/0]).

f() -> ok.

main() ->
    logger:set_primary_config(level, none), % "can only have one tracer per process"
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    put(dead, Dead),
    [io:format("~0p: ~0p~n", [shown(S), [shown(X) || X <- answers(S)]])
     || S <- [foo, [], 1, {a, b}, "x", Dead, self()]].

answers(S) -> [settled(fun() -> one(S) end), settled(fun() -> two(S) end), all(S), meta(S), tokens(S)].

%% A process that waits may be run at any time, for literals that the node lets go of: what comes twice counts.
settled(F) ->
    R = F(),
    case F() of
        R -> R;
        _ -> settled(F)
    end.

catch_error(F) -> try F() catch C:R -> {C, R} end.

state(P) -> [erlang:trace_info(P, I) || I <- [flags, tracer]].

%% It waits: flags that lead to nobody go when it runs.
waiting() ->
    Main = self(),
    P = spawn(fun() -> Main ! {self(), begun}, receive stop -> ok end end),
    receive {P, begun} -> ok end,
    until_it_waits(P).

until_it_waits(P) ->
    case process_info(P, status) of
        {status, waiting} -> P;
        _ -> erlang:yield(), until_it_waits(P)
    end.

one(S) ->
    P = waiting(),
    {catch_error(fun() -> erlang:trace(P, true, [send, {tracer, erl_tracer, S}]) end), state(P)}.

%% One that has a tracer already.
two(S) ->
    P = waiting(),
    T = spawn(fun() -> receive stop -> ok end end),
    erlang:trace(P, true, [procs, {tracer, erl_tracer, S}]),
    {catch_error(fun() -> erlang:trace(P, true, [call, {tracer, self()}]) end), state(P),
     case S =:= self() of true -> same; false -> catch_error(fun() -> erlang:trace(P, false, [call, {tracer, T}]) end) end}.

all(S) ->
    [begin
         R = catch_error(fun() -> erlang:trace(Whom, true, [set_on_spawn, {tracer, erl_tracer, S}]) end),
         P = spawn(fun() -> receive stop -> ok end end),
         State = state(P),
         New = [erlang:trace_info(new, I) || I <- [flags, tracer]],
         erlang:trace(Whom, false, [all]),
         {is_integer(R), State, New}
     end || Whom <- [new, new_processes, existing, all]].

meta(S) ->
    {catch_error(fun() -> erlang:trace_pattern({?MODULE, f, 0}, true, [{meta, erl_tracer, S}]) end),
     erlang:trace_info({?MODULE, f, 0}, meta), ?MODULE:f(), erlang:trace_info({?MODULE, f, 0}, meta),
     erlang:trace_pattern({?MODULE, f, 0}, false, [meta]), receive {trace_ts, _, call, _, _} -> told after 0 -> not_told end}.

tokens([]) -> none; % the stock runtime ends
tokens(S) ->
    [catch_error(fun() -> seq_trace:set_system_tracer({erl_tracer, S}) end), seq_trace:get_system_tracer(),
     seq_trace:set_system_tracer(false)].

shown(P) when P =:= self() -> self;
shown(P) when is_pid(P) -> case get(dead) of P -> dead; _ -> other end;
shown(T) when is_tuple(T) -> list_to_tuple([shown(E) || E <- tuple_to_list(T)]);
shown([H | T]) -> [shown(H) | shown(T)];
shown(T) -> T.
