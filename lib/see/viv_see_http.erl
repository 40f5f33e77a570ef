%% A server of HTTP/1.1 for one reader on this machine: GET of paths that a fun answers, no more.
%%
%% It listens on 127.0.0.1 alone, and answers only who asks it by such a name: a page of somebody else's whose name has
%% been made to lead here is refused. Requests are bounded by the packet decoder and by time; connections by MOST.
-module(viv_see_http).
-export([start/2]).

-define(PATIENCE, 30000).
-define(MOST, 16).
-define(HEADERS_MOST, 100).

%% Answer(Path) -> {ContentType, Body} | none. -> the port it listens at.
-type answer() :: fun((binary()) -> {binary(), iodata()} | none).
-spec start(inet:port_number(), answer()) -> {ok, inet:port_number()} | {error, atom()}.
start(Port, Answer) ->
    Caller = self(),
    {Pid, Ref} = spawn_monitor(fun() -> server(Caller, Port, Answer) end),
    receive
        {Pid, Result} -> demonitor(Ref, [flush]), Result;
        {'DOWN', Ref, _, _, Reason} -> {error, Reason}
    end.

server(Caller, Port, Answer) ->
    case gen_tcp:listen(Port, [binary, {ip, {127, 0, 0, 1}}, {active, false}, {packet, http_bin}, {reuseaddr, true},
                               {packet_size, 8192}, {backlog, 16}]) of
        {ok, Listener} ->
            link(Caller),
            Result = inet:port(Listener),
            Caller ! {self(), Result},
            process_flag(trap_exit, true),
            accept(Listener, Caller, Answer, 0);
        Error -> Caller ! {self(), Error}
    end.

accept(Listener, Caller, Answer, Open) when Open < ?MOST ->
    case gen_tcp:accept(Listener, 100) of
        {ok, Socket} ->
            Pid = spawn_link(fun() -> receive go -> serve(Socket, Answer) end end),
            _ = gen_tcp:controlling_process(Socket, Pid),
            Pid ! go,
            accept(Listener, Caller, Answer, ended(Caller, Open + 1, 0));
        {error, timeout} -> accept(Listener, Caller, Answer, ended(Caller, Open, 0));
        {error, _} -> accept(Listener, Caller, Answer, ended(Caller, Open, 100)) % no descriptor is to be had
    end;
accept(Listener, Caller, Answer, Open) -> accept(Listener, Caller, Answer, ended(Caller, Open, 100)).

%% Connections that have come to their end.
ended(Caller, Open, Wait) ->
    receive
        {'EXIT', Caller, Reason} -> exit(Reason);
        {'EXIT', _, _} -> ended(Caller, Open - 1, 0)
    after Wait -> Open
    end.

serve(Socket, Answer) ->
    case gen_tcp:recv(Socket, 0, ?PATIENCE) of
        {ok, {http_request, 'GET', {abs_path, Path}, Version}} -> serve(Socket, Answer, Path, Version);
        {ok, {http_request, 'GET', {absoluteURI, http, _, _, Path}, Version}} -> serve(Socket, Answer, Path, Version);
        {ok, {http_request, _, _, _}} -> send(Socket, 405, <<"text/plain">>, <<"GET is all\n">>);
        {ok, _} -> send(Socket, 400, <<"text/plain">>, <<"this is no request\n">>);
        {error, _} -> ok
    end.

serve(Socket, Answer, Path, Version) ->
    case headers(Socket, ?HEADERS_MOST, {false, Version >= {1, 1}}) of
        {true, Stays} ->
            send(Socket, Answer(Path)),
            Stays andalso serve(Socket, Answer);
        _ -> send(Socket, 403, <<"text/plain">>, <<"forbidden\n">>)
    end.

%% {Is the Host this machine, by one of its own names? Does the connection stay?}
headers(_, 0, _) -> none;
headers(Socket, Left, {IsMeant, Stays} = Read) ->
    case gen_tcp:recv(Socket, 0, ?PATIENCE) of
        {ok, {http_header, _, 'Host', _, Host}} -> headers(Socket, Left - 1, {is_own(Host), Stays});
        {ok, {http_header, _, 'Connection', _, Word}} ->
            headers(Socket, Left - 1, {IsMeant, Stays andalso string:lowercase(Word) =/= <<"close">>});
        {ok, {http_header, _, _, _, _}} -> headers(Socket, Left - 1, Read);
        {ok, http_eoh} -> Read;
        _ -> none
    end.

is_own(Host) -> lists:member(hd(binary:split(Host, <<":">>)), [<<"127.0.0.1">>, <<"localhost">>]).

send(Socket, {Type, Body}) -> send(Socket, 200, Type, Body);
send(Socket, none) -> send(Socket, 404, <<"text/plain">>, <<"there is nothing of this name\n">>).

send(Socket, Status, Type, Body) ->
    gen_tcp:send(Socket, ["HTTP/1.1 ", integer_to_list(Status), $\s, reason(Status), "\r\nContent-Type: ", Type,
                          "\r\nContent-Length: ", integer_to_list(iolist_size(Body)),
                          "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n", Body]).

reason(200) -> "OK";
reason(400) -> "Bad Request";
reason(403) -> "Forbidden";
reason(404) -> "Not Found";
reason(405) -> "Method Not Allowed".
