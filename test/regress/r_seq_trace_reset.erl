%% seq_trace:reset_trace/0 takes all tokens at once, wherever they are: the caller's, those of others, in messages that
%% wait, at suspended processes, in timers; and the counts with them.
-module(r_seq_trace_reset).
-export([main/0]).

main() ->
    Tracer = spawn(fun() -> told([]) end),
    seq_trace:set_system_tracer(Tracer),
    [show(Name, Fun, Tracer) || {Name, Fun} <- cases()].

show(Name, Fun, Tracer) ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Result = Fun(), seq_trace:set_token([]), Self ! {self(), Result} end),
    Result = receive {P, R} -> R end,
    receive {'DOWN', M, _, _, _} -> ok end,
    Tracer ! {get, Self},
    receive {told, L} -> io:format("~p: ~0p ~0p~n", [Name, Result, L]) end.

told(L) ->
    receive
        {get, P} -> P ! {told, lists:reverse(L)}, told([]);
        {seq_trace, Label, {Kind, Serial, _, _, Message}} -> told([{Label, Kind, Serial, plain(Message)} | L])
    end.

plain(Message) when is_tuple(Message) -> [plain(E) || E <- tuple_to_list(Message), is_atom(E) orelse is_tuple(E)];
plain(Message) -> Message.

token(Label) ->
    [seq_trace:set_token(F, true) || F <- [send, 'receive', print]],
    seq_trace:set_token(label, Label),
    seq_trace:set_token(serial, {3, 5}).

counts() ->
    seq_trace:set_token(label, new),
    {Flags, Label, Serial, _, Previous} = seq_trace:get_token(),
    seq_trace:set_token([]),
    {Flags, Label, Serial, Previous}.

cases() ->
    [{own, fun() -> token(a), seq_trace:reset_trace(), self() ! m, {seq_trace:get_token(), seq_trace:print(x), counts()} end},
     {none, fun() -> token(a), seq_trace:set_token([]), seq_trace:reset_trace(), counts() end},
     {waits, fun() -> token(a), self() ! m, seq_trace:set_token([]), seq_trace:reset_trace(), receive m -> ok end,
                      {seq_trace:get_token(), counts()} end},
     {new_after, fun() -> token(a), self() ! m, seq_trace:reset_trace(), token(b), self() ! n,
                          {receive m -> seq_trace:get_token(label) end, receive n -> seq_trace:get_token(label) end} end},
     {timer, fun() -> token(a), erlang:send_after(1, self(), m), seq_trace:reset_trace(), receive m -> seq_trace:get_token() end end},
     {others, fun() ->
          P = other(), token(a), ask(P), seq_trace:set_token([]), A = ask(P), seq_trace:reset_trace(), {A, ask(P)} end},
     {suspended, fun() ->
          P = other(), ask(P), token(a), erlang:suspend_process(P), P ! ignored, seq_trace:reset_trace(),
          erlang:resume_process(P), ask(P) end},
     {kept, fun() -> P = other(), token(a), P ! keep, seq_trace:set_token([]), ask(P), seq_trace:reset_trace(),
                     P ! print, ask(P) end},
     {inherited, fun() -> token(a), P = other(), seq_trace:reset_trace(), ask(P) end},
     {info, fun() ->
          P = other(), token(a), P ! keep, seq_trace:set_token([]), ask(P),
          seq_trace:reset_trace(), process_info(P, sequential_trace_token) end}].

other() -> S = self(), spawn(fun() -> other(S) end).

other(S) ->
    receive
        {ask, Ref} -> S ! {Ref, case seq_trace:get_token() of [] -> []; T -> element(2, T) end};
        print -> seq_trace:print(printed);
        _ -> ok
    end,
    other(S).

%% Without a token of its own: the answer brings none along that is not the other's.
ask(P) ->
    Ref = make_ref(),
    P ! {ask, Ref},
    receive {Ref, Answer} -> Answer end.
