%% What a native function sends from an environment of its own carries its process's sequential trace token, whatever
%% thread it runs on; what is copied carries none.
-module(r_native_send_token).
-export([main/0, send_plain/2, send_cpu/2, send_io/2]).
-nifs([send_plain/2, send_cpu/2, send_io/2]).

send_plain(_, _) -> erlang:nif_error(undef).
send_cpu(_, _) -> erlang:nif_error(undef).
send_io(_, _) -> erlang:nif_error(undef).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    [io:format("~p ~p: ~p~n", [F, Size, sent(F, binary:copy(<<"x">>, Size))])
     || F <- [send_plain, send_cpu, send_io], Size <- [1, 100]].

sent(F, Message) ->
    Me = self(),
    P = spawn(fun() ->
        Tokens = [receive Message -> token() end || _ <- [1, 2]],
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
