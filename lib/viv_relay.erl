%% Stock servers that start when they are first asked.
%%
%% A process holds a server's registered name until the first message comes. A gen_server it then becomes itself, so
%% that the name is never free. For another server it gives the name up as late as it can, starts the server (which
%% registers it), hands on that message, and all that still come to it; who monitors it by the name does no harm, as it
%% lives as long as the server.
-module(viv_relay).
-export([start/3, become/4]).
-export([init/1]).

%% Prepare() is called first, while the relay still has the name: it loads what the server needs. Start() -> {ok, Pid}
%% is called in the relay, which is the server's parent; until it registers the server, nobody has the name.
start(Name, Prepare, Start) ->
    hold(Name, fun(First) ->
                       _ = Prepare(),
                       unregister(Name),
                       {ok, Server} = Start(),
                       Server ! First,
                       pass_on(Server)
               end).

%% Module and Argument are those of the gen_server.
become(Name, Prepare, Module, Argument) ->
    Parent = self(),
    hold(Name, fun(First) ->
                       put('$ancestors', [Parent]),
                       put('$initial_call', {Module, init, 1}),
                       _ = Prepare(),
                       {ok, State} = Module:init(Argument),
                       self() ! First,
                       gen_server:enter_loop(Module, [], State, {local, Name})
               end).

hold(Name, Asked) ->
    Parent = self(),
    Pid = spawn(fun() ->
                        process_flag(trap_exit, true),
                        register(Name, self()),
                        Parent ! {self(), ready},
                        receive First -> Asked(First) end
                end),
    receive {Pid, ready} -> Pid end.

pass_on(Server) ->
    receive
        {'EXIT', Server, Reason} -> exit(Reason);
        Message ->
            Server ! Message,
            pass_on(Server)
    end.

%% The supervisor callback of kernel_sup and kernel_safe_sup: what is to run below them is started by who wants it.
init([]) -> {ok, {#{strategy => one_for_one}, []}}.
