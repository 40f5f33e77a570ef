-module(process_seq_trace).
-export([main/0]).
-include("p.hrl").

main() ->
    [p(I, erlang:seq_trace_info(I)) || I <- [send, 'receive', print, timestamp, label, serial]],
    A = erlang:seq_trace(serial, {3, 7}),
    B = erlang:seq_trace_info(serial),
    C = process_info(self(), sequential_trace_token),
    D = erlang:seq_trace(send, true),
    E = erlang:seq_trace(label, {my, "label"}),
    F = process_info(self(), sequential_trace_token),
    self() ! x,
    G = process_info(self(), sequential_trace_token),
    receive x -> ok end,
    H = process_info(self(), sequential_trace_token),
    Self = self(),
    P = spawn(fun() -> receive {From, M} -> From ! {M, process_info(self(), sequential_trace_token)} end end),
    P ! {Self, hello},
    I = receive {hello, Token} -> Token end,
    J = process_info(self(), sequential_trace_token),
    K = erlang:seq_trace(send, false),
    erlang:seq_trace(sequential_trace_token, []),
    L = erlang:seq_trace_info(serial),
    self() ! y,
    receive y -> ok end,
    M = process_info(self(), sequential_trace_token),
    [p(N, V) || {N, V} <- [{serial, A}, {serial, B}, {token, C}, {send, D}, {label, E}, {token, F}, {sent, G},
                           {received, H}, {there, short(I)}, {back, short(J)}, {send, K}, {serial, L}, {token, M}]],
    [f({X, Y}, fun() -> erlang:seq_trace(X, Y) end)
     || {X, Y} <- [{foo, 1}, {send, x}, {serial, 1}, {sequential_trace_token, {1, 2}}]],
    f(info, fun() -> erlang:seq_trace_info(foo) end),
    [f({node, N}, fun() -> monitor_node(N, true) end) || N <- [node(), 'some@where', 1]].

%% Serials count what else was sent.
short({sequential_trace_token, {Flags, Label, _, From, _}}) -> {Flags, Label, From}.
