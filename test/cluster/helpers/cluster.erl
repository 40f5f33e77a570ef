%% What the programs of test/cluster share: other nodes, started by this one and reached beside distribution, over a
%% socket of their own, so that whatever becomes of their connections can be asked for.
%%
%% Each case runs in a process of its own and is one line of output, in which identifiers are names only. Whoever waits,
%% waits long: nothing here ends because of the machine's pace.
%% CLUSTER_PATIENCE, in seconds, is for who looks for what fails.
-module(cluster).
-export([start/1, start/2, stop/1, kill/1, name/1, call/2, call/4, lines/1, wait_line/2, command/1, code/0, deep/2]).
-export([do/2, do/3, say/2, plain/1, named/2, got/1, rest/0, wait/1, is_soon/1, is_soon/2]).
-export([connect/1, disconnect/1, forgets/2, fill/2, forever/0, agent/1]).
-include("../../erl/deep.hrl").

-define(LONG, (list_to_integer(os:getenv("CLUSTER_PATIENCE", "90")) * 1000)).

%% --- nodes ---------------------------------------------------------------------------------------------------------

%% The node NAME@localhost, which does not know of this one yet.
start(Name) -> start(Name, #{}).

%% Options: runtime (here, other: by default c and e are as here, the others as the other; stock, viv), args, env,
%% name: what -sname says; false: no name at all; cookie.
start(Name, Options) ->
    Node = list_to_atom(atom_to_list(Name) ++ "@localhost"),
    Caller = self(),
    Ref = make_ref(),
    {_, Monitor} = spawn_monitor(fun() -> keeper(Node, Name, Options, Caller, Ref) end),
    receive
        {Ref, started} -> demonitor(Monitor, [flush]), Node;
        {'DOWN', Monitor, _, _, Reason} -> error({not_started, Name, Reason})
    after ?LONG -> error({not_started, Name})
    end.

%% What starts a node of a runtime: program and first arguments.
command(Runtime) ->
    string:split(os:getenv("CLUSTER_" ++ string:uppercase(atom_to_list(Runtime))), " ", all).

%% Where the compiled programs are.
code() -> os:getenv("CLUSTER_CODE").

runtime_of(c) -> here;
runtime_of(e) -> here;
runtime_of(_) -> other.

keeper(Node, Name, Options, Caller, Ref) ->
    process_flag(trap_exit, true),
    true = register(keeper(Node), self()),
    {ok, Listening} = gen_tcp:listen(0, [binary, {packet, 4}, {active, true}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listening),
    [Program | First] = command(maps:get(runtime, Options, runtime_of(Name))),
    Named = case maps:get(name, Options, atom_to_list(Node)) of false -> []; Text -> ["-sname", Text] end,
    Cookie = case maps:get(cookie, Options, "among_ourselves") of false -> []; Word -> ["-setcookie", Word] end,
    Args = First ++ ["-noshell"] ++ Named ++ Cookie ++
        ["-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-kernel", "prevent_overlapping_partitions", "false",
         "-pa", code()] ++ maps:get(args, Options, []) ++
        ["-run", "cluster", "agent", integer_to_list(Number)],
    Port = open_port({spawn_executable, os:find_executable(Program)},
                     [{args, Args}, {env, maps:get(env, Options, [])}, exit_status, binary, {line, 100000},
                      stderr_to_stdout]),
    case gen_tcp:accept(Listening, ?LONG) of
        {ok, Socket} ->
            gen_tcp:close(Listening),
            Caller ! {Ref, started},
            keep(Port, Socket, [], [], #{});
        {error, _} -> exit({no_agent, flush_lines(Port)})
    end.

flush_lines(Port) -> receive {Port, Said} -> [Said | flush_lines(Port)] after 0 -> [] end.

keeper(Node) -> list_to_atom("keeper " ++ atom_to_list(Node)).

%% Lines: what the node has written, the last first. Waiting: who waits for lines. Calls: #{Number => Caller}.
keep(Port, Socket, Lines, Waiting, Calls) ->
    receive
        {Port, {data, {_, Line}}} ->
            {Told, Others} = lists:partition(fun({_, _, Part}) -> binary:match(Line, Part) =/= nomatch end, Waiting),
            [Pid ! {Ref, Line} || {Pid, Ref, _} <- Told],
            keep(Port, Socket, [Line | Lines], Others, Calls);
        {Port, {exit_status, _}} -> gone(Calls), keep_dead(Lines);
        {tcp, Socket, Data} ->
            {Number, Answer} = binary_to_term(Data),
            {{Pid, Ref}, Others} = maps:take(Number, Calls),
            Pid ! {Ref, Answer},
            keep(Port, Socket, Lines, Waiting, Others);
        {tcp_closed, Socket} -> gone(Calls), keep(Port, Socket, Lines, Waiting, #{});
        {call, Pid, Ref, Call} ->
            Number = erlang:unique_integer([positive]),
            case gen_tcp:send(Socket, term_to_binary({Number, Call})) of
                ok -> keep(Port, Socket, Lines, Waiting, Calls#{Number => {Pid, Ref}});
                {error, _} -> Pid ! {Ref, gone}, keep(Port, Socket, Lines, Waiting, Calls)
            end;
        {wait_line, Pid, Ref, Part} ->
            case [Line || Line <- Lines, binary:match(Line, Part) =/= nomatch] of
                [Line | _] -> Pid ! {Ref, Line}, keep(Port, Socket, Lines, Waiting, Calls);
                [] -> keep(Port, Socket, Lines, [{Pid, Ref, Part} | Waiting], Calls)
            end;
        {lines, Pid, Ref} -> Pid ! {Ref, lists:reverse(Lines)}, keep(Port, Socket, Lines, Waiting, Calls);
        {end_it, Pid, Ref, How} ->
            {os_pid, Number} = erlang:port_info(Port, os_pid),
            How =:= kill andalso os:cmd("kill -9 " ++ integer_to_list(Number)),
            How =:= stop andalso gen_tcp:close(Socket),
            receive {Port, {exit_status, _}} -> ok end,
            gone(Calls),
            unregister(element(2, process_info(self(), registered_name))),
            Pid ! {Ref, ok}
    end.

gone(Calls) -> [Pid ! {Ref, gone} || {Pid, Ref} <- maps:values(Calls)].

keep_dead(Lines) ->
    receive
        {call, Pid, Ref, _} -> Pid ! {Ref, gone}, keep_dead(Lines);
        {lines, Pid, Ref} -> Pid ! {Ref, lists:reverse(Lines)}, keep_dead(Lines);
        {end_it, Pid, Ref, _} ->
            unregister(element(2, process_info(self(), registered_name))),
            Pid ! {Ref, ok}
    end.

ask(Node, Make) ->
    Ref = make_ref(),
    keeper(Node) ! Make(self(), Ref),
    receive {Ref, Answer} -> Answer after ?LONG -> waited_too_long end.

%% Ends it by halt/0, or by a signal; it is over when this returns.
stop(Node) -> ask(Node, fun(Pid, Ref) -> {end_it, Pid, Ref, stop} end).
kill(Node) -> ask(Node, fun(Pid, Ref) -> {end_it, Pid, Ref, kill} end).

%% What the node has written, and the first line with a part in it.
lines(Node) -> ask(Node, fun(Pid, Ref) -> {lines, Pid, Ref} end).
wait_line(Node, Part) -> ask(Node, fun(Pid, Ref) -> {wait_line, Pid, Ref, iolist_to_binary(Part)} end).

%% A call in a process of its own there: the value, or {Class, Reason}.
call(Node, M, F, A) -> ask(Node, fun(Pid, Ref) -> {call, Pid, Ref, {M, F, A}} end).
call(Node, Fun) -> call(Node, erlang, apply, [Fun, []]).

name(Node) -> call(Node, erlang, node, []).

%% On the other node: it ends with the socket.
agent([Number]) ->
    spawn(fun() ->
        {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, list_to_integer(Number), [binary, {packet, 4}, {active, true}]),
        serve(Socket)
    end).

serve(Socket) ->
    receive
        {tcp, Socket, Data} ->
            {Number, {M, F, A}} = binary_to_term(Data),
            spawn(fun() ->
                Answer = try apply(M, F, A) catch Class:Reason -> {Class, Reason} end,
                gen_tcp:send(Socket, term_to_binary({Number, Answer}))
            end),
            serve(Socket);
        {tcp_closed, Socket} -> halt(0, [{flush, false}])
    end.

%% --- cases ---------------------------------------------------------------------------------------------------------

do(Name, Fun) -> do(Name, Fun, 2 * ?LONG).

do(Name, Fun, Time) ->
    Before = keepers(),
    run_case(Name, Fun, Time),
    [end_keeper(Keeper) || Keeper <- keepers() -- Before].

keepers() -> [Name || Name <- registered(), lists:prefix("keeper ", atom_to_list(Name))].

%% A node that a case has started ends with it, and whoever has met it knows.
end_keeper(Keeper) ->
    Node = list_to_atom(lists:nthtail(length("keeper "), atom_to_list(Keeper))),
    stop(Node),
    wait(fun() -> not lists:member(Node, nodes(connected)) end).

run_case(Name, Fun, Time) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({value, try Fun() catch C:R:S -> {C, R, S} end}) end),
    receive
        {'DOWN', Monitor, _, _, {value, Value}} -> say("~ts: ~0tp", [Name, Value]);
        {'DOWN', Monitor, _, _, Reason} -> say("~ts: ended for ~0tp", [Name, Reason])
    after Time ->
        Stack = process_info(Pid, current_stacktrace),
        exit(Pid, kill),
        say("~ts: not done in time, ~0tp", [Name, Stack])
    end.

say(Format, Arguments) -> io:put_chars([plain(io_lib:format(Format, Arguments)), $\n]).

%% A term in which those of Names have names, and other identifiers are of a kind.
named(T, Names) when is_map_key(T, Names) -> maps:get(T, Names);
named(T, Names) when is_tuple(T) -> list_to_tuple(named(tuple_to_list(T), Names));
named([H | T], Names) -> [named(H, Names) | named(T, Names)];
named(T, _) when is_pid(T) -> case node(T) =:= node() of true -> pid; false -> far_pid end;
named(T, _) when is_reference(T) -> reference;
named(T, _) when is_function(T) -> function;
named(T, _) -> T.

%% Text without what differs from run to run.
plain(Text) ->
    lists:foldl(fun({Pattern, Name}, T) -> re:replace(T, Pattern, Name, [global, unicode, {return, list}]) end,
                unicode:characters_to_list(Text),
                [{"<[0-9]+\\.[0-9]+\\.[0-9]+>", "<pid>"}, {"#Ref<[0-9.]+>", "#Ref"}, {"#Port<[0-9.]+>", "#Port"}]).

%% The next N messages of this process; what has not come after a long time is missing.
got(0) -> [];
got(N) -> receive Message -> [Message | got(N - 1)] after ?LONG -> [{missing, N}] end.

rest() -> receive Message -> [Message | rest()] after 0 -> [] end.

%% Until it is true.
wait(Fun) -> true = is_soon(Fun).

is_soon(Fun) -> is_soon(Fun, erlang:monotonic_time(millisecond) + ?LONG).
is_soon(Fun, End) ->
    Fun() =:= true orelse
        case erlang:monotonic_time(millisecond) < End of
            true -> receive after 20 -> is_soon(Fun, End) end;
            false -> false
        end.

%% Both sides know of it when these return.
connect(Node) ->
    pong = net_adm:ping(Node),
    Here = node(),
    wait(fun() -> lists:member(Here, call(Node, erlang, nodes, [connected])) end),
    Node.

%% `global` of either node may connect them once more, as it hears late of the connection that goes: on the stock
%% runtime too. A connection that goes on one side alone is found all the same.
disconnect(Node) ->
    Here = node(),
    Answer = erlang:disconnect_node(Node),
    wait(fun() -> is_gone(Node) andalso not lists:member(Here, call(Node, erlang, nodes, [connected])) end),
    Answer.

is_gone(Node) -> not (lists:member(Node, nodes(connected)) andalso erlang:disconnect_node(Node)).

%% Until Node knows no connection to Peer, which has ended. Known is who connects before he is answered, connected
%% later: who asks only for the latter may not see him yet.
forgets(Node, Peer) -> wait(fun() -> call(Node, ets, member, [sys_dist, Peer]) =:= false end).

%% The other node takes nothing, and what waits for it is much: those who want to send more stay suspended.
fill(B, Data) ->
    full(B, Data),
    Senders = [spawn(fun() -> {nobody, B} ! Data end) || _ <- lists:seq(1, 400)],
    settled(Senders, 0, 0) orelse fill(B, Data).

full(B, Data) ->
    case erlang:send({nobody, B}, Data, [nosuspend]) of
        ok -> full(B, Data);
        nosuspend -> ok
    end.

%% False: all of it has gone after all.
settled([], _, _) -> false;
settled(_, _, 25) -> true;
settled(Senders, Before, Times) ->
    timer:sleep(20),
    Left = [Pid || Pid <- Senders, is_process_alive(Pid)],
    case length([Pid || Pid <- Left, process_info(Pid, status) =:= {status, suspended}]) of
        Count when Count =:= Before, Count =:= length(Left) -> settled(Left, Count, Times + 1);
        Count -> settled(Left, Count, 0)
    end.

forever() -> receive after infinity -> ok end.
