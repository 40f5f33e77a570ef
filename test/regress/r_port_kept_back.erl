%% A command that comes to a port which its driver has made busy meanwhile was given to the driver all the same. It is
%% kept back, with all that its sender does to the port after it, until the port is free again or closed.
%% Not under torture, give_away: several things are done in one slice of the only scheduler.
-module(r_port_kept_back).
-export([main/0]).
-include("../erl/quiet.hrl").

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    _ = erlang:system_flag(schedulers_online, 1),
    [[io:format("~p ~p ~p~n", [Name, How, scene(Does, How)]) || How <- Hows] || {Name, Hows, Does} <- scenes()].

scenes() ->
    [{commands, [free, close, kill], [c("1"), c("2"), c("3")]},
     {busy_again, [free, close], [c("1"), c("B"), c("3"), c("4")]},
     {busy_for_one, [free, close], [c("1"), c("B"), fun(P, _) -> link(P) end,
                                     fun(P, _) -> port_control(P, $n, "x") end]},
     {made_free, [free], [c("1"), c("F"), c("3")]},
     {control, [free, close, kill], [c("1"), fun(P, _) -> port_control(P, $n, "x") end]},
     {now_or_not, [free, close], [n("1"), c("2")]},
     {now_or_not_behind, [free, close, kill], [c("1"), n("2"), c("3"), n("4")]},
     {now_or_not_free, [free], [c("1"), c("F"), n("3"), n("4"), c("5")]},
     {now_or_not_forced, [free, close], [p("1", [force, nosuspend]), c("2"), p("3", [force]), c("4")]},
     {called, [free, close, kill], [p("1", []), c("2")]},
     {told_now_or_not, [free, close], [s("1"), s("2"), c("3")]},
     {told_now_or_not_behind, [free, close, kill], [c("1"), s("2"), c("3"), s("4")]},
     {info, [free, close, kill], [c("1"), fun(P, _) -> erlang:port_info(P, output) end, c("2")]},
     {link, [free, close], [c("1"), fun(P, _) -> link(P) end, c("2")]},
     {unlink, [free], [fun(P, _) -> link(P) end, c("1"), fun(P, _) -> unlink(P) end]},
     {monitor, [free], [c("1"), fun(P, _) -> is_reference(monitor(port, P)) end, c("2")]},
     {connect, [free, close], [c("1"), fun(P, _) -> unlink(P), port_connect(P, self()) end]},
     {connect_told, [free], [c("1"), fun(P, Owner) -> P ! {Owner, {connect, self()}}, ok end,
                             fun(P, _) -> P ! {self(), {command, "mine"}}, ok end]},
     {close, [free], [c("1"), fun(P, _) -> port_close(P) end]},
     {close_told, [free], [c("1"), fun(P, Owner) -> P ! {Owner, close} end, c("2")]},
     {exit, [free], [c("1"), fun(P, _) -> exit(P, gone) end, c("2")]},
     {kill, [free], [c("1"), fun(P, _) -> exit(P, kill) end, c("2")]},
     {nonsense, [free], [c("1"), fun(P, Owner) -> P ! {Owner, nonsense} end, c("2")]},
     {dies, [free, close], [c("1"), c("2"), fun(_, _) -> exit(bye) end]},
     {dies_linked, [free], [fun(P, _) -> link(P) end, c("1"), c("2"), fun(_, _) -> exit(bye) end]}].

c(Bytes) -> fun(Port, Owner) -> Port ! {Owner, {command, Bytes}}, Bytes end.

p(Bytes, Options) -> fun(Port, _) -> port_command(Port, Bytes, Options) end.
n(Bytes) -> p(Bytes, [nosuspend]).
s(Bytes) -> fun(Port, Owner) -> erlang:send(Port, {Owner, {command, Bytes}}, [nosuspend]) end.

%% What the driver was given, and what the sender has done and is doing: before and after.
scene(Does, How) ->
    Port = open_port({spawn, ?MODULE_STRING}, [{parallelism, true}]),
    Me = self(),
    Sender = spawn(fun() -> send(Port, Me, Does) end),
    settle(Sender),
    catch port_control(Port, $n, "."),
    Before = seen(Port, Sender),
    case How of
        free -> port_control(Port, $f, "");
        close -> port_close(Port);
        kill -> exit(Port, kill)
    end,
    settle(Sender),
    After = seen(Port, Sender),
    catch port_control(Port, $f, ""),
    settle(Sender),
    Last = seen(Port, Sender),
    Told = told(Port),
    exit(Sender, kill),
    catch port_close(Port),
    receive {'EXIT', Port, _} -> ok after 0 -> ok end,
    {Before, After, Last, Told}.

%% What is sent after the first stands behind it, as the port has something to do and does not run meanwhile.
send(Port, Owner, Does) ->
    _ = monitor(port, Port),
    Port ! {Owner, {command, "B"}},
    [Owner ! {done, result(Do, Port, Owner)} || Do <- Does],
    receive never -> ok end.

result(Do, Port, Owner) ->
    try Do(Port, Owner) of
        {Owner, What} -> What;
        Result -> Result
    catch
        error:Reason -> {error, Reason}
    end.

settle(Sender) ->
    quiet(),
    timer:sleep(60),
    case process_info(Sender, status) of
        {status, Runs} when Runs =:= running; Runs =:= runnable -> settle(Sender);
        _ -> ok
    end.

seen(Port, Sender) ->
    Given = try port_control(Port, $l, "") catch error:_ -> gone end,
    Links = case erlang:port_info(Port, links) of
        {links, L} -> {lists:member(self(), L), lists:member(Sender, L)};
        undefined -> none
    end,
    Owner = case erlang:port_info(Port, connected) of
        {connected, Sender} -> sender;
        {connected, _} -> me;
        undefined -> none
    end,
    {Given, done(), is_process_alive(Sender), Links, Owner}.

done() -> receive {done, What} -> [What | done()] after 0 -> [] end.

told(Port) ->
    receive
        {Port, What} -> [What | told(Port)];
        {'EXIT', Port, Reason} -> [{exit, Reason} | told(Port)]
    after 0 -> []
    end.
