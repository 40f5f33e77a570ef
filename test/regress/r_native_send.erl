%% What a native function sends, whatever thread it runs on. From an environment of its own it carries its process's
%% sequential trace token; what is copied carries none. Of a traced process it is told as any other message.
-module(r_native_send).
-export([main/0, send_plain/2, send_cpu/2, send_io/2]).
-nifs([send_plain/2, send_cpu/2, send_io/2]).

send_plain(_, _) -> erlang:nif_error(undef).
send_cpu(_, _) -> erlang:nif_error(undef).
send_io(_, _) -> erlang:nif_error(undef).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    [io:format("~p ~p: ~p~n", [F, Size, sent(F, binary:copy(<<"x">>, Size))])
     || F <- [send_plain, send_cpu, send_io], Size <- [1, 100]],
    To = spawn(fun() -> receive stop -> ok end end),
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    [io:format("~p ~p ~p: ~p~n", [F, Kind, Size, told(F, Pid, binary:copy(<<"x">>, Size))])
     || F <- [send_plain, send_cpu, send_io], {Kind, Pid} <- [{alive, To}, {dead, Dead}], Size <- [1, 100]],
    erlang:trace_pattern(send, [{['_', {'_', 2}], [], []}], []),
    io:format("by a pattern: ~p~n", [[told(F, To, x) || F <- [send_plain, send_cpu]]]).

sent(F, Message) ->
    Me = self(),
    P = spawn(fun() ->
        Tokens = [receive Sent -> token() end || Sent <- [Message, {Message, 2}]],
        seq_trace:set_token([]),
        Me ! {tokens, Tokens}
    end),
    seq_trace:set_token(label, 17),
    seq_trace:set_token(send, true),
    Sent = ?MODULE:F(P, Message),
    After = token(),
    seq_trace:set_token([]),
    receive {tokens, Tokens} -> {Sent, After, Tokens} end.

token() -> case seq_trace:get_token() of [] -> none; {_, Label, Serial, _, _} -> {Label, Serial} end.

told(F, To, Message) ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> receive go -> exit({sent, ?MODULE:F(To, Message)}) end end),
    1 = erlang:trace(Pid, true, [send]),
    Pid ! go,
    receive {'DOWN', Ref, process, Pid, Sent} -> ok end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    {Sent, events(Pid, To, Me)}.

events(Pid, To, Me) ->
    receive
        {trace, Pid, What, Message, To} -> [{What, Message} | events(Pid, To, Me)];
        {trace, Pid, What, Message, Other} -> [{What, Message, Other =:= Me} | events(Pid, To, Me)]
    after 0 -> []
    end.
