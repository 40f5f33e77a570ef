%% Who waits until he can send hears that the connection was reset; that his time is over afterwards changes nothing, and
%% an owner hears of one end only once.
-module(r_tcp_send_late).
-export([main/0]).

main() ->
    Cases = [{A, E, R, C} || A <- [false, true], E <- [true, false], R <- [true, false], C <- [true, false]],
    Running = [spawn_monitor(fun() -> exit({told, one(Case)}) end) || Case <- Cases],
    [io:format("~0p ~0p~n", [Case, answer(Ref)]) || {Case, {_, Ref}} <- lists:zip(Cases, Running)],
    ok.

answer(Ref) -> receive {'DOWN', Ref, _, _, Answer} -> Answer end.

one({Active, Exits, ShowsReset, Closes}) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {recbuf, 4096}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port,
                              [binary, {active, Active}, {exit_on_close, Exits}, {send_timeout, 800},
                               {send_timeout_close, Closes}, {show_econnreset, ShowsReset}, {sndbuf, 4096},
                               {high_watermark, 1000}, {low_watermark, 10}]),
    {ok, S} = gen_tcp:accept(L),
    Self = self(),
    _ = spawn(fun() -> Self ! {sender, send(C, 1000)} end),
    timer:sleep(300),
    ok = inet:setopts(S, [{linger, {true, 0}}]),
    ok = gen_tcp:close(S),
    Sender = receive {sender, Result} -> Result after 400 -> never end,
    timer:sleep(1000),
    Later = [gen_tcp:recv(C, 0, 100), gen_tcp:recv(C, 0, 100), gen_tcp:send(C, <<"x">>), inet:setopts(C, [{active, true}])],
    {Sender, Later, told()}.

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
