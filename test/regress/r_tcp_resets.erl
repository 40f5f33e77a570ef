%% Connections that are reset, with and without show_econnreset and exit_on_close: what who receives, sends,
%% waits to send, or is told hears of it.
-module(r_tcp_resets).
-export([main/0]).
-include("../erl/settled.hrl").

main() ->
    Kinds = [Shows ++ Exits || Shows <- [[], [{show_econnreset, true}]], Exits <- [[], [{exit_on_close, false}]]],
    [F(O) || O <- Kinds, F <- [fun closed/1, fun unread/1, fun received/1, fun told/1, fun blocked/1]],
    ok.

w(Label, O, X) -> io:format("~p ~0p ~0p~n", [Label, O, clean(X)]).
clean(X) when is_port(X) -> port;
clean(X) when is_tuple(X) -> list_to_tuple(clean(tuple_to_list(X)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(X) -> X.

fl() -> settled(), rest().
rest() -> receive X -> [X | rest()] after 100 -> [] end.

pair(O) ->
    Options = [binary, {active, false}, {ip, {127, 0, 0, 1}} | O],
    {ok, L} = gen_tcp:listen(0, Options),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, Options),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {C, S}.

reset(C) ->
    ok = inet:setopts(C, [{linger, {true, 0}}]),
    ok = gen_tcp:close(C),
    settled().

sends(S) -> [begin R = gen_tcp:send(S, "x"), settled(), R end || _ <- "123"].
receives(S) -> [catch gen_tcp:recv(S, 0, 20000) || _ <- "123"].

closed(O) ->
    {C, S} = pair(O),
    ok = gen_tcp:close(C),
    w(closed, O, {sends(S), receives(S), fl()}).

unread(O) ->
    {C, S} = pair(O),
    ok = gen_tcp:send(S, "abc"),
    timer:sleep(10),
    ok = gen_tcp:close(C),
    w(unread, O, {sends(S), receives(S), fl()}).

received(O) ->
    {C, S} = pair(O),
    reset(C),
    w(received, O, {receives(S), sends(S), receives(S), inet:setopts(S, [{active, true}]), fl()}).

told(O) ->
    [begin
         {C, S} = pair(O),
         ok = inet:setopts(S, [{active, Active}]),
         reset(C),
         w({told, Active}, O, {fl(), receives(S), sends(S), fl(), catch inet:setopts(S, [{active, true}]), fl()})
     end || Active <- [true, once]].

blocked(O) ->
    {C, S} = pair([{sndbuf, 4096}, {recbuf, 4096} | O]),
    Self = self(),
    First = spawn(fun() -> Self ! {first, fill(S)} end),
    until_it_waits(First, S),
    Second = spawn(fun() -> Self ! {second, gen_tcp:send(S, "x")} end),
    until_it_waits(Second, S),
    reset(C),
    w(blocked, O, {lists:sort(fl()), sends(S), receives(S), catch inet:setopts(S, [{active, true}]), fl()}).

%% It sleeps, and the system takes no more.
until_it_waits(Sender, S) ->
    Queued = erlang:port_info(S, queue_size),
    timer:sleep(50),
    {status, Status} = process_info(Sender, status),
    Waits = lists:member(Status, [waiting, suspended]),
    Waits andalso erlang:port_info(S, queue_size) =:= Queued orelse until_it_waits(Sender, S).

fill(S) ->
    case gen_tcp:send(S, binary:copy(<<"x">>, 100000)) of
        ok -> fill(S);
        Error -> Error
    end.
