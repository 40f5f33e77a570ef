%% A server without a descriptor for who connects hears of it, waits without work, and goes on when there are some.
-module(few_descriptors).
-export([main/0]).

main() ->
    [first(Backend) || Backend <- backends()],
    {module, timer} = code:ensure_loaded(timer),
    [io:format("~p~n", [serve(Backend)]) || Backend <- backends()],
    ok.

backends() -> [[], [{inet_backend, socket}]].
options(Backend) -> Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}}].

listen(Backend) ->
    {ok, Listener} = gen_tcp:listen(0, options(Backend) ++ [{backlog, 200}]),
    {ok, Port} = inet:port(Listener),
    {Listener, Port}.

connect(Port, Backend) -> gen_tcp:connect({127, 0, 0, 1}, Port, options(Backend), 20000).

%% All the code is there before there is no descriptor to read it by.
first(Backend) ->
    io:format("~0p ~s~n", [[{backend, <<"x">>, 1}, Backend], "x"]),
    exchange(listen(Backend), Backend).

exchange({Listener, Port}, Backend) ->
    {ok, Client} = connect(Port, Backend),
    {ok, Socket} = gen_tcp:accept(Listener, 20000),
    ok = gen_tcp:send(Socket, "x"),
    Answer = gen_tcp:recv(Client, 1, 20000),
    [gen_tcp:close(S) || S <- [Client, Socket, Listener]],
    Answer.

serve(Backend) ->
    {Listener, Port} = Listening = listen(Backend),
    Self = self(),
    {[First, Second | Clients], Refused} = connect_all(Port, Backend, []),
    %% There is room for two of those who wait; an acceptor beside the clients could have taken the last one's place.
    [gen_tcp:close(C) || C <- [First, Second]],
    Acceptor = spawn_link(fun() -> Self ! {accepted, accept_all(Listener, [])} end),
    timer:sleep(300),
    _ = statistics(runtime),
    timer:sleep(700),
    {_, Used} = statistics(runtime),
    [gen_tcp:close(C) || C <- Clients],
    timer:sleep(200),
    Acceptor ! stop,
    receive {accepted, Errors} -> ok end,
    timer:sleep(300), % its sockets close with it
    {length(Clients) > 5, Refused, Errors, {is_calm, Used < 250}, exchange(Listening, Backend)}.

connect_all(Port, Backend, Clients) ->
    case connect(Port, Backend) of
        {ok, Client} -> connect_all(Port, Backend, [Client | Clients]);
        {error, Reason} -> {Clients, Reason}
    end.

accept_all(Listener, Errors) ->
    receive
        stop -> lists:usort(Errors)
    after 0 ->
        case gen_tcp:accept(Listener, 200) of
            {ok, _} -> accept_all(Listener, Errors);
            {error, timeout} -> accept_all(Listener, Errors);
            {error, Reason} -> timer:sleep(50), accept_all(Listener, [Reason | Errors])
        end
    end.
