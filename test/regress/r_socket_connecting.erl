%% While a process connects nobody writes, and while somebody waits to write nobody connects: the descriptor tells one of
%% them only that it is ready. Another who connects hears `already`.
-module(r_socket_connecting).
-export([main/0]).

main() ->
    {L, A} = full(),
    {ok, C} = socket:open(inet, stream, tcp),
    Me = self(),
    {Connector, M} = spawn_monitor(fun() -> Me ! connecting, exit({connected, socket:connect(C, A)}) end),
    receive connecting -> until(fun() -> lists:member(connecting, maps:get(wstates, socket:info(C))) end) end,
    {ok, F} = file:open(code:which(?MODULE), [read, raw, binary]),
    [io:format("~s ~p~n", [Label, shown(Call)])
     || {Label, Call} <- [{"send", fun() -> socket:send(C, <<"x">>, nowait) end},
                          {"send 0", fun() -> socket:send(C, <<"x">>, 0) end},
                          {"sendto", fun() -> socket:sendto(C, <<"x">>, A, nowait) end},
                          {"sendmsg", fun() -> socket:sendmsg(C, #{iov => [<<"x">>]}, nowait) end},
                          {"sendfile", fun() -> socket:sendfile(C, F, 0, 10, nowait) end},
                          {"connect", fun() -> socket:connect(C, A) end},
                          {"connect 10", fun() -> socket:connect(C, A, 10) end},
                          {"connect nowait", fun() -> socket:connect(C, A, nowait) end},
                          {"how", fun() -> socket:connect(C) end},
                          {"own", fun() -> own_connect_then_send(A) end}]],
    io:format("~p~n", [maps:with([wstates, num_writers], socket:info(C))]),
    {ok, _} = socket:accept(L), % room for one
    accept_all(L),
    io:format("~p~n", [receive {'DOWN', M, process, Connector, Reason} -> Reason after 30000 -> never end]),
    writers_wait().

own_connect_then_send(A) ->
    {ok, C} = socket:open(inet, stream, tcp),
    {select, Info} = socket:connect(C, A, nowait),
    {shown(fun() -> socket:send(C, <<"x">>) end), socket:cancel(C, Info), socket:close(C)}.

writers_wait() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, A),
    {ok, _S} = socket:accept(L),
    Writers = [spawn(fun() -> socket:send(C, binary:copy(<<0>>, 30000000)) end) || _ <- [1, 2]],
    until(fun() -> maps:get(num_writers, socket:info(C)) =:= 2 end),
    io:format("~p~n", [[shown(fun() -> socket:connect(C, A, T) end) || T <- [nowait, 10, infinity]]]),
    [exit(P, kill) || P <- Writers],
    until(fun() -> maps:get(num_writers, socket:info(C)) =:= 0 end),
    io:format("~p~n", [shown(fun() -> socket:connect(C, A, nowait) end)]).

%% A listener with no room left for connections that nobody has accepted.
full() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L, 0),
    {ok, A} = socket:sockname(L),
    fill(A),
    {L, A}.

fill(A) ->
    {ok, C} = socket:open(inet, stream, tcp),
    put(C, kept),
    case socket:connect(C, A, 300) of
        ok -> fill(A);
        {error, timeout} -> ok
    end.

accept_all(L) ->
    spawn_link(fun() -> accept_on(L) end).
accept_on(L) -> {ok, _} = socket:accept(L), accept_on(L).

shown(F) ->
    try F() of
        {select, _} -> select;
        Answer -> Answer
    catch Class:Reason -> {raised, Class, Reason}
    end.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.
