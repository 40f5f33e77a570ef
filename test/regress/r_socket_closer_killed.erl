%% Who closes a socket is killed before the descriptor has been closed: it is closed all the same, and the registry hears
%% of it. With `linger` who closes may stand in a queue for dirty threads.
-module(r_socket_closer_killed).
-export([main/0, hold/0, let_go/0]).
-nifs([hold/0, let_go/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    ok = socket:close(open(false)), % the registry is there
    io:format("in between: ~p~n", [lists:all(fun in_between/1, lists:seq(1, 200))]),
    Holders = [spawn_monitor(fun() -> hold() end) || _ <- lists:seq(1, erlang:system_info(dirty_io_schedulers))],
    [until(fun() -> erts_internal:is_process_executing_dirty(P) end) || {P, _} <- Holders],
    InQueue = [in_the_queue(Who) || Who <- [owner, another, another_and_owner]], % nothing is loaded meanwhile
    let_go(),
    io:format("in the queue: ~p~n", [InQueue]),
    [receive {'DOWN', M, process, P, _} -> ok end || {P, M} <- Holders],
    io:format("left: ~p ~p~n", [is_soon(fun() -> socket:which_sockets() =:= [] end), socket:number_of()]).

in_between(N) ->
    Main = self(),
    {P, M} = spawn_monitor(fun() -> S = open(false), Main ! {self(), S}, socket:close(S), receive never -> ok end end),
    S = receive {P, Opened} -> Opened end,
    lists:foreach(fun(_) -> ok end, lists:seq(1, N rem 40 * 10)),
    killed(P, M),
    is_closed(S).

in_the_queue(Who) ->
    Main = self(),
    {Owner, M} = spawn_monitor(fun() ->
        S = open(true),
        Main ! {self(), S},
        Who =:= owner andalso socket:close(S),
        receive never -> ok end
    end),
    S = receive {Owner, Opened} -> Opened end,
    Closer = case Who of owner -> {Owner, M}; _ -> spawn_monitor(fun() -> socket:close(S) end) end,
    until(fun() -> lists:member(closing, states(S)) end),
    Who =:= another_and_owner andalso killed(Owner, M),
    Still = states(S),
    {P, CloserM} = Closer,
    killed(P, CloserM),
    Closed = is_closed(S),
    Who =:= another andalso killed(Owner, M),
    {Still, Closed, states(S), socket:close(S)}.

open(Linger) ->
    {ok, S} = socket:open(inet, stream, tcp),
    Linger andalso (ok = socket:setopt(S, {socket, linger}, #{onoff => true, linger => 1})),
    S.

killed(P, M) -> exit(P, kill), receive {'DOWN', M, process, P, killed} -> ok end.

states(S) -> maps:get(rstates, socket:info(S)).
is_closed(S) -> is_soon(fun() -> lists:member(closed, states(S)) andalso not lists:member(S, socket:which_sockets()) end).

%% Ten seconds at most.
is_soon(F) -> is_soon(F, 10000).
is_soon(F, N) -> F() orelse N > 0 andalso begin pause(), is_soon(F, N - 1) end.
until(F) -> F() orelse begin pause(), until(F) end.

pause() -> receive after 1 -> ok end.

hold() -> erlang:nif_error(not_loaded).
let_go() -> erlang:nif_error(not_loaded).
