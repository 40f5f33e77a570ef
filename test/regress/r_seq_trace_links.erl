%% The exit signal of a link that carries a sequence token is told unless who gets it is sensitive, is the tracer itself,
%% or is no more; whether who ends is sensitive, or the tracer, does not matter.
-module(r_seq_trace_links).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    [io:format("~0p: ~0p~n", [{Own, Its, Reason, Traps}, ended(Own, Its, Reason, Traps)])
     || Own <- [true, false], Its <- [true, false], Reason <- [normal, bye], Traps <- [true, false]],
    io:format("dead: ~0p~n", [dead()]).

%% Two processes; the one ends, the other is linked to it.
ended(Own, Its, Reason, Traps) ->
    Tracer = tracer(),
    Main = self(),
    P = spawn(fun() -> process_flag(trap_exit, Traps), process_flag(sensitive, Own), other(Main) end),
    asked(P),
    {Q, M} = spawn_monitor(fun() ->
        link(P),
        [seq_trace:set_token(F, true) || F <- [send, 'receive']],
        process_flag(sensitive, Its),
        exit(Reason)
    end),
    receive {'DOWN', M, _, _, _} -> ok end,
    Lives = Traps orelse Reason =:= normal,
    Lives andalso asked(P),
    Lives andalso exit(P, kill),
    told(Tracer, [{P, p}, {Q, q}]).

other(Main) ->
    receive {asked, Ref} -> Main ! Ref end,
    other(Main).

%% One that has ended before, and is unlinked from.
dead() ->
    Tracer = tracer(),
    {Q, M} = spawn_monitor(fun() ->
        process_flag(trap_exit, true),
        P = spawn_link(fun() -> ok end),
        receive {'EXIT', P, _} -> ok end,
        [seq_trace:set_token(F, true) || F <- [send, 'receive']],
        exit(bye)
    end),
    receive {'DOWN', M, _, _, _} -> ok end,
    told(Tracer, [{Q, q}]).

tracer() ->
    Tracer = spawn(fun() -> receive never -> ok end end),
    seq_trace:set_system_tracer(Tracer),
    Tracer.

asked(P) ->
    Ref = make_ref(),
    P ! {asked, Ref},
    receive Ref -> ok end.

told(Tracer, Names) ->
    {messages, L} = process_info(Tracer, messages),
    seq_trace:set_system_tracer(false),
    exit(Tracer, kill),
    [{Kind, Serial, name(From, Names), name(To, Names), what(What)} || {seq_trace, _, {Kind, Serial, From, To, What}} <- L].

name(P, Names) -> proplists:get_value(P, Names, other).
what({'EXIT', _, Reason}) -> {exit, Reason};
what(_) -> message.
