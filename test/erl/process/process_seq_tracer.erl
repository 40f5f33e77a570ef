%% The system tracer of sequential tracing, and what it is told.
-module(process_seq_tracer).
-export([main/0]).
-include("../t.hrl").

main() ->
    Me = self(),
    t(none, fun() -> seq_trace:get_system_tracer() end),
    t(info, fun() -> erlang:system_info(sequential_tracer) end),
    t(no_token, fun() -> [erlang:seq_trace_print(x), erlang:seq_trace_print(0, x), seq_trace:print(x)] end),
    t(self, fun() -> {seq_trace:set_system_tracer(self()), seq_trace:get_system_tracer() =:= Me} end),
    t(by_itself, fun() -> with_token([print], fun() -> [seq_trace:print(a), token()] end) end),
    Tracer = spawn_link(fun() -> tracer([]) end),
    t(other, fun() -> {seq_trace:set_system_tracer(Tracer) =:= Me, seq_trace:get_system_tracer() =:= Tracer} end),
    t(sends, fun() -> told(Tracer, [send], fun talk/0) end),
    t(receives, fun() -> told(Tracer, ['receive'], fun talk/0) end),
    t(both, fun() -> told(Tracer, [send, 'receive'], fun talk/0) end),
    t(prints, fun() -> told(Tracer, [print], fun prints/0) end),
    t(untold_prints, fun() -> told(Tracer, [send], fun prints/0) end),
    t(labels, fun() -> told(Tracer, [print], fun() -> seq_trace:set_token(label, {my, label}), prints() end) end),
    [t({times, Flag}, fun() -> told(Tracer, [print, Flag], fun() -> seq_trace:print(now) end) end)
     || Flag <- [timestamp, strict_monotonic_timestamp, monotonic_timestamp]],
    t(by_name, fun() -> told(Tracer, [send], fun() -> register(me, self()), me ! hello, receive hello -> ok end end) end),
    t(alias, fun() -> told(Tracer, [send], fun() -> A = alias(), A ! hello, receive hello -> ok end end) end),
    t(reset, fun() ->
        seq_trace:set_token(label, 5),
        R = seq_trace:reset_trace(),
        erlang:yield(),
        receive after 1 -> ok end,
        {R, seq_trace:get_token()}
    end),
    t(off, fun() -> {seq_trace:set_system_tracer(false) =:= Tracer, seq_trace:get_system_tracer()} end),
    t(silent, fun() -> told(Tracer, [send, print], fun() -> prints(), talk() end) end),
    Gone = spawn(fun() -> receive stop -> ok end end),
    Ref = monitor(process, Gone),
    t(set, fun() -> seq_trace:set_system_tracer(Gone) end),
    Gone ! stop,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    t(gone, fun() -> seq_trace:get_system_tracer() end),
    [t({bad, Name}, fun() -> failing(fun() -> seq_trace:set_system_tracer(T) end) end)
     || {Name, T} <- [{atom, foo}, {number, 1}, {gone, Gone}, {true, true}]].

failing(F) -> try F() catch error:R -> R end.

token() -> case seq_trace:get_token() of {F, L, S, P, Pr} when is_pid(P) -> {F, L, S, Pr}; T -> T end.

with_token(Flags, F) ->
    seq_trace:set_token(label, 17),
    [seq_trace:set_token(Flag, true) || Flag <- Flags],
    try F() after seq_trace:set_token([]) end.

talk() ->
    P = spawn_without_token(),
    P ! {self(), hello},
    receive {P, hello} -> ok end,
    P ! {self(), again},
    receive {P, again} -> ok end,
    token().

%% What spawn itself tells is another matter.
spawn_without_token() ->
    Token = seq_trace:set_token([]),
    P = spawn_link(fun echo/0),
    seq_trace:set_token(Token),
    P.

echo() -> receive {From, What} -> From ! {self(), What}, echo() end.

prints() -> [seq_trace:print(one), seq_trace:print(17, two), seq_trace:print(18, three), seq_trace:print([four]), token()].

told(Tracer, Flags, F) ->
    R = with_token(Flags, F),
    Tracer ! {take, self()},
    receive {taken, L} -> {R, [short(M) || M <- L]} end.

tracer(L) ->
    receive
        {take, From} -> From ! {taken, lists:reverse(L)}, tracer([]);
        M -> tracer([M | L])
    end.

short({seq_trace, Label, {Kind, Serial, From, To, What}}) ->
    {Label, Kind, Serial, who(From), who(To), who(What)};
short({seq_trace, Label, Info, {A, B, C}}) when is_integer(A), is_integer(B), is_integer(C) ->
    {timestamp, short({seq_trace, Label, Info})};
short({seq_trace, Label, Info, {A, B}}) when is_integer(A), is_integer(B) -> {strict, short({seq_trace, Label, Info})};
short({seq_trace, Label, Info, A}) when is_integer(A) -> {monotonic, short({seq_trace, Label, Info})}.

who(P) when P =:= self() -> me;
who(P) when is_pid(P) -> other;
who(R) when is_reference(R) -> reference;
who({A, B}) -> {who(A), who(B)};
who(X) -> X.
