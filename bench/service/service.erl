%% The server that is measured: service:main([Kind, Backend, Acceptors, Busy]). Prints its port; ends with its input.
%% Kind: echo ({packet, 4}), http (a small page for each request), sink (takes bytes, answers at the end), close (each
%% connection is closed by the client), idle (says what a connection costs, when it is asked to), udp (echo).
%% Busy: no, traced (every call of the service's is told to a process), replaced (service_page is loaded all the time),
%% flooded (all that all processes and ports do is traced, by a tracer that takes a hundred events in five milliseconds;
%% where there are sessions with a limit, by one of 20,000 events a second, 20 MB, 100 words of each term).
-module(service).
-export([main/1, answer/2]).

-define(BACKLOG, 4096).

main([Kind, Backend, Acceptors, Busy]) ->
    Port = start(list_to_atom(Kind), backend(Backend), list_to_integer(Acceptors)),
    busy(Busy),
    io:format("~p~n", [Port]),
    commands(),
    halt(0).

backend("inet") -> [];
backend("socket") -> [{inet_backend, socket}].

commands() ->
    case io:get_line("") of
        "cost\n" -> io:format("~p~n", [resident()]), commands();
        _ -> ok
    end.

resident() ->
    [erlang:garbage_collect(P) || P <- processes()],
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [KiloBytes]} = re:run(Status, "VmRSS:\\s*(\\d+)", [{capture, [1], list}]),
    list_to_integer(KiloBytes).

start(udp, Backend, _) ->
    {ok, S} = gen_udp:open(0, Backend ++ [binary, {active, true}, {recbuf, 1000000}]),
    ok = gen_udp:controlling_process(S, spawn(fun() -> datagrams(S) end)),
    {ok, Port} = inet:port(S),
    Port;
start(Kind, Backend, Acceptors) ->
    {ok, L} = gen_tcp:listen(0, Backend ++ options(Kind) ++ [{backlog, ?BACKLOG}, {reuseaddr, true}, {nodelay, true}]),
    [spawn(fun() -> accept(L, Kind) end) || _ <- lists:seq(1, Acceptors)],
    {ok, Port} = inet:port(L),
    Port.

options(echo) -> [binary, {packet, 4}, {active, false}];
options(http) -> [binary, {packet, http_bin}, {active, false}];
options(_) -> [binary, {packet, raw}, {active, false}].

accept(L, Kind) ->
    case gen_tcp:accept(L) of
        {ok, S} when Kind =:= close ->
            _ = gen_tcp:recv(S, 0),
            gen_tcp:close(S);
        {ok, S} ->
            ok = gen_tcp:controlling_process(S, spawn(fun() -> receive go -> serve(Kind, S) end end)),
            {ok, Pid} = owner(S),
            Pid ! go;
        {error, closed} ->
            exit(normal)
    end,
    accept(L, Kind).

owner(S) when is_port(S) -> {connected, Pid} = erlang:port_info(S, connected), {ok, Pid};
owner(S) -> #{owner := Pid} = inet:info(S), {ok, Pid}.

serve(echo, S) -> ok = inet:setopts(S, [{active, true}]), echo(S);
serve(http, S) -> ok = inet:setopts(S, [{active, true}]), http(S, none);
serve(sink, S) -> sink(S, 0);
serve(idle, S) -> ok = inet:setopts(S, [{active, once}]), receive {tcp_closed, S} -> ok end.

echo(S) ->
    receive
        {tcp, S, Data} -> _ = gen_tcp:send(S, service_page:echo(Data)), echo(S);
        {tcp_closed, S} -> ok
    end.

http(S, Request) ->
    receive
        {http, S, http_eoh} -> _ = gen_tcp:send(S, answer(Request, service_page:page())), http(S, none);
        {http, S, {http_request, _, Path, _}} -> http(S, Path);
        {http, S, {http_header, _, _, _, _}} -> http(S, Request);
        {tcp_closed, S} -> ok
    end.

answer({abs_path, _}, Page) ->
    ["HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ", integer_to_list(iolist_size(Page)), "\r\n\r\n",
     Page].

sink(S, Taken) ->
    case gen_tcp:recv(S, 0) of
        {ok, Data} -> sink(S, Taken + byte_size(Data));
        {error, closed} -> ok
    end.

datagrams(S) ->
    receive {udp, S, Address, Port, Data} -> _ = gen_udp:send(S, Address, Port, Data), datagrams(S) end.

busy("no") -> ok;
busy("traced") ->
    Tracer = spawn(fun told/0),
    [erlang:trace_pattern({M, '_', '_'}, true, [local]) || M <- [service, service_page]],
    erlang:trace(all, true, [call, {tracer, Tracer}]);
busy("replaced") ->
    spawn(fun() -> replace() end);
busy("flooded") ->
    Tracer = spawn(fun() -> told_slowly(100) end),
    code:ensure_loaded(trace),
    flood(erlang:function_exported(trace, session_create, 3), Tracer).

-define(EVERYTHING, [call, send, 'receive', procs, ports, running, running_ports, garbage_collection, timestamp]).

flood(false, Tracer) ->
    erlang:trace_pattern({'_', '_', '_'}, true, [local]),
    erlang:trace(all, true, [{tracer, Tracer} | ?EVERYTHING]);
flood(true, Tracer) ->
    Session = trace:session_create(flood, Tracer, [{limit, #{events => 20000, bytes => 20000000, size => 100}}]),
    put(session, Session), % it ends with whoever has it
    trace:function(Session, {'_', '_', '_'}, true, [local]),
    trace:process(Session, all, true, ?EVERYTHING -- [ports, running_ports]),
    trace:port(Session, all, true, [ports, running_ports, send, 'receive', timestamp]).

told_slowly(0) -> receive after 5 -> told_slowly(100) end;
told_slowly(N) -> receive _ -> told_slowly(N - 1) end.

told() -> receive _ -> told() end.

replace() ->
    {module, service_page} = code:load_file(service_page),
    _ = code:soft_purge(service_page),
    timer:sleep(20),
    replace().
