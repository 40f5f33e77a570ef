%% Thousands wait to accept on one socket: some are killed, some give up, the others all hear that it is closed. What one
%% of them takes is the same however many there are.
-module(r_socket_many_waiters).
-export([main/0]).

-define(WAITERS, 4000).

main() ->
    {ok, S} = socket:open(inet, stream, tcp),
    ok = socket:bind(S, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(S),
    Waiters = [spawn_monitor(fun() -> exit(socket:accept(S, timeout_of(N))) end) || N <- lists:seq(1, ?WAITERS)],
    wait_until(fun() -> num_acceptors(S) =:= ?WAITERS end),
    {Gone, Others} = lists:split(?WAITERS div 4, Waiters),
    [exit(P, kill) || {P, _} <- Gone],
    io:format("~p~n", [counted(ended(Gone), #{})]),
    wait_until(fun() -> num_acceptors(S) =:= 3 * ?WAITERS div 4 end),
    ok = socket:close(S),
    io:format("~p~n", [counted(ended(Others), #{})]).

timeout_of(N) when N rem 2 =:= 0 -> infinity;
timeout_of(_) -> 3600000.

num_acceptors(S) -> maps:get(num_acceptors, socket:info(S)).

wait_until(Is) -> Is() orelse begin timer:sleep(10), wait_until(Is) end.

ended(Waiters) -> [receive {'DOWN', M, process, P, Reason} -> Reason end || {P, M} <- Waiters].

counted([], Counts) -> Counts;
counted([X | Rest], Counts) -> counted(Rest, maps:update_with(X, fun(N) -> N + 1 end, 1, Counts)).
