%% A file that sendfile goes on to send from is kept in the socket only while its process is the current writer: who is
%% killed, even on a dirty thread, gives up, or sends something else leaves none behind. The stock runtime keeps it for
%% good, and nobody sends a file any more: there it is not looked at.
-module(r_socket_file_kept).
-export([main/0]).

main() ->
    Name = "r_socket_file_kept." ++ os:getpid(),
    {ok, W} = file:open(Name, [write, raw]),
    {ok, _} = file:position(W, 50000000),
    ok = file:truncate(W),
    ok = file:close(W),
    [io:format("~p: ~p~n", [What, not is_viv() orelse is_good(left(What, Name, pair()))])
     || What <- [cancelled, timed_out, killed, killed_before_another, sent_instead, closed]],
    io:format("killed while it sends: ~p~n", [not is_viv() orelse is_good([while_it_sends(Name, N) || N <- lists:seq(1, 40)])]),
    ok = file:delete(Name).

is_viv() -> code:which(viv_recorder) =/= non_existing.

is_good(Results) -> [X || X <- lists:flatten([Results]), X =/= sends] =:= [].

left(cancelled, Name, {C, _}) ->
    {select, {Info, _}} = socket:sendfile(C, open(Name), 0, 0, nowait),
    ok = socket:cancel(C, Info),
    sends(C, Name);
left(timed_out, Name, {C, _}) ->
    {error, {timeout, _}} = socket:sendfile(C, open(Name), 0, 0, 10),
    sends(C, Name);
left(killed, Name, {C, _}) ->
    kill(waiting(C, Name)),
    sends(C, Name);
left(killed_before_another, Name, {C, S}) ->
    First = waiting(C, Name),
    Me = self(),
    Second = spawn_link(fun() ->
        {select, {select_info, _, R}} = socket:sendfile(C, open(Name), 0, 10, nowait),
        Me ! {self(), waits},
        receive {'$socket', C, select, R} -> Me ! {self(), sends(C, Name)} end
    end),
    receive {Second, waits} -> kill(First) end,
    answer_of(Second, S);
left(sent_instead, Name, {C, S}) ->
    {select, {{select_info, _, R}, _}} = socket:sendfile(C, open(Name), 0, 0, nowait),
    ok = selected(C, R, S),
    ok = socket:send(C, <<"x">>),
    sends(C, Name);
left(closed, Name, {C, _}) ->
    {select, _} = socket:sendfile(C, open(Name), 0, 0, nowait),
    Fds = files(Name),
    ok = socket:close(C),
    until(fun() -> files(Name) < Fds end), % the registry closes what the socket kept
    sends.

while_it_sends(Name, N) ->
    {C, S} = pair(),
    Me = self(),
    {P, M} = spawn_monitor(fun() -> F = open(Name), Me ! {self(), goes}, exit({sent, socket:sendfile(C, F, 0, 0, infinity)}) end),
    receive {P, goes} -> ok end,
    lists:foreach(fun(_) -> ok end, lists:seq(1, N rem 10 * 10000)),
    exit(P, kill),
    receive {'DOWN', M, _, _, _} -> ok end,
    until(fun() -> maps:get(num_writers, socket:info(C)) =:= 0 end),
    Result = sends(C, Name),
    [socket:close(X) || X <- [C, S]],
    Result.

%% There is room for it, or not.
sends(C, Name) ->
    F = open(Name),
    Result = case socket:sendfile(C, F, 0, 10, nowait) of
        {ok, 10} -> sends;
        {select, {Info, 0}} -> ok = socket:cancel(C, Info), sends;
        Other -> Other
    end,
    ok = file:close(F),
    Result.

waiting(C, Name) ->
    Me = self(),
    P = spawn(fun() -> {select, _} = socket:sendfile(C, open(Name), 0, 0, nowait), Me ! {self(), waits}, receive never -> ok end end),
    receive {P, waits} -> P end.

kill(P) ->
    M = monitor(process, P),
    exit(P, kill),
    receive {'DOWN', M, _, _, _} -> ok end.

open(Name) ->
    {ok, F} = file:open(Name, [read, raw, binary]),
    F.

files(Name) ->
    {ok, Fds} = file:list_dir("/proc/self/fd"),
    length([Fd || Fd <- Fds, {ok, Path} <- [file:read_link("/proc/self/fd/" ++ Fd)], lists:suffix(Name, Path)]).

read(S) ->
    case socket:recv(S, 0, [], 0) of
        {ok, _} -> read(S);
        {error, timeout} -> ok
    end.

%% What is read at once need not be all that is on its way, and as long as much is, nobody may write.
answer_of(Pid, S) -> read(S), receive {Pid, Answer} -> Answer after 5 -> answer_of(Pid, S) end.
selected(C, R, S) -> read(S), receive {'$socket', C, select, R} -> ok after 5 -> selected(C, R, S) end.

until(F) -> F() orelse begin timer:sleep(1), until(F) end.

pair() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, A} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, A),
    {ok, S} = socket:accept(L),
    ok = socket:close(L),
    {C, S}.
