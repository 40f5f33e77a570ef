%% The first calls of gen_tcp and inet start the stock inet_db: by many processes at once, with both backends.
-module(r_gen_tcp_first).
-export([main/0]).

main() ->
    Asked = [lookup, retry, timeout, hosts_file, resolv_conf, inet6, usevc],
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), {inet_db:res_option(lookup), inet_db:tcp_module(), names()}} end)
            || _ <- lists:seq(1, 20)],
    io:format("~p~n", [lists:usort([receive {P, Answer} -> Answer end || P <- Pids])]),
    io:format("~p~n", [[inet_db:res_option(O) || O <- Asked]]),
    io:format("~p~n", [[echo(O) || O <- [[], [{inet_backend, inet}], [{inet_backend, socket}]]]]),
    io:format("~p~n", [inet:gethostbyname("no.such.name.invalid")]),
    io:format("~p~n", [[is_pid(whereis(Name)) || Name <- [inet_db, inet_gethost_native, kernel_safe_sup]]]),
    io:format("~p~n", [{inet_db:set_lookup([file, native]), inet_db:res_option(lookup), names()}]).

names() -> [inet:getaddr(Name, inet) || Name <- ["localhost", localhost, "127.0.0.1", {1, 2, 3, 4}]].

echo(Backend) ->
    Options = Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}}],
    {ok, Listener} = gen_tcp:listen(0, Options),
    {ok, Port} = inet:port(Listener),
    {Pid, Ref} = spawn_monitor(fun() -> serve(Listener) end),
    {ok, Socket} = gen_tcp:connect("localhost", Port, Options),
    ok = gen_tcp:send(Socket, "hello"),
    Answer = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:close(Socket),
    receive {'DOWN', Ref, process, Pid, Reason} -> {Answer, Reason} end.

serve(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    {ok, Data} = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:send(Socket, string:uppercase(Data)),
    {error, closed} = gen_tcp:recv(Socket, 0).
