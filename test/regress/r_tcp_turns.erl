%% A port that has got many packets at once tells them in turns, and others have theirs between them: who makes the socket
%% active goes on at once. Nothing is lost by it, and nothing comes twice, however the socket is read.
-module(r_tcp_turns).
-export([main/0]).

-define(COUNT, 30000).

main() ->
    [w({turns, Options}, goes_on(Options)) || Options <- [[], [{buffer, 1 bsl 20}]]],
    [w({all, How, Options}, all(How, Options))
     || How <- [true, once, 7, 32767, changing, recv], Options <- [[], [{buffer, 100000}], [{buffer, 1 bsl 20}]]],
    w(ignored, ignored()).

w(What, Answer) -> io:format("~0p ~0p~n", [What, Answer]).

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [binary, {ip, {127, 0, 0, 1}}, {packet, line}, {active, false}, {recbuf, 1 bsl 22} | Options]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {S, C}.

%% Those lines that it finds told when the socket has been made active, of two hundred thousand.
goes_on(Options) ->
    {S, C} = pair(Options),
    Sender = spawn(fun() -> receive go -> gen_tcp:send(C, binary:copy(<<"\n">>, 200000)), gen_tcp:close(C) end end),
    ok = gen_tcp:controlling_process(C, Sender),
    Sender ! go,
    timer:sleep(300),
    Self = self(),
    Reader = spawn(fun() -> receive go -> Self ! {self(), when_active(S)} end end),
    ok = gen_tcp:controlling_process(S, Reader),
    Reader ! go,
    receive {Reader, Answer} -> Answer end.

when_active(S) ->
    ok = inet:setopts(S, [{active, true}]),
    {message_queue_len, Found} = process_info(self(), message_queue_len),
    {if Found < 15000 -> few; true -> Found end, count(S, 0)}.

count(S, N) ->
    receive
        {tcp, S, <<"\n">>} -> count(S, N + 1);
        {tcp_closed, S} -> N
    after 20000 -> {nothing, N}
    end.

all(How, Options) ->
    {S, C} = pair(Options),
    Lines = [[integer_to_binary(I), $\n] || I <- lists:seq(1, ?COUNT)],
    Sender = spawn_link(fun() -> receive go -> ok = gen_tcp:send(C, Lines), ok = gen_tcp:close(C) end end),
    ok = gen_tcp:controlling_process(C, Sender),
    Sender ! go,
    read(How, S, 1).

read(recv, S, N) -> received(S, N, gen_tcp:recv(S, 0, 20000));
read(changing, S, N) ->
    ok = inet:setopts(S, [{active, true}]),
    more(S, N, 1000);
read(How, S, N) ->
    ok = inet:setopts(S, [{active, How}]),
    told(How, S, N).

received(S, N, {ok, Line}) ->
    case number(Line) of
        N -> received(S, N + 1, gen_tcp:recv(S, 0, 20000));
        Other -> {N, Other}
    end;
received(_, N, Last) -> {N, Last}.

number(Line) -> binary_to_integer(binary:part(Line, 0, byte_size(Line) - 1)).

told(How, S, N) ->
    receive
        {tcp, S, Line} ->
            case number(Line) of
                N when How =:= once -> read(How, S, N + 1);
                N -> told(How, S, N + 1);
                Other -> {N, Other}
            end;
        {tcp_passive, S} -> read(How, S, N);
        {tcp_closed, S} -> {N, closed}
    after 20000 -> {N, nothing}
    end.

%% So many, then it is made passive, what has come is read, and some are received.
more(S, N, 0) ->
    case inet:setopts(S, [{active, false}]) of
        ok -> some(S, what_has_come(S, N), 500);
        {error, einval} -> told(true, S, N)
    end;
more(S, N, Left) ->
    receive
        {tcp, S, Line} -> N = number(Line), more(S, N + 1, Left - 1);
        {tcp_closed, S} -> {N, closed}
    after 20000 -> {N, nothing}
    end.

what_has_come(S, N) -> receive {tcp, S, Line} -> N = number(Line), what_has_come(S, N + 1) after 0 -> N end.

some(S, N, 0) -> read(changing, S, N);
some(S, N, Left) ->
    case gen_tcp:recv(S, 0, 20000) of
        {ok, Line} -> N = number(Line), some(S, N + 1, Left - 1);
        {error, closed} -> {N, closed}
    end.

%% What has been read is told, though nothing wakes the port.
ignored() ->
    {S, C} = pair([{buffer, 100000}]),
    ok = gen_tcp:send(C, "x\n"),
    {ok, <<"x\n">>} = gen_tcp:recv(S, 0, 20000),
    ok = inet:setopts(S, [{packet, raw}]),
    ok = gen_tcp:send(C, binary:copy(<<"\n">>, 5000)),
    {ok, First} = gen_tcp:recv(S, 5000, 20000),
    ok = inet:setopts(S, [{packet, line}]),
    ok = prim_inet:ignorefd(S, true),
    ok = prim_inet:unrecv(S, First),
    ok = inet:setopts(S, [{active, true}]),
    Found = length([X || X <- here(S), X =:= <<"\n">>]),
    gen_tcp:close(C),
    Found.

here(S) -> receive {tcp, S, Line} -> [Line | here(S)] after 300 -> [] end.
