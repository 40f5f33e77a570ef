%% Who waits until he can send hears that the connection was reset; that his time is over afterwards changes nothing, and
%% an owner hears of one end only once.
-module(r_tcp_send_late).
-export([main/0]).

-define(SEND_TIMEOUT, 1500).
-define(LOW, 1000).
-define(HIGH, 100000000).

main() ->
    Switches = [{A, E, R, C} || A <- [false, true], E <- [true, false], R <- [true, false], C <- [true, false]],
    [told(Switches, Mark, Receives) || Mark <- [?LOW, ?HIGH], Receives <- [false, true]],
    ok.

%% With a high mark nobody waits: all is queued when the reset comes, and writing is tried before reading is.
told(Switches, Mark, Receives) ->
    Running = [spawn_monitor(fun() -> exit({told, one(S, Mark, Receives)}) end) || S <- Switches],
    [io:format("~0p ~0p ~0p ~0p~n", [Mark, Receives, S, answer(Ref)]) || {S, {_, Ref}} <- lists:zip(Switches, Running)].

answer(Ref) -> receive {'DOWN', Ref, _, _, Answer} -> Answer end.

%% On a machine that has so much else to do that his time was over before the reset: once more.
one(Switches, Mark, Receives) -> one(Switches, Mark, Receives, 20).

one(_, _, _, 0) -> too_late;
one(Switches, Mark, Receives, Tries) ->
    case one_try(Switches, Mark, Receives) of
        too_late -> one(Switches, Mark, Receives, Tries - 1);
        Told -> Told
    end.

one_try({Active, Exits, ShowsReset, Closes}, Mark, Receives) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {recbuf, 4096}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port,
                              [binary, {active, Active}, {exit_on_close, Exits}, {send_timeout, ?SEND_TIMEOUT},
                               {send_timeout_close, Closes}, {show_econnreset, ShowsReset}, {sndbuf, 4096},
                               {high_watermark, Mark}, {low_watermark, 10}]),
    {ok, S} = gen_tcp:accept(L),
    Self = self(),
    Receivers = [spawn(fun() -> Self ! {receiver, gen_tcp:recv(C, 0)} end) || Receives],
    [until(fun() -> waits_to_receive(R) end) || R <- Receivers],
    Begun = erlang:monotonic_time(millisecond),
    Writer = spawn(fun() -> Self ! {sender, send(C, 300)} end),
    Has = case Mark of ?LOW -> {current_function, {prim_inet, send_recv_reply, 2}}; ?HIGH -> undefined end,
    until(fun() -> process_info(Writer, current_function) =:= Has andalso queued(C) > 0 andalso is_stuck(C) end),
    ok = inet:setopts(S, [{linger, {true, 0}}]),
    ok = gen_tcp:close(S),
    Sender = receive {sender, Result} -> Result end,
    case erlang:monotonic_time(millisecond) - Begun < ?SEND_TIMEOUT of
        true -> {Sender, later(C, Receives), told()};
        false -> gen_tcp:close(C), forget(), too_late
    end.

later(C, Receives) ->
    timer:sleep(?SEND_TIMEOUT + 200),
    Later = [gen_tcp:recv(C, 0, 100), gen_tcp:recv(C, 0, 100), gen_tcp:send(C, <<"x">>), inet:setopts(C, [{active, true}])],
    {[receive {receiver, R} -> R after 0 -> never end || Receives], Later}.

until(Holds) ->
    case Holds() of
        true -> ok;
        false -> timer:sleep(5), until(Holds)
    end.

%% Or was refused.
waits_to_receive(Pid) ->
    case process_info(Pid, current_function) of
        undefined -> true;
        {_, {Module, F, _}} -> Module =:= prim_inet andalso F =:= recv0
    end.

queued(C) ->
    case erlang:port_info(C, queue_size) of
        {_, Bytes} -> Bytes;
        undefined -> 0
    end.

%% The system takes no more.
is_stuck(C) ->
    Before = queued(C),
    timer:sleep(200),
    queued(C) =:= Before.

forget() -> receive _ -> forget() after 100 -> ok end.

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
