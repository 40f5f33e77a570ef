%% The clients: service_client:main([Kind, Port, Connections, Seconds]), always on the stock runtime. Each connection
%% has a process that asks, waits for the answer, and asks again. Prints answers (or bytes, or connections) a second,
%% and microseconds from the question to the answer: median, 99 %, 99.9 %, longest.
-module(service_client).
-export([main/1]).

-define(FIRST, 1.0).      % microsecond
-define(STEP, 1.05).      % each bucket's bound to the one before
-define(BUCKETS, 400).
-define(AT_ONCE, 200).    % connections that are being made

main([Kind, Port, Connections, Seconds]) ->
    run(list_to_atom(Kind), list_to_integer(Port), list_to_integer(Connections), list_to_integer(Seconds)),
    halt(0).

run(idle, Port, Count, _) ->
    connect_all(idle, Port, Count),
    io:format("connected~n"),
    io:get_line("");
run(Kind, Port, Count, Seconds) ->
    Counter = counters:new(?BUCKETS + 2, [write_concurrency]),
    Clients = connect_all(Kind, Port, Count),
    timer:sleep(300),
    [Pid ! {go, Counter} || Pid <- Clients],
    timer:sleep(500), % that all have begun
    [counters:put(Counter, I, 0) || I <- lists:seq(1, ?BUCKETS + 2)],
    Start = erlang:monotonic_time(microsecond),
    timer:sleep(Seconds * 1000),
    Counts = [counters:get(Counter, I) || I <- lists:seq(1, ?BUCKETS + 1)],
    Taken = erlang:monotonic_time(microsecond) - Start,
    Sum = max(1, lists:sum(Counts)),
    Done = case Kind of sink -> counters:get(Counter, ?BUCKETS + 2); _ -> Sum end,
    Times = [bound(Counts, Sum * Part) || Part <- [0.5, 0.99, 0.999, 1.0]],
    io:format("~w ~w ~w ~w ~w~n", [round(Done * 1000000 / Taken) | Times]).

%% Which bucket's upper bound so many are below.
bound(Counts, Wanted) -> bound(Counts, Wanted, 0, ?FIRST).
bound([], _, _, Bound) -> round(Bound);
bound([C | _], Wanted, Sum, Bound) when Sum + C >= Wanted, C > 0 -> round(Bound);
bound([C | Counts], Wanted, Sum, Bound) -> bound(Counts, Wanted, Sum + C, Bound * ?STEP).

count(Counter, Microseconds) ->
    Bucket = if Microseconds < 1 -> 1; true -> min(?BUCKETS, 1 + trunc(math:log(Microseconds) / math:log(?STEP))) end,
    counters:add(Counter, Bucket, 1).

connect_all(Kind, Port, Count) -> connect_all(Kind, Port, Count, 0, []).

connect_all(_, _, 0, 0, Clients) -> Clients;
connect_all(Kind, Port, Left, Open, Clients) when Left > 0, Open < ?AT_ONCE ->
    Self = self(),
    Pid = spawn_link(fun() -> client(Kind, Self, Port) end),
    connect_all(Kind, Port, Left - 1, Open + 1, [Pid | Clients]);
connect_all(Kind, Port, Left, Open, Clients) ->
    receive connected -> connect_all(Kind, Port, Left, Open - 1, Clients) end.

client(close, Parent, Port) ->
    Parent ! connected,
    receive {go, Counter} -> connections(Port, Counter) end;
client(udp, Parent, Port) ->
    {ok, S} = gen_udp:open(0, [binary, {active, false}]),
    Parent ! connected,
    receive {go, Counter} -> datagrams(S, Port, Counter) end;
client(Kind, Parent, Port) ->
    {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {nodelay, true}, {active, false} | options(Kind)], 30000),
    Parent ! connected,
    receive {go, Counter} -> ask(Kind, S, Counter) end.

options(echo) -> [{packet, 4}];
options(_) -> [{packet, raw}].

ask(Kind, S, Counter) ->
    Start = erlang:monotonic_time(nanosecond),
    ask_once(Kind, S, Counter),
    count(Counter, (erlang:monotonic_time(nanosecond) - Start) / 1000),
    ask(Kind, S, Counter).

ask_once(echo, S, _) ->
    ok = gen_tcp:send(S, <<0:800>>),
    {ok, <<_:100/bytes>>} = gen_tcp:recv(S, 0);
ask_once(http, S, _) ->
    ok = gen_tcp:send(S, "GET /page HTTP/1.1\r\nHost: localhost\r\nUser-Agent: service\r\nAccept: */*\r\n\r\n"),
    {ok, <<"HTTP/1.1 200 OK", _/bytes>>} = gen_tcp:recv(S, 0);
ask_once(sink, S, Counter) ->
    ok = gen_tcp:send(S, <<0:(65536 * 8)>>),
    counters:add(Counter, ?BUCKETS + 2, 65536).

connections(Port, Counter) ->
    Start = erlang:monotonic_time(nanosecond),
    {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false}, {linger, {true, 0}}]),
    gen_tcp:close(S),
    count(Counter, (erlang:monotonic_time(nanosecond) - Start) / 1000),
    connections(Port, Counter).

datagrams(S, Port, Counter) ->
    Start = erlang:monotonic_time(nanosecond),
    ok = gen_udp:send(S, {127, 0, 0, 1}, Port, <<0:800>>),
    case gen_udp:recv(S, 0, 1000) of
        {ok, _} -> count(Counter, (erlang:monotonic_time(nanosecond) - Start) / 1000);
        {error, timeout} -> lost
    end,
    datagrams(S, Port, Counter).
