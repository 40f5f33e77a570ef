%% A socket is `accepting`, or `connecting`, as long as somebody waits for that: until the last one has been answered, has
%% given up, or has died. Who gives up what nobody waits for changes nothing.
-module(r_socket_waiting_states).
-export([main/0]).

main() ->
    accepting(),
    connecting().

accepting() ->
    {L, A} = listener(5),
    First = waiting(L, fun() -> socket:accept(L) end, 1),
    Second = waiting(L, fun() -> socket:accept(L) end, 2),
    w("two", L),
    kill(First, L, fun(I) -> maps:get(num_acceptors, I) =:= 1 end),
    w("one has died", L),
    kill(Second, L, fun(I) -> maps:get(num_acceptors, I) =:= 0 end),
    w("both", L),
    w("then", {socket:accept(L, 0), socket:recv(L, 0, 0)}, L),
    Third = waiting(L, fun() -> socket:accept(L) end, 1),
    {select, Behind} = socket:accept(L, nowait),
    w("another one", shown(socket:cancel(L, {select_info, accept, make_ref()})), L),
    w("by another", in_another(fun() -> shown(socket:cancel(L, Behind)) end), L),
    kill(Third, L, fun(I) -> maps:get(num_acceptors, I) =:= 1 end),
    w("in front", L),
    w("cancel", socket:cancel(L, Behind), L),
    w("again", shown(socket:cancel(L, Behind)), L),
    {select, Info} = socket:accept(L, nowait),
    w("as what it is not", shown(socket:cancel(L, setelement(2, Info, recv))), L),
    {ok, C} = socket:open(inet, stream),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    w("accepted", L),
    w("timeout", in_another(fun() -> socket:accept(L, 10) end), L),
    Fourth = waiting(L, fun() -> socket:accept(L) end, 1),
    w("timeout behind", in_another(fun() -> socket:accept(L, 10) end), L),
    kill(Fourth, L, fun(I) -> maps:get(num_acceptors, I) =:= 0 end),
    w("listens again", socket:listen(L), L),
    {select, _} = socket:accept(L, nowait),
    ok = socket:close(L),
    w("closed", L),
    [socket:close(X) || X <- [C, S]].

connecting() ->
    {L, A} = listener(0),
    Full = full(A),
    {ok, C} = socket:open(inet, stream),
    Connector = spawn(fun() -> socket:connect(C, A) end),
    until(C, fun(I) -> lists:member(connecting, maps:get(wstates, I)) end),
    w("connects", C),
    w("another one", shown(socket:cancel(C, {select_info, connect, make_ref()})), C),
    w("others", [shown(F()) || F <- [fun() -> socket:connect(C, A, nowait) end, fun() -> socket:connect(C, A, 0) end, fun() -> socket:accept(C, 0) end]], C),
    kill(Connector, C, fun(I) -> not lists:member(connecting, maps:get(wstates, I)) end),
    w("has died", C),
    w("then", in_another(fun() -> socket:connect(C) end), C),
    {ok, D} = socket:open(inet, stream),
    {select, Info} = socket:connect(D, A, nowait),
    w("waits", D),
    w("another one", shown(socket:cancel(D, {select_info, connect, make_ref()})), D),
    w("by another", in_another(fun() -> shown(socket:cancel(D, Info)) end), D),
    w("cancel", socket:cancel(D, Info), D),
    w("again", shown(socket:cancel(D, Info)), D),
    {ok, E} = socket:open(inet, stream),
    w("timeout", socket:connect(E, A, 10), E),
    {ok, F} = socket:open(inet, stream),
    {select, _} = socket:connect(F, A, nowait),
    ok = socket:close(F),
    w("closed", F),
    [socket:close(X) || X <- [C, D, E, L | Full]].

w(Label, S) -> w(Label, then, S).
w(Label, X, S) ->
    #{rstates := R, wstates := W, num_acceptors := A} = socket:info(S),
    io:format("~s: ~0p ~0p ~0p ~p~n", [Label, X, R, W, A]).

shown({error, {invalid, {select_info, What, _}}}) -> {error, {invalid, {select_info, What}}};
shown(X) -> X.

waiting(S, F, N) ->
    P = spawn(fun() -> F(), receive never -> ok end end),
    until(S, fun(#{num_acceptors := A}) -> A =:= N end),
    P.

kill(P, S, F) ->
    exit(P, kill),
    until(S, F).

in_another(F) ->
    Me = self(),
    P = spawn(fun() -> Me ! {self(), try F() catch error:Reason -> {raised, Reason} end} end),
    receive {P, X} -> X end.

until(S, F) -> F(socket:info(S)) orelse begin timer:sleep(1), until(S, F) end.

listener(Backlog) ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L, Backlog),
    {ok, A} = socket:sockname(L),
    {L, A}.

%% Those who connect until it takes no more.
full(A) ->
    {ok, C} = socket:open(inet, stream),
    case socket:connect(C, A, 100) of
        ok -> [C | full(A)];
        {error, timeout} -> [C]
    end.
