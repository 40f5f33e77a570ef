%% Who waits until he can send hears that the connection was reset; that his time is over afterwards changes nothing, and
%% an owner hears of one end only once.
-module(r_tcp_send_late).
-export([main/0]).

main() ->
    Switches = [{A, E, R, C} || A <- [false, true], E <- [true, false], R <- [true, false], C <- [true, false]],
    [told(Switches, Mark, Receives) || Mark <- [1000, 100000000], Receives <- [false, true]],
    ok.

%% With a high mark nobody waits: all is queued when the reset comes, and writing is tried before reading is.
told(Switches, Mark, Receives) ->
    Running = [spawn_monitor(fun() -> exit({told, one(S, Mark, Receives)}) end) || S <- Switches],
    [io:format("~0p ~0p ~0p ~0p~n", [Mark, Receives, S, answer(Ref)]) || {S, {_, Ref}} <- lists:zip(Switches, Running)].

answer(Ref) -> receive {'DOWN', Ref, _, _, Answer} -> Answer end.

one({Active, Exits, ShowsReset, Closes}, Mark, Receives) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {recbuf, 4096}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port,
                              [binary, {active, Active}, {exit_on_close, Exits}, {send_timeout, 800},
                               {send_timeout_close, Closes}, {show_econnreset, ShowsReset}, {sndbuf, 4096},
                               {high_watermark, Mark}, {low_watermark, 10}]),
    {ok, S} = gen_tcp:accept(L),
    Self = self(),
    _ = [spawn(fun() -> Self ! {receiver, gen_tcp:recv(C, 0)} end) || Receives],
    timer:sleep(10),
    _ = spawn(fun() -> Self ! {sender, send(C, 300)} end),
    timer:sleep(300),
    ok = inet:setopts(S, [{linger, {true, 0}}]),
    ok = gen_tcp:close(S),
    Sender = receive {sender, Result} -> Result after 400 -> never end,
    timer:sleep(1000),
    Later = [gen_tcp:recv(C, 0, 100), gen_tcp:recv(C, 0, 100), gen_tcp:send(C, <<"x">>), inet:setopts(C, [{active, true}])],
    Receiver = [receive {receiver, R} -> R after 0 -> never end || Receives],
    {Sender, Receiver, Later, told()}.

send(_, 0) -> all;
send(C, N) ->
    case gen_tcp:send(C, binary:copy(<<"x">>, 20000)) of
        ok -> send(C, N - 1);
        Error -> Error
    end.

told() ->
    receive
        {Tag, _} -> [Tag | told()];
        {Tag, _, Reason} -> [{Tag, Reason} | told()]
    after 100 -> []
    end.
